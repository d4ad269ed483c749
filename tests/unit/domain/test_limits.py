"""Limits: how much a caller has asked and may still ask."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citebook.domain.limits import QUERIES_PER_WINDOW, RATE_LIMIT_WINDOW, RateLimitState, TokenUsage

NINE = datetime(2026, 1, 1, 9, tzinfo=UTC)
TEN = NINE + timedelta(hours=1)
INSTANT = timedelta(microseconds=1)
USER = "user:550e8400-e29b-41d4-a716-446655440000"


def state(**changes: Any) -> RateLimitState:
    fields: dict[str, Any] = {
        "identifier": "anon:203.0.113.7",
        "limit_tier": "anonymous",
        "window_start": NINE,
        "query_count": 3,
    }
    return RateLimitState(**fields | changes)


class TestTokenUsage:
    def test_counts_from_0(self) -> None:
        assert TokenUsage() == TokenUsage(input=0, output=0, total=0)

    @pytest.mark.parametrize(("used", "made", "total"), [(-1, 1, 0), (1, -1, 0), (0, -1, -1)])
    def test_counts_nothing_below_0(self, used: int, made: int, total: int) -> None:
        with pytest.raises(ValidationError):
            TokenUsage(input=used, output=made, total=total)

    @given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(-1, 1))
    def test_the_total_is_exactly_the_sum(self, used: int, made: int, off_by: int) -> None:
        total = used + made + off_by
        if off_by == 0:
            assert TokenUsage(input=used, output=made, total=total).total == total
        else:
            with pytest.raises(ValidationError):
                TokenUsage(input=used, output=made, total=total)


class TestIdentifier:
    @pytest.mark.parametrize(
        ("identifier", "tier"),
        [
            ("anon:203.0.113.7", "anonymous"),
            ("anon:2001:db8::1", "anonymous"),
            ("anon:::1", "anonymous"),
            (USER, "authenticated"),
        ],
    )
    def test_fits_its_tier(self, identifier: str, tier: str) -> None:
        assert state(identifier=identifier, limit_tier=tier).identifier == identifier

    @pytest.mark.parametrize(
        ("identifier", "tier"),
        [
            ("", "anonymous"),
            ("anon:", "anonymous"),
            ("203.0.113.7", "anonymous"),
            ("anon:203.0.113.256", "anonymous"),
            ("anon:localhost", "anonymous"),
            ("ANON:203.0.113.7", "anonymous"),
            (USER, "anonymous"),
            ("anon:203.0.113.7", "authenticated"),
            ("user:", "authenticated"),
            ("user:42", "authenticated"),
            (USER[:-1], "authenticated"),
            (USER + "0", "authenticated"),
        ],
    )
    def test_of_another_form_is_rejected(self, identifier: str, tier: str) -> None:
        with pytest.raises(ValidationError, match="identifier"):
            state(identifier=identifier, limit_tier=tier)

    @pytest.mark.parametrize("spelling", [USER.upper(), USER.replace("-", ""), "user:{" + USER[5:] + "}"])
    def test_one_user_has_one_spelling_and_so_one_limit(self, spelling: str) -> None:
        with pytest.raises(ValidationError):
            state(identifier="user:" + spelling[5:], limit_tier="authenticated")

    @pytest.mark.parametrize(("length", "fits"), [(100, True), (101, False)])
    def test_has_at_most_100_characters(self, length: int, fits: bool) -> None:
        address = "anon:fe80::1%"
        identifier = address + "e" * (length - len(address))
        if fits:
            assert state(identifier=identifier)
        else:
            with pytest.raises(ValidationError, match="100"):
                state(identifier=identifier)


class TestRateLimitState:
    @pytest.mark.parametrize("tier", ["", "admin", "Anonymous"])
    def test_knows_two_tiers_only(self, tier: str) -> None:
        assert set(QUERIES_PER_WINDOW) == {"anonymous", "authenticated"}
        with pytest.raises(ValidationError):
            state(limit_tier=tier)

    def test_ten_for_anyone_and_fifty_signed_in_an_hour(self) -> None:
        assert dict(QUERIES_PER_WINDOW) == {"anonymous": 10, "authenticated": 50}
        assert timedelta(hours=1) == RATE_LIMIT_WINDOW

    def test_counts_from_0(self) -> None:
        assert state(query_count=0).query_count == 0
        with pytest.raises(ValidationError):
            state(query_count=-1)

    def test_its_window_starts_at_a_moment_in_utc(self) -> None:
        eleven_in_cairo = NINE.astimezone(timezone(timedelta(hours=2)))
        assert state(window_start=eleven_in_cairo).window_start.tzinfo is UTC
        with pytest.raises(ValidationError):
            state(window_start=datetime(2026, 1, 1, 9))

    @pytest.mark.parametrize(("asked", "left"), [(0, 10), (9, 1), (10, 0), (11, 0)])
    def test_what_remains_never_falls_below_0(self, asked: int, left: int) -> None:
        assert state(query_count=asked).remaining(10, NINE) == left

    @pytest.mark.parametrize(("now", "left"), [(NINE, 7), (TEN - INSTANT, 7), (TEN, 10), (TEN + INSTANT, 10)])
    def test_after_an_hour_the_full_limit_is_back(self, now: datetime, left: int) -> None:
        assert state(query_count=3).remaining(10, now) == left

    @pytest.mark.parametrize(
        ("now", "resets_at"), [(NINE, TEN), (TEN - INSTANT, TEN), (TEN, TEN), (TEN + INSTANT, TEN + INSTANT)]
    )
    def test_resets_when_its_window_ends(self, now: datetime, resets_at: datetime) -> None:
        assert state().resets_at(now) == resets_at

    def test_counts_a_question_in_the_window_that_runs(self) -> None:
        assert state(query_count=3).after_query(TEN - INSTANT) == state(query_count=4)

    def test_the_first_question_after_it_opens_the_next_window(self) -> None:
        assert state(query_count=3).after_query(TEN) == state(window_start=TEN, query_count=1)

    @given(st.lists(st.integers(0, 3 * 3600), max_size=30), st.integers(1, 12))
    def test_never_lets_more_than_the_limit_through_in_one_window(self, seconds: list[int], limit: int) -> None:
        caller = state(query_count=0)
        passed: dict[datetime, int] = {}
        for second in sorted(seconds):
            now = NINE + timedelta(seconds=second)
            if caller.remaining(limit, now):
                caller = caller.after_query(now)
                passed[caller.window_start] = passed.get(caller.window_start, 0) + 1
        assert all(count <= limit for count in passed.values())

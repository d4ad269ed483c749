"""Under which name a caller's questions are counted."""

from uuid import UUID

from citebook.domain.callers import Caller

USER = UUID("6f1b0f0a-93c5-4c0e-9d61-0f6d8b0a7c22")


def test_a_reader_who_is_not_signed_in_is_counted_by_address() -> None:
    caller = Caller(kind="anonymous", address="203.0.113.9")
    assert caller.identifier == "anon:203.0.113.9"
    assert not caller.is_signed_in


def test_a_signed_in_reader_is_counted_by_user_wherever_it_asks_from() -> None:
    caller = Caller(kind="user", address="203.0.113.9", user_id=USER)
    assert caller.identifier == f"user:{USER}"
    assert caller.is_signed_in


def test_the_longest_identifier_has_at_most_100_characters() -> None:
    longest_address = "2001:0db8:0000:0000:0000:ff00:255.255.255.255%interface"
    assert len(Caller(kind="anonymous", address=longest_address).identifier) <= 100

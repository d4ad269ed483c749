"""The subjects of fuzzing, with inputs made by rule; fuzzing by coverage finds its own (`make fuzz`)."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.subjects import LARGEST, SEEDS, SUBJECTS, citations, sse, unfolded
from tests.fuzz.test_ingestion import _settings, pages, quickly

_LINES = (
    '{"claim": "',
    '{"quote": "',
    '", "quote": "',
    '", "excerpt": 1}',
    '{"not_covered": true}',
    "\n",
    "}",
    "\\u0000",
)
_FRAMES = (
    "data: ",
    "event: ",
    "id: ",
    "retry: ",
    ":",
    "\n",
    "\r",
    "\r\n",
    "[DONE]",
    '{"choices":[{"delta":{"content":"',
)
said = st.lists(st.sampled_from(_LINES) | st.text(max_size=20), max_size=20).map("".join)
streams = st.lists(st.sampled_from(_FRAMES) | st.text(max_size=10) | st.just('"}}]}\n\n'), max_size=40).map("".join)


@_settings
@given(page=pages, answer=said)
def test_what_is_shown_of_a_models_words_is_bound_to_the_page(page: str, answer: str) -> None:
    with quickly():
        citations(f"{page[:4_000]}\x1e{answer}".encode("utf-8", "surrogatepass"))


@_settings
@given(stream=streams.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=300))
def test_streams_are_framed_and_read_whatever_is_in_them(stream: bytes) -> None:
    with quickly():
        sse(stream)


@pytest.mark.parametrize("kind", SUBJECTS)
@_settings
@given(data=st.binary(max_size=200))
def test_any_bytes_are_taken(kind: str, data: bytes) -> None:
    with quickly():
        SUBJECTS[kind](data)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_what_fuzzing_begins_with_is_taken(kind: str) -> None:
    for seed in SEEDS[kind]:
        SUBJECTS[kind](seed)


def test_a_short_input_may_stand_for_a_long_one() -> None:
    assert unfolded(b"\x1d\xff-ab") == b"-" + b"ab" * (LARGEST // 2 - 1) + b"a"
    assert unfolded(b"ab") == b"ab"


@pytest.mark.skipif(sys.platform != "linux" or sys.version_info >= (3, 14), reason="atheris has no wheel here")
def test_fuzzing_by_coverage_finds_what_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, without the fuzzer itself: whatever a subject raises is noted with its input."""
    from tests.fuzz.atheris_targets import Watched

    def fails(data: bytes) -> None:
        if data == b"bad":
            raise ZeroDivisionError

    monkeypatch.setitem(SUBJECTS, "sse", fails)
    watched = Watched("sse", tmp_path, tmp_path / "report.json")
    for data in (b"good", b"bad", b"bad"):
        watched(data)
    assert watched._summary.executions == 3
    (found,) = watched._summary.uncaught.values()
    assert Path(found).read_bytes() == b"bad"
    assert not watched._summary.is_clean

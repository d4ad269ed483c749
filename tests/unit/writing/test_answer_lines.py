"""Lines of an answer as a model writes them: cut anywhere, among any junk."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.writing.answer_lines import AnswerLine, AnswerLines, Estimate, NotCovered, WrittenClaim

CLAIM = '{"claim": "Gears turn – ✓.", "excerpt": 2, "quote": "Gears turn."}'
READ = WrittenClaim("Gears turn – ✓.", "Gears turn.", 2)


def read(*pieces: str) -> list[AnswerLine]:
    lines = AnswerLines()
    found = [line for piece in pieces for line in lines.feed(piece)]
    return [*found, *lines.end()]


def cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def test_a_claim_is_read_as_soon_as_its_line_ends() -> None:
    lines = AnswerLines()
    assert list(lines.feed(CLAIM)) == []
    assert list(lines.feed("\n")) == [READ]


def test_the_last_line_needs_no_end() -> None:
    assert read(CLAIM) == [READ]


@pytest.mark.parametrize("wrapped", [f"```json\n{CLAIM}\n```", f"1. {CLAIM},", f"[{CLAIM}]", f"\r\n  {CLAIM}\r\n"])
def test_what_models_put_around_a_line_is_no_part_of_it(wrapped: str) -> None:
    assert read(wrapped) == [READ]


def test_a_refusal_and_an_estimate_are_read() -> None:
    assert read('{"not_covered": true}\n{"confidence": 0.93}') == [NotCovered(), Estimate(0.93)]


@pytest.mark.parametrize(
    "line",
    [
        "This is not in the book.",
        '{"claim": "No quote."}',
        '{"claim": 3, "quote": []}',
        '{"not_covered": "maybe"}',
        '{"confidence": 7}',
        '{"confidence": true}',
        '{"confidence": NaN}',
        "{" * 3_000,
        "{" + "[" * 3_900 + "}",
        '{"claim": "cut off',
    ],
)
def test_other_lines_are_skipped(line: str) -> None:
    assert read(f"{line}\n{CLAIM}\n") == [READ]


@pytest.mark.parametrize(
    ("said", "number"), [('"2"', 2), ("true", None), ("2.5", None), ("null", None), ('"two"', None)]
)
def test_the_number_of_an_excerpt_may_be_missing_or_wrong(said: str, number: int | None) -> None:
    assert read(CLAIM.replace("2", said)) == [WrittenClaim("Gears turn – ✓.", "Gears turn.", number)]


def test_a_line_without_end_is_not_kept() -> None:
    assert read("x" * 30_000, "\n", CLAIM) == [READ]


def test_output_without_end_is_cut() -> None:
    lines = AnswerLines()
    assert list(lines.feed("talk " * 10_000)) == []
    assert lines.is_full
    assert list(lines.feed(f"\n{CLAIM}\n")) == []
    assert len(lines.text) == 40_000


def test_what_nobody_sees_is_not_read_and_nothing_is_kept_that_cannot_be_stored() -> None:
    said = json.dumps({"claim": "Ge\u200bars \U000e0041turn.\ud800\x00", "quote": "Gears\nturn."})
    lines = AnswerLines()
    assert list(lines.feed(f"{said}\n")) == [WrittenClaim("Gears turn.\ufffd", "Gears turn.", None)]
    list(lines.feed("\ud83d\x00"))
    assert lines.text.encode().decode() == lines.text
    assert "\x00" not in lines.text


@given(st.lists(st.integers(min_value=0, max_value=10_000), max_size=40))
def test_it_does_not_matter_where_the_text_is_cut(places: list[int]) -> None:
    text = f"Sure!\n```json\n{CLAIM}\n{CLAIM}\n```\n" + '{"confidence": 0.5}'
    assert read(*cut(text, places)) == [READ, READ, Estimate(0.5)]


@given(st.lists(st.text(max_size=80), max_size=20), st.lists(st.integers(0, 10_000), max_size=10))
def test_any_junk_between_lines_costs_no_line(junk: list[str], places: list[int]) -> None:
    noise = [line.replace("\n", " ") for line in junk]
    text = "\n".join(part for line in noise for part in (line, CLAIM))
    found = [line for line in read(*cut(text, places)) if line == READ]
    assert len(found) == len(noise)


@given(st.text(), st.lists(st.integers(0, 1_000), max_size=10))
def test_any_text_is_read_without_an_error(text: str, places: list[int]) -> None:
    for line in read(*cut(text, places)):
        assert isinstance(line, WrittenClaim | NotCovered | Estimate)

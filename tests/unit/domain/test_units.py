"""The units that a chunk is read, embedded and quoted in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.book import Chunk
from citebook.domain.units import text_between, unit_texts, units_of
from tests.fakes import chunk_of_page, make_chunk


def told(chunk: Chunk) -> list[tuple[str, str]]:
    return [(unit.kind.value, text_between(chunk, unit.first, unit.last)) for unit in units_of(chunk)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One is here. Two is there.\n\nThree is gone.", ["paragraph", "paragraph"]),
        ("The parts are:\n\n- one\n- two", ["list"]),
        ("Do this:\n\n1. one\n2. two\n\nThen rest.", ["steps", "paragraph"]),
        ("Parts of it\n\n| a | b |\n|---|---|\n| 1 | 2 |", ["table"]),
        ("It is whole.\n\n| a | b |\n|---|---|\n| 1 | 2 |", ["paragraph", "table"]),
        ("Start it with\n\n```bash\nros2 run\n```", ["code"]),
        ("The speed is\n\n$$\nv = s / t\n$$\n\nwhere s is the way.\n\nMore of it.", ["formula", "paragraph"]),
        ("**Lidar**: measures light.\n\n**Radar**: measures radio waves.\n\nBoth are dear.", ["run", "paragraph"]),
        ("Sensors are these:\n\n**Lidar**: light.\n\n**Radar**: radio.", ["run"]),
        ("**Lidar**: measures light.\n\nIt is dear.", ["paragraph", "paragraph"]),
        ("1. Install it:\n\n   ```\n   make\n   ```\n\n2. Start it.\n\nDone.", ["steps", "paragraph"]),
        ("It says this:\n\nOne is here.\n\nTwo is there.", ["paragraph", "paragraph"]),
        ("It says this:\n\nThese are parts:\n\n- one\n- two", ["paragraph", "list"]),
        ("A title\n\nOne is here.\n\nTwo is there.", ["paragraph", "paragraph"]),
        ("A title\n\nAnother title\n\nOne is here.", ["paragraph", "paragraph"]),
        ("Can it swim?\n\nNo, it cannot.\n\nIt can walk.", ["reply", "paragraph"]),
        ("![A demo](demo.png)\n\n- one\n- two", ["paragraph", "list"]),
    ],
)
def test_what_belongs_together_is_one_unit(source: str, expected: list[str]) -> None:
    assert [kind for kind, _ in told(chunk_of_page(source))] == expected


@pytest.mark.parametrize(
    ("source", "body"),
    [
        ("The parts are:\n\n- one\n- two", "one"),
        ("- one\n- two", "one"),
        ("Can it swim?\n\nNo, it cannot.", "No, it cannot."),
        ("It swims.", "It swims."),
    ],
)
def test_the_body_of_a_unit_begins_after_the_line_that_announces_it(source: str, body: str) -> None:
    chunk = chunk_of_page(source)
    (unit,) = units_of(chunk)
    assert chunk.quote(chunk.sentences[unit.body]) == body


def test_the_embedder_reads_a_unit_under_its_headings() -> None:
    chunk = make_chunk("It is here.\n\nIt was there.", title="Chapter")
    assert unit_texts(chunk) == ["Chapter > Part\nIt is here.", "Chapter > Part\nIt was there."]


BLOCKS = st.sampled_from(
    [
        "A sentence. Another one.",
        "These are:",
        "A title",
        "- one\n- two",
        "1. one\n2. two",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\ncode\n```",
        "$$\nx = y\n$$",
        "where x is y.",
        "**Name**: text.",
        "Is it so?",
        "> Quoted. Twice.",
    ]
)


@given(st.lists(BLOCKS, min_size=1, max_size=8))
def test_each_sentence_stands_in_exactly_one_unit(blocks: list[str]) -> None:
    chunk = chunk_of_page("\n\n".join(blocks))
    covered = [number for unit in units_of(chunk) for number in range(unit.first, unit.last + 1)]
    assert covered == list(range(len(chunk.sentences)))
    assert all(unit.first <= unit.body <= unit.last for unit in units_of(chunk))

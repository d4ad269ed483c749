"""What a passage is made of: as its page sets it, not as its text looks."""

import pytest

from citebook.reading.passages import PassageReader, Shape
from tests.fakes import ENGLISH, chunk_of_page, chunks_of_page, make_chunk


def shapes(source: str, tokens: int = 800) -> list[list[str]]:
    return [
        [sentence.shape.value for sentence in PassageReader().read(chunk, ENGLISH).sentences]
        for chunk in chunks_of_page(source, tokens)
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One is here. Two is there.", ["prose", "prose"]),
        ("A caption\n\nOne is here.", ["title", "prose"]),
        ("- one", ["item"]),
        ("- one\n\n  more\n- two", ["item", "item", "item"]),
        ("<ul><li>one</li><li>two</li></ul>", ["item", "item"]),
        ("> - one\n> - two", ["item", "item"]),
        ("```\nprint('a\\n')\n```", ["code"]),
        ("```\na | b\nc | d\n```", ["code"]),
        ("$$\nf = g + h\n$$", ["formula"]),
        ("| a |\n|---|\n| 1 |", ["row", "row"]),
        ("- one\n\n  ```\n  two\n  ```\n- three", ["item", "code", "item"]),
    ],
)
def test_the_shape_of_each_sentence(source: str, expected: list[str]) -> None:
    assert shapes(source) == [expected]


def test_rows_of_a_long_table_know_their_header() -> None:
    rows = "".join(f"| row {n} | value {n} |\n" for n in range(9))
    chunks = chunks_of_page(f"| a | b |\n|---|---|\n{rows}", tokens=20)
    read = [PassageReader().read(chunk, ENGLISH).sentences for chunk in chunks]
    assert {sentence.shape for sentences in read for sentence in sentences} == {Shape.ROW}
    assert [sentence.header for sentence in read[0]] == [0] * len(read[0])
    assert [sentence.header for sentence in read[-1]] == [None] * len(read[-1])


def test_a_group_is_a_paragraph_a_list_or_a_table() -> None:
    sentences = (
        PassageReader()
        .read(chunk_of_page("One is here. Two is there.\n\n- one\n- two\n\nThree is gone."), ENGLISH)
        .sentences
    )
    assert [(sentence.group_first, sentence.group_last) for sentence in sentences] == [
        (0, 1), (0, 1), (2, 3), (2, 3), (4, 4),
    ]  # fmt: skip


def test_a_text_of_which_nothing_is_known_is_prose() -> None:
    sentences = PassageReader().read(make_chunk("One is here.\n\n- Two is | there."), ENGLISH).sentences
    assert [sentence.shape for sentence in sentences] == [Shape.PROSE, Shape.PROSE]

"""A plain text as its reader sees it."""

import pytest

from citebook.ingestion.plain_text import parse_plain_text

HIPS = """\
Hips and knees
==============

A hip joint carries the weight
of the body. <b>It</b> has # no motor.

- one axis
- two axes

Done *well*.
"""


def paragraphs(source: str) -> list[str]:
    return [block.content.text for section in parse_plain_text(source).sections for block in section.blocks]


def test_paragraphs_stand_between_blank_and_drawn_lines() -> None:
    assert paragraphs(HIPS) == [
        "A hip joint carries the weight of the body. <b>It</b> has # no motor.",
        "- one axis",
        "- two axes",
        "Done *well*.",
    ]


def test_a_short_first_line_is_the_title() -> None:
    page = parse_plain_text(HIPS)
    (section,) = page.sections
    assert (page.title, section.title, section.path) == ("Hips and knees", "Hips and knees", ("Hips and knees",))


@pytest.mark.parametrize(
    "source", ["One sentence.\n\nAnother one.\n", "Only a line", "- a\n- b\n", "x" * 81 + "\n\ny"]
)
def test_other_first_lines_are_text(source: str) -> None:
    page = parse_plain_text(source)
    assert page.title is None
    assert "".join(paragraphs(source)).replace(" ", "") == "".join(source.split())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_paragraph_knows_where_it_stands_in_the_file(end: str) -> None:
    source = "\ufeff" + HIPS.replace("\n", end)
    (section,) = parse_plain_text(source).sections
    for block in section.blocks:
        start, stop = block.content.source_range(0, len(block.content.text))
        assert " ".join(source[start:stop].split()) == block.content.text


@pytest.mark.parametrize("source", ["", " \n\t\n", "\ufeff", "=====\n\n-----\n"])
def test_a_text_without_text_has_no_section(source: str) -> None:
    assert parse_plain_text(source).sections == ()

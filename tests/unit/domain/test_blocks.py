"""Blocks: what a page or an answer says, on the wire as in the program."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from citebook.domain.blocks import Block, Code, Formula, Inline, Quotation, plain_paragraph
from tests.block_texts import listed, said, table, texts_of, trees

BLOCKS = TypeAdapter[tuple[Block, ...]](tuple[Block, ...])


@given(trees(st.text(min_size=1, max_size=8)))
def test_blocks_survive_being_written_down(blocks: tuple[Block, ...]) -> None:
    assert BLOCKS.validate_json(BLOCKS.dump_json(blocks)) == blocks


def test_a_paragraph_on_the_wire() -> None:
    runs = [{"text": "a ", "marks": []}, {"text": "b", "marks": ["strong", "code"]}]
    paragraph = said("a ", ("b", "strong code"))
    assert BLOCKS.dump_python((paragraph,), mode="json") == [{"kind": "paragraph", "text": runs}]


def test_a_list_on_the_wire() -> None:
    a = {"kind": "paragraph", "text": [{"text": "a", "marks": []}]}
    numbered = {"kind": "list", "ordered": True, "start": 3, "items": [[a]]}
    assert BLOCKS.dump_python((listed("a", start=3),), mode="json") == [numbered]
    assert BLOCKS.dump_python((listed("a"),), mode="json") == [{**numbered, "ordered": False, "start": None}]


def test_a_table_on_the_wire() -> None:
    a, b = ([{"text": text, "marks": []}] for text in "ab")
    wire = {"kind": "table", "header": [a, []], "rows": [[[], b]]}
    assert BLOCKS.dump_python((table(["a", ""], ["", "b"]),), mode="json") == [wire]


def test_the_rest_on_the_wire() -> None:
    blocks = (Quotation(blocks=(Code(language="python", text="x"), Formula(text="y"))),)
    inner = [{"kind": "code", "language": "python", "text": "x"}, {"kind": "formula", "text": "y"}]
    assert BLOCKS.dump_python(blocks, mode="json") == [{"kind": "quotation", "blocks": inner}]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "picture", "text": "x"},
        {"text": []},
        {"kind": "paragraph", "text": [{"text": "", "marks": []}]},
        {"kind": "paragraph", "text": [{"text": "x", "marks": ["blink"]}]},
        {"kind": "paragraph", "text": [], "html": "<b>"},
        {"kind": "list", "ordered": False, "start": None, "items": [[{"kind": "row"}]]},
    ],
)
def test_what_is_no_block_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BLOCKS.validate_python([wrong])


def test_plain_text_is_a_paragraph() -> None:
    assert plain_paragraph("a *b*").text == (Inline(text="a *b*"),)
    assert list(texts_of([plain_paragraph("")])) == []

"""Layouts: what a stretch of text is, whole or in part."""

import pytest

from citebook.domain.blocks import Code, Formula, Quotation
from citebook.domain.layout import BODY, CAPTION, HEADER, Layout, MarkedRange, Node, NodeKind, plain_layout
from tests.block_texts import listed, said, table

TEXT = "Do this:\n\n1. Mix.\n2. Bake $x_1$ long.\n\nmake\n\n3. Eat.\n\nHeat | Cakes\n180 | one\n200 |"
"""A paragraph, a list with code in its second item, and a table whose last cell is empty."""


def at(word: str) -> tuple[int, int]:
    start = TEXT.index(word)
    return start, start + len(word)


END = len(TEXT)
LAYOUT = Layout(
    (
        Node(NodeKind.PARAGRAPH, -1, 1, *at("Do this:")),
        Node(NodeKind.LIST, -1, 2, at("Mix.")[0], at("Eat.")[1], 1),
        Node(NodeKind.ITEM, 1, 3, *at("Mix."), 4),
        Node(NodeKind.PARAGRAPH, 2, 4, *at("Mix.")),
        Node(NodeKind.ITEM, 1, 5, at("Bake")[0], at("make")[1], 5),
        Node(NodeKind.PARAGRAPH, 4, 6, *at("Bake $x_1$ long.")),
        Node(NodeKind.CODE, 4, 7, *at("make"), language="sh"),
        Node(NodeKind.ITEM, 1, 8, *at("Eat."), 6),
        Node(NodeKind.PARAGRAPH, 7, 9, *at("Eat.")),
        Node(NodeKind.TABLE, -1, 10, at("Heat")[0], END),
        Node(NodeKind.ROW, 9, 11, *at("Heat | Cakes"), HEADER),
        Node(NodeKind.CELL, 10, 12, *at("Heat")),
        Node(NodeKind.CELL, 10, 13, *at("Cakes")),
        Node(NodeKind.ROW, 9, 14, *at("180 | one"), BODY),
        Node(NodeKind.CELL, 13, 15, *at("180")),
        Node(NodeKind.CELL, 13, 16, *at("one")),
        Node(NodeKind.ROW, 9, 17, at("200")[0], END, BODY),
        Node(NodeKind.CELL, 16, 18, *at("200")),
        Node(NodeKind.CELL, 16, 19, END, END),
    ),
    (MarkedRange(*at("$x_1$"), ("formula",)),),
)
BAKE = said("Bake ", ("x_1", "formula"), " long.")


def test_the_whole_text_is_its_tree() -> None:
    assert LAYOUT.fits(TEXT)
    assert LAYOUT.blocks(TEXT, 0, END) == (
        said("Do this:"),
        listed("Mix.", [BAKE, Code(language="sh", text="make")], "Eat.", start=4),
        table(["Heat", "Cakes"], ["180", "one"], ["200", ""]),
    )


def test_a_part_of_a_list_is_a_list_that_begins_with_the_right_number() -> None:
    assert LAYOUT.blocks(TEXT, at("Bake")[0], at("Eat.")[1]) == (
        listed([BAKE, Code(language="sh", text="make")], "Eat.", start=5),
    )
    assert LAYOUT.blocks(TEXT, *at("Eat.")) == (listed("Eat.", start=6),)


def test_a_part_of_a_sentence_is_what_is_left_of_it() -> None:
    assert LAYOUT.blocks(TEXT, *at("this")) == (said("this"),)


def test_half_a_formula_is_text() -> None:
    assert LAYOUT.blocks(TEXT, at("Bake")[0], at("$x_")[1]) == (listed([said("Bake ", "$x_")], start=5),)


@pytest.mark.parametrize(("words", "rows"), [("one", [["", "one"]]), ("180 | one", [["180", "one"]]), ("Cakes", [])])
def test_rows_of_a_table_come_with_its_header(words: str, rows: list[list[str]]) -> None:
    assert LAYOUT.blocks(TEXT, *at(words)) == (table(["Heat", "Cakes"], *rows),)


def test_a_header_that_stands_in_another_chunk_is_missed() -> None:
    text = "180 | one"
    row = Node(NodeKind.ROW, 0, 2, 0, 9, BODY)
    cells = (Node(NodeKind.CELL, 1, 3, 0, 3), Node(NodeKind.CELL, 1, 4, 6, 9))
    layout = Layout((Node(NodeKind.TABLE, -1, 1, 0, 9, opens=False), row, *cells))
    assert layout.blocks(text, 0, 9) == (table([], ["180", "one"]),)


def test_a_caption_stands_above_its_table() -> None:
    text = "All cakes\nHeat"
    nodes = (
        Node(NodeKind.TABLE, -1, 1, 0, 14),
        Node(NodeKind.ROW, 0, 2, 0, 9, CAPTION),
        Node(NodeKind.CELL, 1, 3, 0, 9),
        Node(NodeKind.ROW, 0, 4, 10, 14, HEADER),
        Node(NodeKind.CELL, 3, 5, 10, 14),
    )
    assert Layout(nodes).blocks(text, 0, 14) == (said("All cakes"), table(["Heat"]))
    assert Layout(nodes).blocks(text, 10, 14) == (table(["Heat"]),)


def test_what_is_quoted_stays_quoted() -> None:
    text = "A cake\n\nx = y"
    nodes = (
        Node(NodeKind.QUOTATION, -1, 1, 0, 13),
        Node(NodeKind.PARAGRAPH, 0, 2, 0, 6),
        Node(NodeKind.FORMULA, 0, 3, 8, 13),
    )
    marks = (MarkedRange(2, 6, ("strong",)),)
    whole = Quotation(blocks=(said("A ", ("cake", "strong")), Formula(text="x = y")))
    assert Layout(nodes, marks).blocks(text, 0, 13) == (whole,)
    assert Layout(nodes, marks).blocks(text, 0, 4) == (Quotation(blocks=(said("A ", ("ca", "strong")),)),)


@pytest.mark.parametrize(("start", "end"), [(0, 0), (5, 3), at("\n\n"), (END, END + 5)])
def test_nothing_is_nothing(start: int, end: int) -> None:
    assert LAYOUT.blocks(TEXT, start, end) == ()


def test_units_are_blocks_that_can_be_quoted_by_themselves() -> None:
    told = [(unit.node.kind.value, unit.node.number, TEXT[unit.start : unit.end]) for unit in LAYOUT.block_ranges()]
    assert told == [
        ("paragraph", 1, "Do this:"),
        ("list", 2, "Mix.\n2. Bake $x_1$ long."),
        ("code", 7, "make"),
        ("list", 2, "Eat."),
        ("table", 10, "Heat | Cakes\n180 | one\n200 |"),
    ]


def test_a_row_is_found_by_its_place() -> None:
    row = LAYOUT.row_at(at("one")[0])
    assert row is not None
    assert row.value == BODY
    assert LAYOUT.row_at(0) is None


@pytest.mark.parametrize(
    "layout",
    [
        Layout((Node(NodeKind.PARAGRAPH, -1, 1, 0, 6),)),
        Layout((Node(NodeKind.PARAGRAPH, -1, 1, -1, 3),)),
        Layout((Node(NodeKind.PARAGRAPH, -1, 1, 3, 2),)),
        Layout((Node(NodeKind.PARAGRAPH, 0, 1, 0, 5),)),
        Layout((Node(NodeKind.PARAGRAPH, -1, 1, 0, 3), Node(NodeKind.PARAGRAPH, 0, 2, 3, 5))),
        Layout((Node(NodeKind.PARAGRAPH, -1, 1, 0, 4), Node(NodeKind.PARAGRAPH, -1, 2, 3, 5))),
        Layout((), (MarkedRange(0, 3, ("strong",)), MarkedRange(2, 4, ("code",)))),
        Layout((), (MarkedRange(0, 6, ("strong",)),)),
    ],
)
def test_the_layout_of_another_text_does_not_fit(layout: Layout) -> None:
    assert not layout.fits("Five.")


def test_text_of_which_nothing_is_known_is_paragraphs() -> None:
    text = "One\nline.\n\n  \nTwo."
    assert plain_layout(text).blocks(text, 0, len(text)) == (said("One\nline."), said("Two."))
    assert plain_layout(" \n").nodes == ()

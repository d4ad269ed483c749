"""Blocks on a terminal."""

from io import StringIO

from rich.console import Console

from citebook.cli.block_view import parts_view
from citebook.domain.blocks import AnswerPart, Block, Code, Formula, Quotation
from tests.block_texts import listed, said, table


def shown(*blocks: Block, citation: int | None = 1) -> list[str]:
    console = Console(file=StringIO(), width=40, highlight=False)
    console.print(parts_view([AnswerPart(blocks=blocks, citation=citation)]))
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_marker_stands_behind_prose_and_below_all_else() -> None:
    assert shown(said("One ", ("gear", "strong"), ".")) == ["One gear. [1]"]
    assert shown(Formula(text="a^2")) == ["  a^2", "", "[1]"]
    assert shown(said("Hello."), citation=None) == ["Hello."]


def test_markup_of_the_terminal_is_text() -> None:
    assert shown(said("a [red]b[/red] :smile:"), citation=None) == ["a [red]b[/red] :smile:"]


def test_a_table_is_a_table() -> None:
    lines = shown(table(["Motor", "Torque"], ["alpha", "2"], ["beta", ""]), citation=None)
    assert [line.split() for line in lines] == [["Motor", "Torque"], ["─" * 14], ["alpha", "2"], ["beta"]]
    assert [line.split() for line in shown(table([], ["1", "2"]), citation=None)] == [["1", "2"]]


def test_lists_have_their_numbers_and_their_depth() -> None:
    code = Code(language="sh", text="make")
    assert shown(listed("a", [said("b"), listed("c"), code], start=9), citation=None) == [
        " 9. a", "10. b", "    • c", "      make",
    ]  # fmt: skip


def test_a_quotation_has_a_bar() -> None:
    lines = shown(Quotation(blocks=(said("long words " * 6), said("b"))), citation=None)
    assert len(lines) == 4
    assert all(line.startswith("│") for line in lines)

"""Blocks as Markdown: it shows what the blocks say, and nothing in it is active."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin, index

from citebook.domain.blocks import Block, Code, Formula, Inline, Paragraph, Quotation
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.page_reading import read_page
from citebook.writing.markdown import markdown_of
from tests.block_texts import inline, listed, said, table, texts_of, trees
from tests.conftest import SAMPLE_BOOK


def _is_escaped(state: StateInline, back_pos: int, mod: int = 0) -> bool:  # noqa: ARG001
    """The plugin's own looks behind the first character, where Python has the last."""
    before = state.src[:back_pos]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


index.is_escaped = _is_escaped

WITH_FORMULAS = (
    MarkdownIt("commonmark", {"html": True})
    .enable(["table", "strikethrough"])
    .use(dollarmath_plugin, double_inline=True)
)
WITHOUT_FORMULAS = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HARMLESS = {
    "text", "text_special", "softbreak", "code_inline", "strong_open", "strong_close", "em_open", "em_close",
    "math_inline", "inline", "fence", "math_block", "hidden",
}  # fmt: skip
LOOKS = {"heading_open", "heading_close", "hr", "code_block", "s_open", "s_close", "hardbreak"}
"""What the lines of a formula may look like to a reader that knows no formulas."""
CONTAINERS = ("paragraph", "bullet_list", "ordered_list", "list_item", "table", "thead", "tbody", "tr", "th", "td")


def tokens_of(markdown: str, reader: MarkdownIt = WITH_FORMULAS) -> Iterator[Token]:
    for token in reader.parse(markdown):
        yield token
        yield from token.children or []


def shown(markdown: str) -> str:
    """All that a reader of the Markdown sees, without white space."""
    leaves = [token for token in tokens_of(markdown) if not token.children]
    return "".join("".join(token.content for token in leaves).split())


def active(markdown: str, reader: MarkdownIt) -> set[str]:
    """Kinds of tokens that no block of ours can have made."""
    kinds = {token.type for token in tokens_of(markdown, reader)}
    passive = HARMLESS | {f"{name}_{edge}" for name in (*CONTAINERS, "blockquote") for edge in ("open", "close")}
    return kinds - passive


# --- what it looks like


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        (
            ["Publish on cmd_vel where a < b, 3 * 4 > 2 and R&D."],
            "Publish on cmd_vel where a < b, 3 * 4 > 2 and R&D.",
        ),
        (["See ~/ros2_ws, a[i], x^2 and (b)."], "See ~/ros2_ws, a[i], x^2 and (b)."),
        (["A Vec<T> of <b>."], "A Vec\\<T> of \\<b>."),
        (["Costs $5; 2*3; __init__; `x`; ~~no~~"], "Costs \\$5; 2\\*3; \\_\\_init\\_\\_; \\`x\\`; \\~\\~no\\~\\~"),
        (["[a](b) ![c](d) [e]: f [g][h] [ ] [12]"], "[a\\](b) ![c\\](d) [e\\]: f [g\\][h] [ \\] [12\\]"),
        (["C:\\temp \\* \\"], "C:\\temp \\\\\\* \\\\"),
        (["&amp; and &"], "\\&amp; and &"),
        (["A ", ("bold", "strong"), ", ", ("odd", "emphasis"), " one."], "A **bold**, *odd* one."),
        ([("Use ", "strong"), ("x", "strong code"), (" now", "strong")], "**Use `x` now**"),
        ([("both ", "strong emphasis"), "one"], "***both*** one"),
        (["un", ("believ", "emphasis"), "able"], "unbelievable"),
        ([("one", "strong"), ("two", "emphasis")], "onetwo"),
        (["Take ", ("a_1 * b", "formula"), "."], "Take $a_1 * b$."),
        ([("a", "formula"), ("b", "formula"), "5"], "$a$ $b$ 5"),
        ([("a <b", "formula")], "$a < b$"),
        ([("a$b", "formula")], "a\\$b"),
        ([("a`b", "code"), " ", ("`", "code")], "``a`b`` `` ` ``"),
        (["two\nlines"], "two lines"),
        ([" * "], "\\*"),
        (["[a ", ("]: b", "code")], "\\[a `]: b`"),
    ],
)
def test_text_is_set_as_its_author_set_it(runs: list[str | tuple[str, str]], expected: str) -> None:
    assert markdown_of([said(*runs)]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", "\\# no heading"),
        ("#1 of all", "#1 of all"),
        ("> no quotation", "\\> no quotation"),
        ("- no item", "\\- no item"),
        ("-5 degrees", "-5 degrees"),
        ("+ no item", "\\+ no item"),
        ("1986. A year.", "1986\\. A year."),
        ("3.5 metres", "3.5 metres"),
        ("---", "\\---"),
        (":::note", "\\:::note"),
    ],
)
def test_a_line_opens_no_block(text: str, expected: str) -> None:
    assert markdown_of([said(text)]) == expected


def test_code_keeps_its_language_and_its_fences() -> None:
    assert markdown_of([Code(language="python", text="x = 1")]) == "```python\nx = 1\n```"
    assert markdown_of([Code(language="", text="```\nx\n```")]) == "````\n```\nx\n```\n````"
    assert markdown_of([Code(language="<script>", text="x")]) == "```\nx\n```"


def test_formulas_stand_alone() -> None:
    assert markdown_of([Formula(text="a = b_1\n\n+ c")]) == "$$\na = b_1\n+ c\n$$"
    assert markdown_of([Formula(text="a $$ b")]) == "```tex\na $$ b\n```"


def test_tables_are_tables() -> None:
    cells = ((inline(("x | y", "code")), inline(("2", "strong"))),)
    found = table(["a", "b"]).model_copy(update={"rows": (*cells, ((), inline("|")))})
    assert markdown_of([found]) == "| a | b |\n| --- | --- |\n| `x \\| y` | **2** |\n|  | \\| |"
    assert markdown_of([table([], ["1"])]) == "|  |\n| --- |\n| 1 |"


def test_lists_keep_their_numbers_and_their_depth() -> None:
    two = [said("Two"), said("More of two.")]
    assert markdown_of([listed([said("One"), listed("a", "b")], "Two", start=9)]) == "9. One\n   - a\n   - b\n10. Two"
    assert markdown_of([listed("One", two)]) == "- One\n\n- Two\n\n  More of two."


def test_code_in_an_item_stays_in_it() -> None:
    step: list[Block] = [said("Run"), Code(language="sh", text="make\n\n  all")]
    assert markdown_of([listed(step, start=1)]) == "1. Run\n\n   ```sh\n   make\n\n     all\n   ```"


def test_two_lists_stay_two() -> None:
    assert markdown_of([listed("a"), listed("b")]) == "- a\n\n* b"
    assert markdown_of([listed("a", start=1), listed("b", start=7)]) == "1. a\n\n7) b"


def test_a_nested_list_that_does_not_begin_with_one_stands_apart() -> None:
    assert markdown_of([listed([said("a"), listed("b", start=3)])]) == "- a\n\n  3. b"


def test_quotations_are_quoted() -> None:
    assert markdown_of([Quotation(blocks=(said("a"), listed("b")))]) == "> a\n>\n> - b"


# --- what must hold for any blocks


_PIECES = (
    "a", "B1", " ", "\n", "\t", "    ", "\\", "`", "``", "*", "**", "_", "__", "~", "~~", "$", "$$", "<", ">", "<b>",
    "</b>", "<!--", "-->", "<img src=x onerror=y>", "[", "]", "](", "](http://evil.example)", "![", "]:", "[x]",
    "[1]", "&amp;", "&", "&#60;", "|", "#", "# ", "- ", "+ ", "1. ", "2) ", "> ", "---", "===", ":::", "(", ")", "!",
    ".", "é", "→", "“",
)  # fmt: skip
_HOSTILE = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8).map("".join).filter(lambda text: text.strip())


def _plain(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=400, deadline=None)
@given(trees(_HOSTILE))
def test_it_shows_what_the_blocks_say(blocks: tuple[Block, ...]) -> None:
    assert shown(markdown_of(blocks)) == _plain("".join(texts_of(blocks)))


@settings(max_examples=400, deadline=None)
@given(trees(_HOSTILE))
@pytest.mark.parametrize("reader", [WITH_FORMULAS, WITHOUT_FORMULAS], ids=["with formulas", "without"])
def test_nothing_in_it_is_active(reader: MarkdownIt, blocks: tuple[Block, ...]) -> None:
    assert active(markdown_of(blocks), reader) - (LOOKS if reader is WITHOUT_FORMULAS else set()) == set()


@settings(deadline=None)
@given(st.lists(st.builds(Inline, text=st.text(min_size=1, max_size=12)), min_size=1, max_size=3))
def test_any_text_at_all_reads_the_same(runs: Sequence[Inline]) -> None:
    words = "".join(run.text for run in runs).replace("\0", "\ufffd")
    assert shown(markdown_of([Paragraph(text=tuple(runs))])) == _plain(words)


# --- real books


def test_the_sample_book_reads_the_same() -> None:
    differing: list[tuple[Path, str]] = []
    for page in find_pages(SAMPLE_BOOK).pages:
        for chunk in read_page(page, ChunkingRules(), lambda texts: [len(text.split()) for text in texts]).chunks:
            blocks = chunk.blocks_between(0, len(chunk.text))
            if shown(markdown_of(blocks)) != _plain("".join(texts_of(blocks))):
                differing.append((page.path, chunk.text))
    assert differing == []

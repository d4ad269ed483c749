"""A section as Markdown: it looks as its author set it, and every sentence of the book is found in it."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from citebook.domain.book import Chunk
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.page import Block, BlockKind
from citebook.ingestion.page_reading import read_page
from citebook.ingestion.readable_markdown import MarkdownWriter
from tests.conftest import SAMPLE_BOOK

_DATA = Path(__file__).parents[3].parent / "shared" / "data"
_READER = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .use(dollarmath_plugin, double_inline=True)
)


def written(source: str, *, mdx: bool = True) -> str:
    """All sections of a page, without their headings."""
    page = parse_mdx(source, mdx=mdx)
    writer = MarkdownWriter(page.marks)
    return "\n\n".join(filter(None, map(writer.write, page.sections)))


def shown(markdown: str) -> list[str]:
    """The words that a reader of the Markdown sees, by a parser that is not ours."""
    texts: list[str] = []
    for token in _READER.parse(markdown):
        if token.type == "inline":
            texts.append(_inline(token.children or []))
        elif token.type in ("fence", "code_block", "math_block"):
            texts.append(token.content)
    return [word for word in " ".join(texts).split() if word != "|"]


def _inline(tokens: Sequence[Token]) -> str:
    dollars = {"math_inline": "$", "math_inline_double": "$$"}
    fences = [dollars.get(token.type, "") for token in tokens]
    texts = [" " if token.type in ("softbreak", "hardbreak") else token.content for token in tokens]
    return "".join(fence + text + fence for fence, text in zip(fences, texts, strict=True))


def has_row(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return f" {' '.join(wanted)} " in f" {' '.join(words)} " or " ".join(wanted) in " ".join(words)


# --- what it looks like


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("A **bold** and an *odd* word.", "A **bold** and an *odd* word."),
        ("Run `ls -l` and `` a`b ``.", "Run `ls -l` and ``a`b``."),
        ("Take $a_1 * b$ of it.", "Take $a_1 * b$ of it."),
        ("Costs \\$5, a < b, x_1 and snake_case.", "Costs \\$5, a \\< b, x_1 and snake_case."),
        ("[A link](https://evil.example/x) and ![a cup](cup.png).", "A link and *a cup*."),
        ("- [ ] To do", "- [ \\] To do"),
        ("Take [a] or \\[b](c) or \\[d]: e.", "Take [a] or [b\\](c) or [d\\]: e."),
        ("Tom &amp; Jerry &copy;", "Tom & Jerry ©"),
        ("\\# no heading", "\\# no heading"),
        ("1986\\. A year.", "1986\\. A year."),
        ("<Note>Grease it.</Note>", "Grease it."),
        ("import X from './x'\n\n<X a={1} />\n\nText {/* hidden */} here.", "Text here."),
        ("**Use `x` now**", "**Use** `x` **now**"),
    ],
)
def test_text_is_set_as_its_author_set_it(source: str, expected: str) -> None:
    assert written(source) == expected


def test_code_keeps_its_language_and_its_fences() -> None:
    assert written("```python title='a.py'\nx = 1\n```") == "a.py\n\n```python\nx = 1\n```"
    assert written("````\n```\nx\n```\n````") == "````\n```\nx\n```\n````"


def test_a_language_that_is_none_is_left_out() -> None:
    assert written("```<script>\nx\n```", mdx=False) == "```\nx\n```"


def test_formulas_stand_alone() -> None:
    assert written("$$\na = b_1\n$$") == "$$\na = b_1\n$$"


def test_tables_are_tables() -> None:
    source = "| a | b |\n|---|---|\n| `x \\| y` | **2** |\n| 3 |\n"
    assert written(source) == "| a | b |\n| --- | --- |\n| `x \\| y` | **2** |\n| 3 |  |"


def test_lists_keep_their_numbers_and_their_depth() -> None:
    source = "1. One\n   - a\n   - b\n2. Two\n\n   More of two.\n"
    assert written(source) == "1. One\n   - a\n   - b\n2. Two\n\n   More of two."


def test_lists_of_tags_are_lists() -> None:
    assert written("<ul>\n<li>One</li>\n<li>Two</li>\n</ul>") == "- One\n- Two"


def test_admonitions_and_quotations_are_quoted() -> None:
    source = ":::tip[Take care]\n\nIt is hot.\n\n:::\n\nAfter.\n\n> Said she."
    assert written(source) == "> **Take care**\n>\n> It is hot.\n\nAfter.\n\n> Said she."


@pytest.mark.parametrize(
    "source",
    ["<script>alert(1)</script>", "[x](javascript:alert(1))", "<img src=x onerror=alert(1)>", "<b onclick='x'>y</b>"],
)
def test_nothing_of_the_machinery_is_left(source: str) -> None:
    markdown = written(f"Before {source} after.", mdx=False)
    kinds = {child.type for token in _READER.parse(markdown) for child in token.children or []}
    assert kinds <= {"text", "text_special"}
    assert shown(markdown)[0] == "Before"


# --- what it shows


_MARKUP = [
    "**",
    "*",
    "__",
    "`",
    "``",
    "$a_1 * b$ ",
    "\n\n",
    "\n",
    "- ",
    "1. ",
    "> ",
    "a",
    "b c",
    "<b>",
    "</b>",
    "&amp;",
]
_MARKUP += ["\\*", "~~", "[x](y)", "![z](w)", ":::note\n\n", "\n\n:::\n\n", "| a | b |\n|---|---|\n| c | d |\n"]


@given(
    st.one_of(
        st.text(st.sampled_from("ab1 \\`*_[]<>&#;~|!-+=:.()\"'{}/\u00e9\n"), max_size=40),
        st.lists(st.sampled_from(_MARKUP), max_size=14).map("".join),
    )
)
def test_any_visible_text_is_shown_as_it_is(text: str) -> None:
    page = parse_mdx(text, mdx=False)
    writer = MarkdownWriter(page.marks)
    for section in page.sections:
        visible = " ".join(map(without_markers, section.blocks))
        assert "".join(shown(writer.write(section))) == "".join(word for word in visible.split() if word != "|")


def without_markers(block: Block) -> str:
    text = block.content.text
    return re.sub(r"(?m)^\s*(?:[-*+]|\d+[.)])\s(?=\s*\S)", " ", text) if block.kind is BlockKind.LIST else text


def sentences_not_shown(folder: Path, files: int | None = None) -> list[str]:
    """Sentences of chunks, which are what citations quote, that the reading view would not show."""
    missing: list[str] = []
    for page in find_pages(folder).pages[:files]:
        words: list[str] = []
        for chunk in read_page(page, ChunkingRules(), lambda texts: [len(text.split()) for text in texts]).chunks:
            if chunk.section_text is not None:
                words = [*chunk.section_title.split(), *shown(chunk.section_text.markdown)]
            missing.extend(_not_in(words, chunk))
    return missing


def _not_in(words: Sequence[str], chunk: Chunk) -> list[str]:
    quotes = [chunk.quote(sentence) for sentence in chunk.sentences]
    return [quote for quote in quotes if not has_row(words, [word for word in quote.split() if word != "|"])]


def test_every_sentence_of_the_sample_book_is_shown() -> None:
    assert sentences_not_shown(SAMPLE_BOOK) == []


@pytest.mark.parametrize("book", sorted((_DATA / "books").glob("*")), ids=lambda book: book.name)
def test_every_sentence_of_other_books_is_shown(book: Path) -> None:
    assert sentences_not_shown(book, files=25) == []

"""The tree of a page: what its author set as a list is a list, in the page, in each chunk, and in any part of one."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citebook.domain.blocks import Block, Code, Formula, Paragraph, Quotation, Table
from citebook.domain.book import Chunk, PagePlace
from citebook.domain.layout import LEAVES, NodeKind
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.page_layout import section_blocks
from citebook.ingestion.page_reading import read_page
from tests.block_texts import listed, said, table, texts_of
from tests.conftest import SAMPLE_BOOK
from tests.fakes import WordEmbedder

_DATA = Path(__file__).parents[3].parent / "shared" / "data"
PLACE = PagePlace(source_file="a.md", filename="a.md", chapter_id="a", chapter_title="A", url="/docs/a")


def blocks_of(source: str, *, mdx: bool = False) -> tuple[Block, ...]:
    return tuple(block for section in parse_mdx(source, mdx=mdx).sections for block in section_blocks(section))


def chunks_of(source: str, tokens: int = 40) -> list[Chunk]:
    rules = ChunkingRules(target_tokens=tokens, overlap=0.2, max_tokens=128)
    return chunk_page(parse_mdx(source, mdx=False), PLACE, source, rules, WordEmbedder().count_tokens)[0]


# --- what a page says


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("A **bold** and an *odd* word.", said("A ", ("bold", "strong"), " and an ", ("odd", "emphasis"), " word.")),
        ("Run `ls -l` and `` a`b ``.", said("Run ", ("ls -l", "code"), " and ", ("a`b", "code"), ".")),
        ("Take $a_1 * b$ of it.", said("Take ", ("a_1 * b", "formula"), " of it.")),
        ("Two: $a$$b$ or $$c$$.", said("Two: ", ("a", "formula"), ("b", "formula"), " or ", ("c", "formula"), ".")),
        ("**Use `x` now**", said(("Use ", "strong"), ("x", "strong code"), (" now", "strong"))),
        ("***both***", said(("both", "strong emphasis"))),
        ("<b>a</b> <em>b</em> <code>c</code>", said(("a", "strong"), " ", ("b", "emphasis"), " ", ("c", "code"))),
        ("[A link](https://evil.example/x) and ![a cup](cup.png).", said("A link and ", ("a cup", "emphasis"), ".")),
        ("Tom &amp; Jerry, a \\* b, snake_case", said("Tom & Jerry, a * b, snake_case")),
        ("Unclosed <b>bold\n", said("Unclosed ", ("bold", "strong"))),
    ],
)  # fmt: skip
def test_text_is_set_as_its_author_set_it(source: str, expected: Paragraph) -> None:
    assert blocks_of(source) == (expected,)


def test_a_tag_that_is_not_closed_ends_with_its_paragraph() -> None:
    assert blocks_of("<b>bold\n\nplain") == (said(("bold", "strong")), said("plain"))


def test_code_keeps_its_language_and_its_first_indent() -> None:
    assert blocks_of("```python title='a.py' {1}\n\n  x = 1\n```") == (
        said("a.py"),
        Code(language="python", text="  x = 1"),
    )


def test_formulas_stand_alone() -> None:
    assert blocks_of("$$\na = b_1\n$$") == (Formula(text="a = b_1"),)


def test_tables_are_tables() -> None:
    source = "| a | b |\n|---|---|\n| `x \\| y` | 2 |\n| 3 |\n"
    (found,) = blocks_of(source)
    assert isinstance(found, Table)
    assert [[" ".join(run.text for run in cell) for cell in row] for row in (found.header, *found.rows)] == [
        ["a", "b"],
        ["x | y", "2"],
        ["3", ""],
    ]
    assert found.rows[0][0][0].marks == ("code",)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>1</td><td>2</td></tr>", (table([], ["1", "2"]),)),
        ("<tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr>", (table(["A", "B"], ["1", "2"]),)),
        ("<tr><th>A</th><td>1</td></tr>", (table([], ["A", "1"]),)),
        (
            "<caption>C</caption><tr><th colspan=2>T</th><tr><th>A</th><th>B</th><tr><td>1</td><td>2</td></tr>",
            (said("C"), said("T"), table(["A", "B"], ["1", "2"])),
        ),
        ("<tr><th>A</th></tr><tr><th>B</th></tr>", (table(["A"], ["B"]),)),
        ("<tr><td><ul><li>1</li><li>2</li></ul></td></tr>", (table([], ["1 2"]),)),
    ],
)
def test_a_table_of_tags_has_the_header_that_its_author_gave_it(rows: str, expected: tuple[Block, ...]) -> None:
    assert blocks_of(f"<table>{rows}</table>") == expected


def test_lists_keep_their_numbers_and_their_depth() -> None:
    source = "3. One\n   - a\n   - b\n3. Two\n\n   More of two.\n"
    nested: list[Block] = [said("One"), listed("a", "b")]
    assert blocks_of(source) == (listed(nested, [said("Two"), said("More of two.")], start=3),)


def test_lists_of_tags_are_lists() -> None:
    source = "<ul>\n<li>One</li>\n<li>Two<ol><li>deep</li></ol></li>\n</ul>"
    assert blocks_of(source) == (listed("One", [said("Two"), listed("deep", start=1)]),)


def test_text_of_a_list_before_its_first_item_is_an_item() -> None:
    assert blocks_of("<ul>Stray<li>One</li></ul>") == (listed("Stray", "One"),)


def test_what_stands_in_an_item_stays_in_it() -> None:
    source = "- One\n\n  ```sh\n  make\n  ```\n\n  > Said she.\n\n  | a |\n  |---|\n  | 1 |\n\n- Two\n"
    item: list[Block] = [
        said("One"),
        Code(language="sh", text="make"),
        Quotation(blocks=(said("Said she."),)),
        table(["a"], ["1"]),
    ]
    assert blocks_of(source) == (listed(item, "Two"),)


def test_admonitions_and_quotations_are_quoted() -> None:
    source = ":::tip[Take care]\n\nIt is hot.\n\n- a\n\n:::\n\nAfter.\n\n> Said she."
    assert blocks_of(source) == (
        Quotation(blocks=(said(("Take care", "strong")), said("It is hot."), listed("a"))),
        said("After."),
        Quotation(blocks=(said("Said she."),)),
    )


def test_html_quotations_are_quoted() -> None:
    assert blocks_of("<blockquote>Said she.</blockquote>\n\nAfter.") == (
        Quotation(blocks=(said("Said she."),)),
        said("After."),
    )


def test_what_is_nested_without_end_is_told_flat() -> None:
    blocks = blocks_of("<ul><li>" * 5_000 + "deep" + "</li></ul>" * 5_000 + "\n\nAfter.")
    assert "".join(texts_of(blocks)) == "deepAfter."
    assert blocks[-1] == said("After.")


def test_a_page_number_stays_out_of_it() -> None:
    numbers = [
        node.number for chunk in chunks_of("a\n\n- b\n- c\n\n| d |\n|---|\n| e |") for node in chunk.layout.nodes
    ]
    assert len(set(numbers)) == len(numbers)


# --- what a chunk says of it


LONG_LIST = "Steps:\n\n" + "\n".join(f"{n}. Step number {n} has some words in it." for n in range(1, 21))


def test_a_list_that_is_cut_is_known_by_its_number() -> None:
    chunks = chunks_of(LONG_LIST)
    lists = [node for chunk in chunks for node in chunk.layout.nodes if node.kind is NodeKind.LIST]
    assert len(chunks) == len(lists) > 2
    assert len({node.number for node in lists}) == 1
    assert [node.opens for node in lists] == [True] + [False] * (len(lists) - 1)
    assert [node.closes for node in lists] == [False] * (len(lists) - 1) + [True]


def test_a_part_of_a_list_goes_on_with_its_numbers() -> None:
    second = chunks_of(LONG_LIST)[1]
    first_item = re.match(r"Step number (\d+)", second.text)
    (part,) = second.blocks_between(0, len(second.text))
    assert first_item is not None
    assert part.start == int(first_item[1])  # type: ignore[union-attr]


def test_a_paragraph_that_is_cut_knows_it() -> None:
    chunks = chunks_of("A **b** c d. " * 40)
    paragraphs = [node for chunk in chunks for node in chunk.layout.nodes]
    assert [(node.opens, node.closes) for node in paragraphs][:2] == [(True, False), (False, False)]
    assert (paragraphs[-1].opens, paragraphs[-1].closes) == (False, True)
    assert all(mark.marks == ("strong",) for chunk in chunks for mark in chunk.layout.marks)


def test_a_row_keeps_its_columns_where_the_chunk_begins_in_it() -> None:
    words = " ".join(f"word{n}" for n in range(60))
    chunks = chunks_of(f"| a | b | c |\n|---|---|---|\n| {words} |  | last |\n| x | y | z |")
    rows = [
        block.rows
        for chunk in chunks
        for block in chunk.blocks_between(0, len(chunk.text))
        if isinstance(block, Table)
    ]
    assert all(len(row) == 3 for part in rows for row in part)


# --- what must hold for any page


_PIECES = (
    "word ", "Two. ", "\n\n", "\n", "- ", "  - ", "1. ", "> ", "**", "*", "`", "$x$", "$$\ny\n$$\n",
    "```\ncode\n```\n", "| a | b |\n|---|---|\n| c | |\n", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "<th>",
    "</table>", "<pre>", "</pre>", "<b>", "</b>", "<blockquote>", "</blockquote>", ":::note[T]\n", ":::\n", "# H\n",
    "&amp;", "![i](j)",
)  # fmt: skip
_pages = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
_any_page = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_BETWEEN_LEAVES = re.compile(r"\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)*(?:\s*\|\s*)*")


@_any_page
@given(_pages)
def test_every_character_is_of_one_leaf_or_stands_between_two(source: str) -> None:
    for chunk in chunks_of(source, tokens=16):
        leaves = [node for node in chunk.layout.nodes if node.kind in LEAVES]
        edges = [0, *(edge for leaf in leaves for edge in (leaf.start, leaf.end)), len(chunk.text)]
        gaps = [chunk.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
        assert all(map(_BETWEEN_LEAVES.fullmatch, gaps)), gaps


def test_a_part_that_is_nothing_but_a_space_within_markup_shows_nothing() -> None:
    (chunk,) = chunks_of("A **b c**.", tokens=16)
    assert list(texts_of(chunk.blocks_between(3, 4))) == []


@_any_page
@given(_pages, st.data())
def test_the_tree_of_any_part_is_that_part(source: str, data: st.DataObject) -> None:
    """Its characters stand in the chunk in their order, and all of the part are there, but for markers and bars.

    The header of a table that began in an earlier chunk stands before them.
    """
    for chunk in chunks_of(source, tokens=16):
        start = data.draw(st.integers(0, len(chunk.text)))
        end = data.draw(st.integers(start, len(chunk.text)))
        shown = "".join(texts_of(chunk.blocks_between(start, end)))
        above = "".join(cell for header in chunk.layout.headers for cell in header.cells)
        characters = iter(above + chunk.text)
        assert all(character in characters for character in shown)
        leaves = [node for node in chunk.layout.nodes if node.kind in LEAVES]
        part = "".join(chunk.text[max(start, leaf.start) : max(start, min(end, leaf.end))] for leaf in leaves)
        header = len(_plain(shown)) - len(_plain(part))
        assert header >= 0
        assert "".join(sorted(_plain(part))) == "".join(sorted(_plain(shown))) or header


def _plain(text: str) -> str:
    return re.sub(r"[\s$|]", "", text)


@_any_page
@given(_pages)
def test_a_section_says_all_that_its_blocks_say(source: str) -> None:
    for section in parse_mdx(source, mdx=False).sections:
        leaves = [(block.content.text, leaf) for block in section.blocks for leaf in block.leaves]
        there = "".join(text[leaf.start : leaf.end] for text, leaf in leaves)
        assert _plain("".join(texts_of(section_blocks(section)))) == _plain(there)


# --- real books


def sentences_not_shown(folder: Path, files: int | None = None) -> list[str]:
    """Sentences of chunks, which are what citations quote, that the reading view would not show."""
    missing: list[str] = []
    for page in find_pages(folder).pages[:files]:
        shown = ""
        for chunk in read_page(page, ChunkingRules(), lambda texts: [len(text.split()) for text in texts]).chunks:
            if chunk.section_texts:
                sections = (one.title + "".join(texts_of(one.blocks)) for one in chunk.section_texts)
                shown = _plain("".join(sections))
            missing.extend(_not_in(shown, chunk))
    return missing


def _not_in(shown: str, chunk: Chunk) -> list[str]:
    pairs = [(chunk.quote(one), chunk.blocks_between(one.start, one.end)) for one in chunk.sentences]
    return [quote for quote, blocks in pairs if not blocks or not all(_is_in(shown, block) for block in blocks)]


def _is_in(shown: str, block: Block) -> bool:
    """A row is shown with the header of its table, wherever that stands."""
    parts = [block]
    if isinstance(block, Quotation):
        return all(_is_in(shown, inner) for inner in block.blocks)
    if isinstance(block, Table):
        parts = [block.model_copy(update={"rows": ()}), block.model_copy(update={"header": ()})]
    return all(_plain("".join(texts_of([part]))) in shown for part in parts)


def test_every_sentence_of_the_sample_book_is_shown() -> None:
    assert sentences_not_shown(SAMPLE_BOOK) == []


@pytest.mark.parametrize("book", sorted((_DATA / "books").glob("*")), ids=lambda book: book.name)
def test_every_sentence_of_other_books_is_shown(book: Path) -> None:
    assert sentences_not_shown(book, files=25) == []

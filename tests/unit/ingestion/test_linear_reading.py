"""Four times the page takes about four times the time, whatever it is made of."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import process_time

import pytest

from citebook.domain.book import PagePlace
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdx import MalformedPage, parse_mdx

PLACE = PagePlace(
    source_file="a.md",
    filename="a.md",
    chapter_id="a",
    chapter_title="A",
    category=None,
    url="/docs/a",
    module=None,
    difficulty=None,
    tags=(),
)
LENGTH = 8_000
MOST = 10.0
"""Where time grows with the square of the length it is 16 times as much; what is less is noise."""
_TRIES = 5
"""One below it is enough: other programs make a try slower, none makes it faster."""


def count_tokens(texts: Sequence[str]) -> list[int]:
    return [len(text) // 4 + 1 for text in texts]


def repeated(unit: str) -> Callable[[int], str]:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def runs_of_backticks(length: int) -> str:
    """No two of the same length."""
    return "".join("`" * count + " a " for count in range(1, int((2 * length) ** 0.5)))


def wide_header(length: int) -> str:
    columns = 300
    return "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|b\n" * (length // 3)


def one_long_row(length: int) -> str:
    return f"<table><tr>{'<td>a</td>' * (length // 10)}</tr></table>\n"


def seconds(source: str, *, mdx: bool) -> float:
    started = process_time()
    with suppress(MalformedPage):
        chunk_page(parse_mdx(source, mdx=mdx), PLACE, source, ChunkingRules(), count_tokens)
    return process_time() - started


def growth(page: Callable[[int], str], *, mdx: bool) -> float:
    seconds("Warm.", mdx=mdx)
    ratios = (seconds(page(4 * LENGTH), mdx=mdx) / max(seconds(page(LENGTH), mdx=mdx), 0.02) for _ in range(_TRIES))
    return next((ratio for ratio in ratios if ratio < MOST), MOST)


PAGES = {
    "images that are not closed": repeated("![a"),
    "images without an address": repeated("![]("),
    "images of nothing": repeated("![[]]("),
    "links that are not closed": repeated("[a]("),
    "brackets": repeated("["),
    "runs of backticks": runs_of_backticks,
    "tags that are not closed": repeated("<a "),
    "comments that are not closed": repeated("<!--"),
    "bold that is not closed": repeated("<b>a "),
    "short sentences": repeated("中。"),
    "short sentences in captions": repeated("![a. b](c) "),
    "opening quotation marks": repeated("“"),
    "rows": lambda length: "|a|b|\n|-|-|\n" + "|c|d|\n" * (length // 6),
    "rows that are too short": wide_header,
    "one long row": one_long_row,
    "a long paragraph of links": repeated("A. [b](c. "),
    "items": repeated("- a\n"),
    "quotations": repeated("> a\n"),
    "headings": repeated("# a\n\nb\n\n"),
    "formulas": repeated("$a "),
    "expressions": repeated("{"),
    "directives that are not closed": repeated("```{a}\n"),
    "directives whose options are not closed": repeated("```{note}\n---\n"),
    "directives that longer fences would close": repeated("````{ab}\n```\n"),
    "directives of colons": repeated(":::{note}\n"),
    "roles that are not closed": repeated("{ref}`"),
    "labels": repeated("(a)=\n"),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_time_to_read_a_page_grows_with_its_length(name: str) -> None:
    assert growth(PAGES[name], mdx=False) < MOST


@pytest.mark.parametrize("name", ["brackets", "tags that are not closed", "expressions", "rows"])
def test_so_does_that_for_a_page_with_components(name: str) -> None:
    assert growth(PAGES[name], mdx=True) < MOST

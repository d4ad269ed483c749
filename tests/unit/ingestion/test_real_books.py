"""The parser on whole books, against an independent reading of the same files."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from citebook.domain.layout import NodeKind
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.mapped_text import MappedText
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.page import ParsedPage
from citebook.language.text import INVISIBLE
from tests.conftest import SHARED_DATA

_BOOKS = (
    "books/docusaurus-docs",
    "books/robotics-farheenzehra99",
    "books/robotics-mohsin-raza",
    "openstax-biology",
    "physical-ai-curriculum",
    "anthropic-docs",
)
_STRIDE = 8
"""Each book is read in part, to keep the tests fast: every eighth file of those books that have many."""

pytestmark = pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="CITEBOOK_TEST_DATA names no folder with books")


def _files(book: str) -> list[Path]:
    files = sorted(path for path in (SHARED_DATA / book).rglob("*") if path.suffix in (".md", ".mdx"))
    return files[:: _STRIDE if len(files) > 150 else 1]


def _read(path: Path) -> str:
    return path.read_bytes().decode()


@cache
def _parse(path: Path) -> ParsedPage:
    return parse_mdx(_read(path), mdx=path.suffix == ".mdx")


def _texts(page: ParsedPage) -> Iterator[MappedText]:
    for section in page.sections:
        if section.heading:
            yield section.heading
        yield from (block.content for block in section.blocks)


@pytest.mark.parametrize("book", _BOOKS)
def test_every_page_is_parsed_and_every_run_stands_in_its_place(book: str) -> None:
    for path in _files(book):
        source, page = _read(path), _parse(path)
        for text in _texts(page):
            for run in text.runs:
                if len(run.text) == run.end - run.start:
                    there = source[run.start : run.end]
                    assert there == run.text or re.sub(r"\s", " ", there) == run.text, path


_MACHINERY = re.compile(r"^(?:import .* from ['\"]|export (?:const|default|function) )|^---$|</?[A-Z]\w*[ />]", re.M)


@pytest.mark.parametrize("book", _BOOKS)
def test_no_machinery_is_shown(book: str) -> None:
    for path in _files(book):
        source = _read(path)
        for section in _parse(path).sections:
            for block in section.blocks:
                if block.kind is NodeKind.CODE:
                    continue
                for match in _MACHINERY.finditer(block.content.text):
                    start, _ = block.content.source_range(match.start(), match.end())
                    # What an author shows as code or writes with escapes is text.
                    assert _is_written_as_text(source, start), (path, match.group())


def _is_written_as_text(source: str, start: int) -> bool:
    line = source[source.rfind("\n", 0, start) + 1 : start]
    return line.count("`") % 2 == 1 or line.endswith("\\") or source.startswith("&lt;", start)


# --- an independent reading of plain Markdown: markdown-it's own HTML, read by Python's HTML parser

_HIDDEN = ("script", "style", "iframe", "annotation", "template", "head")
_INLINE = (
    "a",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "sub",
    "sup",
    "span",
    "u",
    "s",
    "mi",
    "mo",
    "mn",
    "mtext",
    "msub",
    "mrow",
)
_DIRECTIVE = re.compile(r"\s*:::+\s*(\w*)(?:\[(.*)\]|\s+(.*))?\s*$")


class _HtmlWords(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in _HIDDEN
        self.pieces.append("" if tag in _INLINE else "\n")
        self.pieces.append(dict(attrs).get("alt") or "")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in _HIDDEN and self.hidden > 0
        self.pieces.append("" if tag in _INLINE else "\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.pieces.append(data)


def _without_extensions(source: str) -> str:
    """The page in bare CommonMark: no front matter, admonition fences, heading ids."""
    source = source.replace("\r\n", "\n")
    if source.startswith("---\n"):
        source = source[source.index("\n---", 3) + 4 :]
    lines: list[str] = []
    fence = ""
    for line in source.split("\n"):
        mark = re.match(r"\s*(`{3,}|~{3,})(.*)$", line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not mark[2].strip() else fence
        elif mark:
            fence = mark[1]
        elif directive := _DIRECTIVE.match(line):
            lines += ["", directive[2] or directive[3] or "", ""]
            continue
        else:
            line = re.sub(r"^(#+ .*?)\s*\{#[^}]*\}\s*$", r"\1", line)
        lines.append(line)
    return "\n".join(lines)


def _oracle_words(source: str) -> list[str]:
    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser = _HtmlWords()
    parser.feed(markdown.render(_without_extensions(source)))
    parser.close()
    return _words("".join(parser.pieces))


def _words(text: str) -> list[str]:
    """Scripts, which the HTML has as tags, set level with the text around them."""
    level = re.sub(r"[_^]\(([^()]*)\)", r"\1", unicodedata.normalize("NFKD", text))
    return re.findall(r"\w+", INVISIBLE.sub("", level))


def _shown_words(page: ParsedPage) -> list[str]:
    words: list[str] = []
    for section in page.sections:
        words += _words(section.heading.text if section.heading else "")
        for block in section.blocks:
            text = block.content.text
            if block.kind is NodeKind.LIST:
                text = re.sub(r"(?m)^\s*\d+[.)] ", "", text)  # HTML has no markers
            words += _words(text)
    return words


def _needs_another_oracle(source: str) -> bool:
    """What CommonMark takes for text or code: maths, imports, titles of code, Markdown in HTML, indented rows."""
    return (
        re.search(r"\$|title=| markdown\b[^<>]*>|\\&|^import .* from|\n[ \t]*\n {4,}<t[rd]", source, re.M) is not None
    )


@pytest.mark.parametrize("book", _BOOKS)
def test_the_words_of_plain_markdown_are_those_of_its_html(book: str) -> None:
    for path in _files(book):
        source = _read(path)
        if path.suffix == ".md" and not _needs_another_oracle(source):
            assert _shown_words(_parse(path)) == _oracle_words(source), path


def test_a_book_of_docusaurus_is_found_with_its_urls_and_partials() -> None:
    book = find_pages(SHARED_DATA / "books/docusaurus-docs/docs")
    pages = {page.source_file: page for page in book.pages}
    assert book.unreadable == ()
    assert pages["introduction.mdx"].url == "/docs/"
    assert pages["api/plugins/plugin-content-docs.mdx"].url == "/docs/api/plugins/@docusaurus/plugin-content-docs"
    partial = pages["guides/markdown-features/_markdown-partial-example.mdx"]
    assert partial.url == "/docs/markdown-features/react"
    assert len({page.chapter_id for page in book.pages}) == len(book.pages)

"""Reads one page of a book from disk: parsed, placed in the book, and cut into chunks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from citebook.domain.book import Chapter, Chunk, PagePlace
from citebook.domain.errors import PageUnreadable
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdbook_includes import Includes
from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.page import ParsedPage
from citebook.ingestion.pieces import TokenCounter
from citebook.ingestion.plain_text import parse_plain_text
from citebook.ingestion.source_page import SourcePage


@dataclass(frozen=True, slots=True)
class ReadPage:
    chunks: list[Chunk]
    chapter: Chapter | None
    """None for a partial, which is a part of the page that shows it."""
    warnings: list[str]


def read_page(page: SourcePage, rules: ChunkingRules, count_tokens: TokenCounter) -> ReadPage:
    """Raises `PageUnreadable` that says what is wrong and where."""
    source, parsed = _parsed(page)
    place = _place(page, parsed)
    chunks, warnings = chunk_page(parsed, place, source, rules, count_tokens)
    chapter = None if page.partial_of else _chapter(page, place, parsed)
    return ReadPage(chunks, chapter, [*warnings, *parsed.warnings])


def _parsed(page: SourcePage) -> tuple[str, ParsedPage]:
    """The text that offsets are counted in, and what it shows."""
    try:
        if page.is_pdf:
            from citebook.ingestion.pdf import parse_pdf

            return parse_pdf(page.read_bytes())
        source = page.read_text()
        if page.is_plain_text:
            return source, parse_plain_text(source)
        includes = Includes(page.path, page.include_root) if page.include_root else None
        return source, parse_mdx(source, mdx=page.is_mdx, includes=includes, titles=dict(page.referred_titles))
    except MalformedPage as error:
        raise PageUnreadable(page.source_file, str(error)) from error


def _place(page: SourcePage, parsed: ParsedPage) -> PagePlace:
    return PagePlace(
        source_file=page.source_file,
        filename=page.filename,
        chapter_id=page.chapter_id,
        chapter_title=page.title or parsed.title or page.name,
        category=page.category,
        url=page.url,
        module=page.module,
        difficulty=page.difficulty,
        tags=page.tags,
    )


def _chapter(page: SourcePage, place: PagePlace, parsed: ParsedPage) -> Chapter:
    titles = (section.title for section in parsed.sections if section.title and section.title != place.chapter_title)
    top = next((section.title for section in parsed.sections if section.level == 1 and section.title), None)
    return Chapter(
        id=place.chapter_id,
        title=place.chapter_title,
        sections=tuple(titles),
        url=place.url,
        module=place.module,
        category=place.category,
        parts=page.parts,
        number=page.number,
        description=page.description,
        difficulty=page.difficulty,
        tags=page.tags,
        heading=top if top != place.chapter_title else None,
    )


def source_reader(root: Path) -> Callable[[str], str]:
    """Gives, for a source file of the book, the text that its offsets count in."""
    pages = {page.source_file: page for page in find_pages(root).pages}

    @cache
    def read(source_file: str) -> str:
        return _parsed(pages[source_file])[0]

    return read

"""Reads a page of Markdown or MDX as its reader sees it."""

from collections.abc import Mapping

from citebook.ingestion.front_matter import read_front_matter
from citebook.ingestion.mdbook_includes import Includes
from citebook.ingestion.page import ParsedPage
from citebook.ingestion.page_walker import PageWalker
from citebook.ingestion.script_scanner import TooDeep
from citebook.ingestion.source_text import MalformedPage, SourceText

__all__ = ["MalformedPage", "parse_mdx"]


def parse_mdx(
    source: str, *, mdx: bool, includes: Includes | None = None, titles: Mapping[str, str] | None = None
) -> ParsedPage:
    """The visible text of a page, tied to its place in `source`.

    `mdx` says how strict the syntax is: MDX refuses unclosed tags and expressions, Markdown takes them as text.
    A page of an mdBook has `includes`; `titles` are those of headings that it refers to by their labels.
    """
    front_matter, body_start = read_front_matter(source)
    title = front_matter.get("title")
    page = SourceText(source, body_start)
    if front_matter.get("format") == "md":
        mdx = False
    shown = str(title).strip() or None if title is not None else None
    walker = PageWalker(page, shown, mdx=mdx, includes=includes, titles=titles)
    try:
        walker.walk()
    except (TooDeep, RecursionError):
        raise MalformedPage(None, "the page is nested too deeply") from None
    sections = walker.builder.finished()
    return ParsedPage(walker.builder.title, front_matter, sections, walker.warnings, walker.imports)

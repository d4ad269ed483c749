"""Pages that are shown as parts of others: partials of a Docusaurus site, files that an mdBook includes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from citebook.ingestion.mdbook_includes import DIRECTIVE, included_page
from citebook.ingestion.page_draft import Draft
from citebook.ingestion.page_facts import name_of, text_of
from citebook.ingestion.source_page import SourcePage

_IMPORT = re.compile(r"""^import\s+[\w$]+\s+from\s+['"]([^'"\n]+\.mdx?)['"]""", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


def with_partials(
    pages: Sequence[SourcePage], drafts: Sequence[Draft], partials: Sequence[Draft], root: Path
) -> list[SourcePage]:
    """The pages, each followed by the partials that it is the first to show; others are left out."""
    waiting = {draft.file.path: draft for draft in partials}
    placed: list[SourcePage] = []
    for page, draft in zip(pages, drafts, strict=True):
        placed.append(page)
        shown = [draft]
        while shown and waiting:
            current = shown.pop(0)
            for path in _shown_in(current.text, current.file.path, root):
                partial = waiting.pop(path, None)
                if partial:
                    shown.append(partial)
                    placed.append(_partial_page(partial, page))
    return placed


def _partial_page(partial: Draft, page: SourcePage) -> SourcePage:
    """An included file has no title of its own: it is a part of the page in the middle of its text."""
    return replace(
        page,
        path=partial.file.path,
        source_file=partial.file.source_file,
        sha256=partial.file.sha256,
        chapter_id=partial.file.source_file.rsplit(".", 1)[0],
        title=text_of(partial.front_matter.get("title")) or (page.title if page.include_root else None),
        name=name_of(partial.file.route_path),
        partial_of=page.source_file,
        warnings=(),
    )


def _shown_in(text: str, page: Path, root: Path) -> Iterator[Path]:
    """Files that the page imports or includes, as paths inside the book; what is shown in code does not count."""
    found = [(match.start(), match[1]) for match in _IMPORT.finditer(text)]
    found += [(match.start(), name) for match in DIRECTIVE.finditer(text) if (name := included_page(match))]
    if not found:
        return
    code = list(_code_ranges(text))
    for at, name in sorted(found):
        if any(start < at < end for start, end in code):
            continue
        path = _resolved(name, page, root)
        if path.is_relative_to(root):
            yield path


def _resolved(target: str, page: Path, root: Path) -> Path:
    if target.startswith("@site/"):
        return (root / target.removeprefix("@site/")).resolve()
    return (page.parent / target).resolve()


def _code_ranges(text: str) -> Iterator[tuple[int, int]]:
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match[1].startswith(opening[1]) and not match[2].strip():
            if "mdx-code-block" not in opening[2]:
                yield opening.start(), match.end()
            opening = None
    if opening:
        yield opening.start(), len(text)

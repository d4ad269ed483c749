"""The pages of a book in reading order, with all that is known of them before they are parsed.

Only front matter is read here, so that a book in which nothing changed is checked in no time.
"""

import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from citebook.domain.book import Part
from citebook.domain.errors import BookIsEmpty, PageUnreadable
from citebook.ingestion import doc_routes
from citebook.ingestion.book_files import UPLOAD_SUFFIXES, BookFile, BookFiles, find_files
from citebook.ingestion.mdbook import CONTENTS, Contents, find_contents, include_root, page_route
from citebook.ingestion.mdbook_includes import Includes
from citebook.ingestion.myst_labels import referred_titles
from citebook.ingestion.page_draft import Draft, read_drafts
from citebook.ingestion.page_facts import difficulty_of, module_of, name_of, tags_of, text_of
from citebook.ingestion.page_warnings import about_pages
from citebook.ingestion.partials import with_partials
from citebook.ingestion.sidebar_order import (
    Categories,
    folder_key,
    place_in_sidebar,
    read_categories,
    sidebar_key,
)
from citebook.ingestion.sidebars import UNLISTED, Listed, Sidebar, find_sidebar
from citebook.ingestion.site_settings import find_site
from citebook.ingestion.source_page import BookSource, SourcePage
from citebook.ingestion.written_contents import find_written_contents

UPLOADS = "uploads"
DEFAULT_BASE_URL = "/docs"
"""Where Docusaurus shows the pages unless it is told otherwise."""
FIRST_UPLOAD = 1_000_000
"""Uploaded chapters stand behind the book's own pages, of which there are never so many."""
FACTS_SUFFIX = ".facts.json"
_FEWEST_PARTS = 2


def find_pages(root: Path, *, base_url: str | None = None) -> BookSource:
    """The pages under a root, in the order of the sidebar; what cannot be read is listed, not raised.

    Where no base URL is given, they are where the settings of the site say that they are.
    """
    book = find_files(root)
    site = find_site(book.root)
    base_url = base_url or site.base_path or DEFAULT_BASE_URL
    drafts = list(read_drafts(book))
    texts = {draft.file.route_path.as_posix(): draft.text for draft in drafts if draft.file.suffix == ".md"}
    contents = find_contents(texts, book.root)
    pages = _mdbook_pages(contents, drafts, book.root, base_url) if contents else _site_pages(drafts, book, base_url)
    titles = referred_titles({draft.file.source_file: draft.text for draft in drafts if draft.file.suffix == ".md"})
    pages = [replace(page, referred_titles=titles.get(page.source_file, ())) for page in pages]
    if not pages and not book.unreadable:
        raise BookIsEmpty(f"{root} holds no pages: a page is a .md, .mdx or .pdf file that is not a draft")
    ordered = tuple(replace(page, order=order) for order, page in enumerate(_in_modules(pages)))
    left_out = tuple(_left_out(drafts, ordered)) if contents else ()
    return BookSource(book.root, ordered, tuple(book.unreadable), left_out, site.title)


def _in_modules(pages: list[SourcePage]) -> list[SourcePage]:
    """A book that numbers no modules is divided by its outermost parts, in their order."""
    parts = list(dict.fromkeys(page.parts[0] for page in pages if page.parts))
    if any(page.module is not None for page in pages) or len(parts) < _FEWEST_PARTS:
        return pages
    numbers = {part: number for number, part in enumerate(parts, start=1)}
    return [replace(page, module=numbers[page.parts[0]]) if page.parts else page for page in pages]


def _site_pages(drafts: list[Draft], book: BookFiles, base_url: str) -> list[SourcePage]:
    """The pages of a Docusaurus site, or of any other folder."""
    categories = read_categories(book)
    published = sorted(
        (draft for draft in drafts if not draft.is_partial and draft.is_published),
        key=lambda draft: sidebar_key(draft, categories),
    )
    sidebar = find_sidebar(book.root) or find_written_contents(book.root)
    listed = _listed(published, sidebar)
    published.sort(key=lambda draft: (draft.file.version or "", listed[draft.file.path].place))
    bases = _version_urls(book.root, base_url, published)
    pages = [_page(draft, bases[draft.file.version], categories) for draft in published]
    pages = [_in_sidebar(page, listed[page.path].category, sidebar) for page in pages]
    pages = _with_unique_chapters(pages, published)
    partials = [draft for draft in drafts if draft.is_partial and draft.file.suffix != ".pdf"]
    return with_partials(pages, published, partials, book.root)


def _in_sidebar(page: SourcePage, category: str | None, sidebar: Sidebar) -> SourcePage:
    """The page with the category that the site's sidebars write out for it."""
    if category is None:
        return page
    if sidebar.has_all_parts:
        return replace(page, category=category, parts=(Part(name=category),))
    around = page.parts[-1] if page.parts else Part(name=category)
    return replace(page, category=category, parts=(*page.parts[:-1], around.model_copy(update={"name": category})))


def _listed(drafts: list[Draft], sidebar: Sidebar) -> dict[Path, Listed]:
    """Where the sidebar shows the site's pages; nowhere, unless it shows most of them."""
    listed = {draft.file.path: sidebar.find(_doc_id(draft), draft.file.route_path) for draft in drafts}
    unlisted = sum(place is UNLISTED for place in listed.values())
    return listed if 2 * unlisted < len(drafts) else dict.fromkeys(listed, UNLISTED)


def _doc_id(draft: Draft) -> str:
    """What Docusaurus calls a document in its sidebars."""
    path = doc_routes.strip_number_prefixes(draft.file.route_path.with_suffix(""))
    return (path.parent / (text_of(draft.front_matter.get("id")) or path.name)).as_posix()


def _mdbook_pages(contents: Contents, drafts: list[Draft], root: Path, base_url: str) -> list[SourcePage]:
    """The pages that the contents of an mdBook list, in their order."""
    by_path = {draft.file.route_path.as_posix(): draft for draft in drafts}
    listed = [by_path[path] for path in contents if path in by_path]
    pages = [_mdbook_page(draft, contents, include_root(root), base_url) for draft in listed]
    others = [draft for path, draft in by_path.items() if path not in contents and path != CONTENTS]
    return with_partials(_with_unique_chapters(pages, listed), listed, others, root)


def _mdbook_page(draft: Draft, contents: Contents, includes: Path, base_url: str) -> SourcePage:
    path = draft.file.route_path
    entry = contents[path.as_posix()]
    page = _page(draft, base_url, {})
    return replace(
        page,
        url=doc_routes.file_url(base_url, PurePosixPath(page_route(path))),
        title=page.title or entry.title,
        category=entry.part,
        parts=tuple(Part(name=name) for name in entry.above),
        include_root=includes,
        included_sha256=Includes(draft.file.path, includes).digest(draft.text),
    )


def _left_out(drafts: list[Draft], pages: Iterable[SourcePage]) -> Iterator[str]:
    """A word about pages that an mdBook holds and neither lists nor includes."""
    shown = {page.source_file for page in pages}
    names = [draft.file.source_file for draft in drafts if draft.file.source_file not in shown]
    names = [name for name in names if PurePosixPath(name).name != CONTENTS]
    if names:
        yield about_pages("the contents in SUMMARY.md do not list it, so it is left out", names)


def find_uploads(folder: Path, *, base_url: str, files: Container[str], chapters: Container[str]) -> BookSource:
    """Chapters that clients sent in, each called by its file's name, beside a book with these files and chapters."""
    book = find_files(folder, UPLOAD_SUFFIXES)
    pages = [_uploaded_page(draft, base_url, chapters) for draft in read_drafts(book) if draft.is_published]
    unreadable = [PageUnreadable(_upload_name(error.path), error.reason) for error in book.unreadable]
    unreadable += [
        PageUnreadable(page.source_file, "the book has a page of this name: choose another chapter_id")
        for page in pages
        if page.source_file in files
    ]
    own = sorted((page for page in pages if page.source_file not in files), key=lambda page: page.source_file)
    ordered = tuple(replace(page, order=order) for order, page in enumerate(own, start=FIRST_UPLOAD))
    return BookSource(book.root, ordered, tuple(unreadable))


def _uploaded_page(draft: Draft, base_url: str, chapters: Container[str]) -> SourcePage:
    """Two chapters of one id and text would be one chunk: so an id that is the book's gets the folder's name too."""
    draft.front_matter |= _facts_beside(draft)
    source_file = _upload_name(draft.file.source_file)
    chapter_id = draft.file.source_file.rsplit(".", 1)[0]
    if chapter_id in chapters:
        chapter_id = source_file.rsplit(".", 1)[0]
    return replace(_page(draft, base_url, {}), source_file=source_file, chapter_id=chapter_id)


def _upload_name(path: str) -> str:
    return PurePosixPath(UPLOADS, path).as_posix()


def _facts_beside(draft: Draft) -> dict[str, Any]:
    """What the client said of the chapter; it counts more than the chapter's own front matter."""
    path = draft.file.path
    try:
        facts = json.loads(path.with_name(path.stem + FACTS_SUFFIX).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        draft.warnings.append("the file of facts beside it cannot be read and is ignored")
        return {}
    return facts


# --- what is known of a page


def _version_urls(root: Path, base_url: str, drafts: list[Draft]) -> dict[str | None, str]:
    """As in Docusaurus, the first in `versions.json` lives at the base, and the docs in work at `next`."""
    base_url = base_url.rstrip("/")
    urls: dict[str | None, str] = {None: base_url}
    urls |= {version: f"{base_url}/{version}" for draft in drafts if (version := draft.file.version)}
    latest = _latest_version(root)
    if latest and latest in urls:
        urls |= {latest: base_url, None: f"{base_url}/next"}
    return urls


def _latest_version(root: Path) -> str | None:
    try:
        listed = json.loads((root / "versions.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else None


def _page(draft: Draft, base_url: str, categories: Categories) -> SourcePage:
    file, front, warnings = draft.file, draft.front_matter, draft.warnings
    chapter = doc_routes.chapter_id(file.route_path)
    return SourcePage(
        path=file.path,
        source_file=file.source_file,
        sha256=file.sha256,
        chapter_id=f"{file.version}/{chapter}" if file.version else chapter,
        url=_url(draft, base_url),
        title=text_of(front.get("title")),
        name=name_of(file.route_path),
        category=_category(file, categories),
        module=module_of(front.get("module"), file.route_path, warnings),
        difficulty=difficulty_of(front.get("difficulty"), warnings),
        tags=tags_of(front.get("tags"), warnings),
        warnings=tuple(warnings),
        parts=tuple(_parts(file, categories)),
        number=place_in_sidebar(front.get("sidebar_position"), file.route_path.stem),
        description=text_of(front.get("description")),
    )


def _url(draft: Draft, base_url: str) -> str:
    path, front = draft.file.route_path, draft.front_matter
    if draft.file.suffix == ".pdf":
        return doc_routes.file_url(base_url, path)
    doc_id = text_of(front.get("id"))
    if doc_id and "/" in doc_id:
        draft.warnings.append(f"id {doc_id!r} has a slash in it and is ignored")
        doc_id = None
    return doc_routes.doc_url(base_url, path, slug=text_of(front.get("slug")), doc_id=doc_id)


def _category(file: BookFile, categories: Categories) -> str | None:
    folder = file.route_path.parent
    if not folder.parts:
        return None
    label = text_of(categories.get(folder_key(file.version, folder), {}).get("label"))
    return label or doc_routes.split_number_prefix(folder.name)[1]


def _parts(file: BookFile, categories: Categories) -> Iterator[Part]:
    """The folders that a page stands in, as the sidebar calls them."""
    for folder in reversed(file.route_path.parents[:-1]):
        category = categories.get(folder_key(file.version, folder), {})
        yield Part(
            name=text_of(category.get("label")) or doc_routes.split_number_prefix(folder.name)[1],
            folder=folder.name,
            number=place_in_sidebar(category.get("position"), folder.name),
        )


def _with_unique_chapters(pages: list[SourcePage], drafts: list[Draft]) -> list[SourcePage]:
    """Two pages that would share a chapter id are both called by their raw paths."""
    count = Counter(page.chapter_id for page in pages)
    raw_ids = Counter(draft.file.source_file.rsplit(".", 1)[0] for draft in drafts)
    unique: list[SourcePage] = []
    for page in pages:
        if count[page.chapter_id] > 1:
            raw = page.source_file.rsplit(".", 1)[0]
            page = replace(page, chapter_id=raw if raw_ids[raw] == 1 and not count[raw] else page.source_file)
        unique.append(page)
    return unique

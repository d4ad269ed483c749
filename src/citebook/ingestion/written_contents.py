"""The order of pages that sites of other tools write out in YAML.

MkDocs does in `nav`, Hugging Face in `_toctree.yml`, Jupyter Book in `_toc.yml` or `myst.yml`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from citebook.ingestion import doc_routes
from citebook.ingestion.front_matter import read_yaml
from citebook.ingestion.sidebars import Listed, Sidebar
from citebook.ingestion.source_text import MalformedPage

_NAV = re.compile(r"^nav:[ \t]*(?:#.*)?\n((?:[ \t].*\n?|-.*\n?|#.*\n?|\n)*)", re.MULTILINE)
"""Other settings of MkDocs have tags that name Python objects; they are not read."""
_PAGES = (".md", ".mdx")

_Entries = Iterator[tuple[str, str | None]]
"""Ids of documents, each with the label of the part that it stands in."""


def find_written_contents(root: Path) -> Sidebar:
    """Of the site that stands at a root, or whose pages do; empty where none is, or where it cannot be read."""
    for folder in (root, root.parent):
        for name, read in _READERS.items():
            try:
                return read((folder / name).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError, MalformedPage):
                continue
    return Sidebar()


def read_nav(settings: str) -> Sidebar:
    """`nav` of a mkdocs.yml."""
    written = _NAV.search(settings)
    return _sidebar(_of_nav(read_yaml(f"nav:\n{written[1]}").get("nav"), None)) if written else Sidebar()


def read_toctree(text: str) -> Sidebar:
    return _sidebar(_of_toctree(read_yaml(f"contents:\n{text}").get("contents"), None))


def read_jupyter_book(text: str) -> Sidebar:
    """A `_toc.yml`, or the `toc` of a `myst.yml`."""
    read = read_yaml(text)
    project = read.get("project")
    return _sidebar(_of_jupyter_book(project.get("toc") if isinstance(project, dict) else read, None))


def _sidebar(entries: _Entries) -> Sidebar:
    """A page that is listed twice counts where it is first."""
    sidebar = Sidebar(has_all_parts=True)
    for place, (path, label) in enumerate(entries):
        document = doc_routes.strip_number_prefixes(PurePosixPath(path)).as_posix()
        sidebar.documents.setdefault(document, Listed(place, label))
    return sidebar


def _of_nav(entry: Any, label: str | None) -> _Entries:
    match entry:
        case str() if entry.endswith(_PAGES):
            yield entry.rsplit(".", 1)[0], label
        case list():
            for one in entry:
                yield from _of_nav(one, label)
        case dict():
            for title, inner in entry.items():
                yield from _of_nav(inner, str(title) if isinstance(inner, list) else label)


def _of_toctree(entry: Any, label: str | None) -> _Entries:
    match entry:
        case list():
            for one in entry:
                yield from _of_toctree(one, label)
        case {"sections": list() as sections}:
            yield from _of_toctree(sections, str(entry.get("title", label)))
        case {"local": str() as local}:
            yield local, label


def _of_jupyter_book(entry: Any, label: str | None) -> _Entries:
    """Files, which may have pages below them, and parts, which have a name and no page."""
    match entry:
        case list():
            for one in entry:
                yield from _of_jupyter_book(one, label)
        case dict():
            page = entry.get("file", entry.get("root"))
            if isinstance(page, str):
                yield page.removesuffix(".md"), label
            part = entry.get("caption", entry.get("title")) if "file" not in entry else None
            for name in ("parts", "chapters", "sections", "children"):
                yield from _of_jupyter_book(entry.get(name), str(part) if part else label)


_READERS: dict[str, Callable[[str], Sidebar]] = {
    "mkdocs.yml": read_nav,
    "mkdocs.yaml": read_nav,
    "_toctree.yml": read_toctree,
    "_toc.yml": read_jupyter_book,
    "myst.yml": read_jupyter_book,
}

"""What an mdBook says of its pages: the folder, order, parts and titles in `book.toml` and `SUMMARY.md`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

CONTENTS = "SUMMARY.md"
_SETTINGS = "book.toml"
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_ENTRY = re.compile(r"(\s*)(?:[-*+]\s+)?\[((?:[^\[\]\\]|\\.|`[^`]*`)*)\]\(<?([^()<>]*)>?\)\s*$")
_EMPHASIS = re.compile(r"`([^`]*)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\b_([^_]+)_\b|\\(\W)")


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A page that the contents list."""

    title: str
    part: str | None
    """The heading above it in the contents, or else the chapter that it belongs to."""
    above: tuple[str, ...] = ()
    """That heading, and the chapters that it belongs to, the outermost first."""


Contents = dict[str, ContentsEntry]
"""By path from the folder of pages, in reading order."""


def pages_folder(root: Path) -> Path | None:
    """The folder of pages of the mdBook that stands at a root; None where none does."""
    try:
        settings = tomllib.loads((root / _SETTINGS).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return None
    book = settings.get("book")
    source = book.get("src", "src") if isinstance(book, dict) else "src"
    folder = (root / source).resolve() if isinstance(source, str) else root
    return folder if folder.is_dir() and folder.is_relative_to(root.resolve()) else None


def include_root(root: Path) -> Path:
    """The folder that listings are taken from: the book's, also where only its folder of pages is given."""
    root = root.resolve()
    return root.parent if pages_folder(root.parent) == root else root


def read_contents(text: str) -> Contents:
    """The pages in `SUMMARY.md`; each counts once."""
    contents: Contents = {}
    part: str | None = None
    around: list[tuple[int, str]] = []
    """The entries that a line may belong to, each with its indent."""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            part = _plain(heading[1]) if contents else None  # the first is the title of the contents
        elif entry := _ENTRY.match(line):
            indent, title = len(entry[1]), _plain(entry[2])
            around = [one for one in around if one[0] < indent]
            above = (*([part] if part else []), *(name for _, name in around))
            for path in _page_paths(entry[3]):
                contents.setdefault(path, ContentsEntry(title, above[0] if above else None, above))
            around.append((indent, title))
    return contents


def find_contents(texts: Mapping[str, str], root: Path) -> Contents | None:
    """What `SUMMARY.md` lists, if that is the contents of an mdBook and not just a page of that name.

    The texts are those of the Markdown pages, by path.
    """
    if CONTENTS not in texts:
        return None
    contents = read_contents(texts[CONTENTS])
    listed = sum(path in texts for path in contents)
    is_mdbook = pages_folder(root) is not None or pages_folder(root.parent) == root
    return contents if listed and (is_mdbook or 2 * listed >= len(texts) - 1) else None


def page_route(path: PurePosixPath) -> str:
    """Where mdBook puts a page."""
    name = "index" if path.stem.lower() == "readme" else path.stem
    return path.with_name(f"{name}.html").as_posix()


def _page_paths(target: str) -> Iterator[str]:
    path = normpath(unquote(target.strip().partition("#")[0])) if target.strip() else ""
    if path.lower().endswith(".md") and not path.startswith(("/", "..")):
        yield path


def _plain(markdown: str) -> str:
    return _EMPHASIS.sub(lambda match: next(group for group in match.groups() if group is not None), markdown).strip()

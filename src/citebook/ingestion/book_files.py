"""Finds the files of a book on disk and reads them with care."""

import hashlib
import os
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from citebook.domain.errors import BookNotFound, PageUnreadable
from citebook.ingestion.mdbook import pages_folder
from citebook.ingestion.site_settings import docs_folder

MAX_BYTES = 20_000_000
PAGE_SUFFIXES = frozenset({".md", ".mdx", ".pdf"})
UPLOAD_SUFFIXES = PAGE_SUFFIXES | {".txt"}
"""A text that a client sends is a chapter; one that lies in a folder of pages is seldom a part of the book."""
_NOT_OF_THE_BOOK = frozenset({"node_modules", "translations", "translated_images"})
"""Translations of a book are books of their own."""
CATEGORY_NAMES = ("_category_.json", "_category_.yml", "_category_.yaml")


@dataclass(frozen=True, slots=True)
class BookFile:
    """One file of a book."""

    path: Path
    source_file: str
    """Posix path from the root of the book."""
    route_path: PurePosixPath
    """Path from the docs folder, which URLs and ids are made of."""
    version: str | None
    sha256: str
    data: bytes = field(repr=False)
    """The bytes of a text file; those of a PDF are not kept."""

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()


@dataclass(slots=True)
class BookFiles:
    """What lies under a root: the readable files, and why the others are not."""

    root: Path
    files: list[BookFile] = field(default_factory=list)
    unreadable: list[PageUnreadable] = field(default_factory=list)


def find_files(root: Path, suffixes: Container[str] = PAGE_SUFFIXES) -> BookFiles:
    """All pages and category files under a root, a single file being a book of one page."""
    try:
        resolved = root.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise BookNotFound(f"{root} does not exist: give the folder that holds the book's pages") from error
    if resolved.is_file():
        book = BookFiles(resolved.parent)
        if resolved.suffix.lower() not in suffixes:
            raise BookNotFound(f"{root} is no page: a page is a .md, .mdx or .pdf file")
        _read_into(book, resolved, PurePosixPath(resolved.name), None)
        return book
    book = BookFiles(resolved)
    for folder, version in _content_folders(resolved):
        for path in _walk(book, folder, suffixes):
            _read_into(book, path, PurePosixPath(path.relative_to(folder).as_posix()), version)
    return book


def _content_folders(root: Path) -> list[tuple[Path, str | None]]:
    """The root itself, the pages of an mdBook, or the docs of a Docusaurus site and of its versions."""
    if (pages := pages_folder(root)) is not None:
        return [(pages, None)]
    docs = docs_folder(root)
    if docs is None:
        return [(root, None)]
    versions = root / "versioned_docs"
    folders: list[tuple[Path, str | None]] = [(docs, None)]
    if versions.is_dir() and not versions.is_symlink():
        folders += [
            (folder, folder.name.removeprefix("version-"))
            for folder in sorted(versions.glob("version-*"))
            if folder.is_dir() and not folder.is_symlink()
        ]
    return folders


def _walk(book: BookFiles, folder: Path, suffixes: Container[str]) -> Iterator[Path]:
    """Files below a folder, hidden ones and what is not of the book left out. Linked folders are never entered."""
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        try:
            with os.scandir(current) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            _refuse(book, Path(current), f"the folder cannot be read ({error.strerror})")
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _NOT_OF_THE_BOOK:
                continue
            if entry.is_symlink() and not _stays_inside(book, Path(entry.path)):
                continue
            if entry.is_dir(follow_symlinks=False):
                if _is_translation(Path(entry.path), folder):
                    continue
                waiting.append(entry.path)
            elif Path(entry.name).suffix.lower() in suffixes or entry.name in CATEGORY_NAMES:
                yield Path(entry.path)


def _is_translation(path: Path, folder: Path) -> bool:
    """Docusaurus keeps its translations in `i18n/LOCALE/docusaurus-plugin-…`: each of them is a book of its own."""
    parts = path.relative_to(folder).parts
    return len(parts) >= 3 and parts[-3] == "i18n" and parts[-1].startswith("docusaurus-")


def _stays_inside(book: BookFiles, link: Path) -> bool:
    """Whether a link points to a file inside the book; if not, it is put on the list."""
    target = link.resolve()
    if target.is_relative_to(book.root) and target.exists():
        return target.is_file()
    _refuse(book, link, "the link points out of the book: copy what it points to into the book, or delete it")
    return False


def _read_into(book: BookFiles, path: Path, route_path: PurePosixPath, version: str | None) -> None:
    if not _is_unicode(path.name):
        _refuse(book, path, "its name is not UTF-8: rename it")
        return
    try:
        data = _read(path)
    except OSError as error:
        _refuse(book, path, f"it cannot be read ({error.strerror or error}): check its permissions")
        return
    except ValueError as error:
        _refuse(book, path, str(error))
        return
    source_file = path.relative_to(book.root).as_posix()
    sha256 = hashlib.sha256(data).hexdigest()
    kept = b"" if path.suffix.lower() == ".pdf" else data
    book.files.append(BookFile(path, source_file, route_path, version, sha256, kept))


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not hold us up
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        if status.st_size > MAX_BYTES:
            megabytes = MAX_BYTES // 1_000_000
            raise ValueError(f"it is larger than {megabytes} MB: split it into smaller files")
        return file.read(MAX_BYTES + 1)


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _refuse(book: BookFiles, path: Path, reason: str) -> None:
    name = path.relative_to(book.root).as_posix() if path.is_relative_to(book.root) else str(path)
    name = name.encode(errors="replace").decode()
    book.unreadable.append(PageUnreadable(name, reason))

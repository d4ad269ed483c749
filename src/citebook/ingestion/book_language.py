"""The language that a book says it is in: by its site's settings, or by the folder of a translation."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from citebook.domain.book import DEFAULT_LANGUAGE
from citebook.ingestion.site_settings import DOCUSAURUS_NAMES

_LEVELS = 3
"""The settings stand beside the folder of pages, or a level or two above it."""
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", re.DOTALL)
_DEFAULT_LOCALE = re.compile(r"""\bdefaultLocale["']?\s*:\s*["'`]([A-Za-z]{2,3})(?:[-_][\w-]+)?["'`]""")
_CODE = re.compile(r"([A-Za-z]{2,3})(?:[-_][\w-]+)?")


def find_language(root: Path) -> str:
    """Of the pages under a root; English where nothing is said that can be read."""
    return next(_said(root.resolve()), DEFAULT_LANGUAGE)


def _said(root: Path) -> Iterator[str]:
    """In the order in which it counts."""
    folders = [root, *root.parents][:_LEVELS]
    yield from _of_translation(root)
    for folder in folders:
        yield from _of_docusaurus(folder)
        yield from _of_mdbook(folder)


def _of_translation(root: Path) -> Iterator[str]:
    """Docusaurus keeps translations in `i18n/LOCALE/docusaurus-plugin-content-docs/…`."""
    parts = root.parts
    if "i18n" in parts[:-1]:
        yield from _code(parts[parts.index("i18n") + 1])


def _of_docusaurus(folder: Path) -> Iterator[str]:
    """Settings are a program, which is not run: only a locale that is written out is found."""
    for name in DOCUSAURUS_NAMES:
        if found := _DEFAULT_LOCALE.search(_COMMENT.sub("", _text(folder / name))):
            yield found.group(1).lower()


def _of_mdbook(folder: Path) -> Iterator[str]:
    try:
        book = tomllib.loads(_text(folder / "book.toml")).get("book", {})
    except tomllib.TOMLDecodeError:
        return
    if isinstance(book, dict) and isinstance(language := book.get("language"), str):
        yield from _code(language)


def _code(text: str) -> Iterator[str]:
    if found := _CODE.fullmatch(text):
        yield found.group(1).lower()


def _text(path: Path) -> str:
    """Empty where there is no such file that can be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""

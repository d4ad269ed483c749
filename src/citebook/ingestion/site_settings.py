"""What the settings of a site say of its book: the title, the folder of pages, and where they are shown."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citebook.ingestion.front_matter import read_yaml
from citebook.ingestion.script_literals import Group, read_literals
from citebook.ingestion.source_text import MalformedPage

DOCUSAURUS_NAMES = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts", "cts"))
_OF_A_SITE = frozenset({"url", "baseUrl", "presets", "themeConfig"})
"""Other objects have titles too; one that also has any of these is the site's."""
_DOCS_PLUGIN = re.compile(r"(?:@docusaurus/plugin-)?content-docs")
_SITE_NAME = re.compile(r"^site_name:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_PATH = re.compile(r"/[^\s?#]*")


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """None where nothing is said that can be read."""

    title: str | None = None
    docs_folder: str = "docs"
    """For Docusaurus: where the pages are, from the site's folder."""
    base_path: str | None = None
    """Where the pages are on the site. The host is left out: links have to work on previews of the site, too."""


def find_site(root: Path) -> SiteSettings:
    """Of the site that stands at a root, or whose folder of pages does."""
    root = root.resolve()
    found = _settings_at(root)
    if found is None and (above := _settings_at(root.parent)) is not None:
        found = above if root == (root.parent / above.docs_folder).resolve() else SiteSettings(above.title)
    return found or SiteSettings()


def docs_folder(root: Path) -> Path | None:
    """The folder of pages of the Docusaurus site that stands at a root; None where none does."""
    if not any((root / name).is_file() for name in DOCUSAURUS_NAMES):
        return None
    folder = (root / find_site(root).docs_folder).resolve()
    return folder if folder.is_dir() and folder != root and folder.is_relative_to(root) else None


def _settings_at(folder: Path) -> SiteSettings | None:
    for name in DOCUSAURUS_NAMES:
        if script := _text(folder / name):
            return read_docusaurus(script)
    jupyter_book = (_text(folder / name) for name in ("_config.yml", "myst.yml"))
    return (
        read_mdbook(_text(folder / "book.toml"))
        or read_mkdocs(_text(folder / "mkdocs.yml"))
        or next(filter(None, map(read_jupyter_book, jupyter_book)), None)
    )


def read_docusaurus(script: str) -> SiteSettings:
    """Only what is written out is found: the settings are a program, which is not run."""
    literals = read_literals(script)
    site = next((group for group in literals.groups() if group.keys & _OF_A_SITE and "title" in group.keys), None)
    if site is None:
        return SiteSettings()
    options = next(_docs_options(site), Group())
    route = options.text("routeBasePath")
    return SiteSettings(
        title=(site.text("title") or "").strip() or None,
        docs_folder=options.text("path") or "docs",
        base_path=_joined(site.text("baseUrl") or "/", "docs" if route is None else route),
    )


def _docs_options(site: Group) -> Iterator[Group]:
    """Of the one set of pages that has no name: a preset's, or that of the plugin itself."""
    for preset in (site.group("presets") or Group()).groups():
        if options := preset.group("docs"):
            yield options
    for plugin in (site.group("plugins") or Group()).groups():
        if any(isinstance(value, str) and _DOCS_PLUGIN.fullmatch(value) for _, value in plugin.entries):
            yield from (options for options in plugin.groups() if options.text("id") in (None, "default"))


def read_mkdocs(settings: str) -> SiteSettings | None:
    """None where that is no `mkdocs.yml`. Its other settings may name Python objects, and are not read."""
    named = _SITE_NAME.search(settings)
    return SiteSettings(title=named[1].strip("\"'")) if named else None


def read_jupyter_book(settings: str) -> SiteSettings | None:
    """None where that is no `_config.yml` or `myst.yml` with a title."""
    try:
        read = read_yaml(settings)
    except MalformedPage:
        return None
    title = _table(read, "project").get("title", read.get("title"))
    return SiteSettings(title=title.strip()) if isinstance(title, str) and title.strip() else None


def read_mdbook(settings: str) -> SiteSettings | None:
    """None where that is no `book.toml`."""
    try:
        read = tomllib.loads(settings)
    except tomllib.TOMLDecodeError:
        return None
    book = _table(read, "book")
    if not book:
        return None
    title, site_url = book.get("title"), _table(_table(read, "output"), "html").get("site-url")
    return SiteSettings(
        title=title.strip() or None if isinstance(title, str) else None,
        docs_folder=source if isinstance(source := book.get("src", "src"), str) else "src",
        base_path=_joined(site_url, "") if isinstance(site_url, str) else None,
    )


def _table(settings: dict[str, Any], name: str) -> dict[str, Any]:
    table = settings.get(name)
    return table if isinstance(table, dict) else {}


def _joined(base: str, route: str) -> str | None:
    """Such as /course/docs; None where that is no path."""
    path = "/" + "/".join(part for part in f"{base}/{route}".split("/") if part)
    return path if base.startswith("/") and _PATH.fullmatch(path) else None


def _text(path: Path) -> str:
    """Empty where there is no such file that can be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""

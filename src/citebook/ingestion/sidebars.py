"""The order of pages that a Docusaurus site writes out in `sidebars.js`. The file is a program, and is not run."""

import re
from dataclasses import dataclass
from pathlib import Path

_NAMES = tuple(f"sidebars.{ending}" for ending in ("js", "ts", "mjs", "cjs", "json"))
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|[{}]|(?P<field>["']?\b[\w$-]+["']?)\s*:|(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""",
    re.DOTALL,
)
_NO_DOCUMENT = frozenset({"type", "label", "href", "description", "className", "dirName", "title", "slug"})


@dataclass(slots=True)
class _Object:
    """An object of the sidebars that is open; a category is one with items."""

    label: str | None = None
    is_category: bool = False


Sidebar = dict[str, str | None]
"""Ids of documents in reading order, each with the label of the category that it stands in."""


def find_sidebar(root: Path) -> Sidebar:
    """Of the site that stands at a root, or whose docs do; empty where there is none."""
    for folder in (root, root.parent):
        for name in _NAMES:
            try:
                return read_sidebar((folder / name).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                continue
    return {}


def read_sidebar(text: str) -> Sidebar:
    """Texts that may be ids of documents: items of lists, and the `id` of an object."""
    found: Sidebar = {}
    open_objects: list[_Object] = []
    field = ""
    for token in _TOKEN.finditer(text):
        if token["field"]:
            field = token["field"].strip("\"'")
            if field == "items" and open_objects:
                open_objects[-1].is_category = True
        elif token["text"]:
            value = token["text"][1:-1]
            if field == "label" and open_objects:
                open_objects[-1].label = value
            elif field not in _NO_DOCUMENT:
                found.setdefault(value, _category(open_objects))
        elif token.group() == "{":
            open_objects.append(_Object())
        elif token.group() == "}" and open_objects:
            open_objects.pop()
            field = ""
    return found


def _category(open_objects: list[_Object]) -> str | None:
    return next((one.label for one in reversed(open_objects) if one.is_category and one.label), None)

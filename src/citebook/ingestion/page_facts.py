"""What front matter and path tell about a page."""

import re
from pathlib import PurePosixPath
from typing import Any

from citebook.ingestion import doc_routes

DIFFICULTIES = ("beginner", "intermediate", "advanced")

_MODULE_FOLDER = re.compile(r"(?:\d+[-_. ]+)?(?:module|part|unit)[-_ .]*(\d{1,6})(?!\d)", re.IGNORECASE)


def text_of(value: Any) -> str | None:
    """A front matter value as text, if it is one."""
    return (str(value).strip() or None) if isinstance(value, str | int | float) else None


def name_of(path: PurePosixPath) -> str:
    """What to call a page that says no title: its file name in words."""
    is_index = path.stem.lower() in ("index", "readme") and path.parent.parts
    _, plain = doc_routes.split_number_prefix(path.parent.name if is_index else path.stem)
    words = re.sub(r"[-_]+", " ", plain).strip() or path.stem
    return words[:1].upper() + words[1:]


def module_of(value: Any, path: PurePosixPath, warnings: list[str]) -> int | None:
    """The number in the front matter, else that of a folder called like `module-2` or `part-3-control`.

    A folder of number 0 holds what stands before or behind the modules.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 7:
        return int(value)
    if value is not None:
        warnings.append(f"module {str(value)[:50]!r} is no whole number and is ignored")
    matches = (_MODULE_FOLDER.match(folder) for folder in path.parent.parts)
    return next((int(match[1]) for match in matches if match), None) or None


def difficulty_of(value: Any, warnings: list[str]) -> str | None:
    if value is None:
        return None
    found = str(value).strip().lower()
    if found in DIFFICULTIES:
        return found
    allowed = ", ".join(DIFFICULTIES)
    warnings.append(f"difficulty {str(value)[:50]!r} is none of {allowed} and is ignored")
    return None


def tags_of(value: Any, warnings: list[str]) -> tuple[str, ...]:
    """Texts, or Docusaurus' mappings with a label; each tag once."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    tags = [text_of(tag.get("label") if isinstance(tag, dict) else tag) for tag in listed]
    if not all(tags):
        warnings.append("a tag is neither a text nor a mapping with a label, and is ignored")
    return tuple(dict.fromkeys(tag.lower() for tag in tags if tag))

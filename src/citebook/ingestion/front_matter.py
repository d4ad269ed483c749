"""Reads the YAML between the two `---` lines at the top of a page."""

import re
from typing import Any

import yaml

from citebook.ingestion.source_text import MalformedPage

MAX_CHARACTERS = 64_000
MAX_DEPTH = 20

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\r|\Z)", re.MULTILINE)
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_front_matter(source: str) -> tuple[dict[str, Any], int]:
    """The front matter and the place where the page's body starts."""
    opening = _OPENING.match(source)
    closing = _CLOSING.search(source, opening.end()) if opening else None
    if not opening or not closing:
        return {}, 1 if source.startswith("\ufeff") else 0
    text = source[opening.end() : closing.start()]
    return read_yaml(text), closing.end()


def read_yaml(text: str) -> dict[str, Any]:
    """A mapping written in YAML; anything else, and anything too large or too deep, is refused."""
    if len(text) > MAX_CHARACTERS:
        raise MalformedPage(1, f"the front matter is longer than {MAX_CHARACTERS} characters")
    return _mapping(_load(text))


def _load(text: str) -> Any:
    try:
        _refuse_bombs(text)
        return yaml.load(text, Loader=_Loader)
    except MalformedPage:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise MalformedPage(mark.line + 2 if mark else 1, f"front matter: {error.problem}") from None
    # PyYAML's constructors let ordinary errors out, for example for the date 2024-13-45.
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, AttributeError, RecursionError) as error:
        reason = str(error).split("\n")[0][:200]
        raise MalformedPage(1, f"the front matter cannot be read: {reason}") from None


def _refuse_bombs(text: str) -> None:
    """Stop at deep nesting and at repeated collections before anything is built of them."""
    depth = 0
    collections: set[str] = set()
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if event.anchor:
                collections.add(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent) and event.anchor in collections:
            raise MalformedPage(_line(event), f"the front matter repeats a list or mapping (`*{event.anchor}`)")
        if depth > MAX_DEPTH:
            raise MalformedPage(_line(event), f"the front matter is nested more than {MAX_DEPTH} deep")


def _line(event: yaml.Event) -> int:
    """The file's line of an event, the opening `---` being the first."""
    return event.start_mark.line + 2 if event.start_mark else 1


def _mapping(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedPage(1, "the front matter is not a mapping of names to values")
    return {str(name): item for name, item in value.items()}

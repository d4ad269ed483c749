"""Reads the YAML between the two `---` lines at the top of a page."""

import re
from typing import Any

import yaml

from citebook.ingestion.source_text import MalformedPage

MAX_CHARACTERS = 64_000
MAX_DEPTH = 20

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\r|\Z)", re.MULTILINE)
_PLAIN_LINE = re.compile(r"(?P<name>[A-Za-z_][\w-]*):(?:[ \t]+(?P<value>.*))?")
_PAIRS = (("{", "}"), ("[", "]"), ("(", ")"))
_SYNTAX_ERRORS = (yaml.scanner.ScannerError, yaml.parser.ParserError)
_BROKEN = "front matter: this is no YAML; look for a bracket, a quotation mark or a colon without its other half"
_NO_SUCH_VALUE = "front matter: a value is not of its kind, such as the date 2024-13-45; put it in quotation marks"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotYaml(MalformedPage):
    """What stands there breaks the rules of YAML."""


def read_front_matter(source: str) -> tuple[dict[str, Any], int]:
    """The front matter and the place where the page's body starts."""
    opening = _OPENING.match(source)
    closing = _CLOSING.search(source, opening.end()) if opening else None
    if not opening or not closing:
        return {}, 1 if source.startswith("\ufeff") else 0
    text = source[opening.end() : closing.start()]
    try:
        return read_yaml(text), closing.end()
    except NotYaml:
        plain = _plain_lines(text)
        if plain is None:
            raise
        return plain, closing.end()


def _plain_lines(text: str) -> dict[str, Any] | None:
    """The values of `name: value` lines, each by itself, if there is nothing else.

    `title: Balance: an overview` and `title: {#if ...}` are no YAML, but many sites read them as they were meant.
    """
    values: dict[str, Any] = {}
    for line in filter(None, map(str.rstrip, text.splitlines())):
        found = _PLAIN_LINE.fullmatch(line)
        if not found or not _is_closed(found["value"] or ""):
            return None
        values[found["name"]] = _value(found["value"] or "")
    return values


def _is_closed(value: str) -> bool:
    brackets = all(value.count(opening) == value.count(closing) for opening, closing in _PAIRS)
    return brackets and value.count('"') % 2 == 0


def _value(value: str) -> Any:
    """A value as YAML has it, or as it stands where that would be another mapping or none."""
    try:
        loaded = _load(value)
    except MalformedPage:
        return value
    return value if isinstance(loaded, dict) else loaded


def read_yaml(text: str) -> dict[str, Any]:
    """A mapping written in YAML; anything else, and anything too large or too deep, is refused."""
    if len(text) > MAX_CHARACTERS:
        raise MalformedPage(1, f"the front matter is longer than {MAX_CHARACTERS} characters")
    return _mapping(_load(text))


def _load(text: str) -> Any:
    try:
        _refuse_bombs(text)
        return yaml.load(text, Loader=_Loader)  # nosec B506
    except MalformedPage:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        broken = NotYaml if isinstance(error, _SYNTAX_ERRORS) else MalformedPage
        raise broken(mark.line + 2 if mark else 1, _BROKEN) from None
    # PyYAML's constructors let ordinary errors out, for example for the date 2024-13-45.
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, AttributeError, RecursionError):
        raise MalformedPage(1, _NO_SUCH_VALUE) from None


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

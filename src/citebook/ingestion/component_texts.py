"""Texts in the attributes of a book's own components: `<Quiz question="…" answers={["…", "…"]} />`."""

import re
from collections.abc import Iterator

from citebook.ingestion.html_text import HtmlText, decoded
from citebook.ingestion.script_scanner import Attribute, string_literal

_SHOWN = frozenset(
    "alt answer answers body caption choices content definition description entries explanation feedback header "
    "heading hint hints items label note notes objectives options prompt question questions quiz requirements "
    "solution statement steps subtitle summary term text tip title warning".split()
)
"""Attributes that a component is most likely to show."""
_HIDDEN_KEYS = frozenset(
    "alt class className color href icon id image img key lang language link name path slug src style to type url "
    "value variant".split()
)
"""Attributes and fields of objects whose values are machinery."""
_LITERAL = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_KEY_BEFORE = re.compile(r"([\w$]+)['\"]?\s*:\s*$")
_KEY_AFTER = re.compile(r"\s*:")
_RUNNERS = {"npx": "npm", "bunx": "bun"}
"""Programs that belong to another, under whose name their calls are given."""
_PROSE = re.compile(r"[^\W\d_]{2,}\s+[^\W\d_]+\s+[^\W\d_]+")


def is_shown(attribute: Attribute) -> bool:
    return attribute.name in _SHOWN


def is_command(content: str, attribute: Attribute) -> bool:
    """Whether an attribute that is called like a program holds a call of it: `npm="npm install citebook"`."""
    program, _, arguments = content[attribute.start : attribute.end].strip().partition(" ")
    return not attribute.is_expression and bool(arguments) and _RUNNERS.get(program, program) == attribute.name


def attribute_texts(content: str, attribute: Attribute) -> Iterator[list[HtmlText]]:
    """The plain texts that an attribute holds, each in pieces; nothing of it is run."""
    start, end = attribute.start, attribute.end
    if not attribute.is_expression:
        yield list(decoded(content, start, end))
    elif literal := string_literal(content, start, end):
        yield [HtmlText(*literal)]
    elif content[start + 1 : end].lstrip()[:1] in ("[", "{"):
        for found in _literals(content, start + 1, end - 1):
            yield [found]


def holds_prose(content: str, attribute: Attribute) -> bool:
    """Whether some text of an attribute reads like a sentence rather than like a setting."""
    if attribute.name in _HIDDEN_KEYS:
        return False
    return any(_PROSE.search(piece.text) for text in attribute_texts(content, attribute) for piece in text)


def _literals(content: str, start: int, end: int) -> Iterator[HtmlText]:
    """The strings in lists and objects, but for keys and for values that are machinery."""
    for match in _LITERAL.finditer(content, start, end):
        before = _KEY_BEFORE.search(content, max(start, match.start() - 60), match.start())
        if content[match.start()] == "/" or (before and before[1] in _HIDDEN_KEYS):
            continue
        if _KEY_AFTER.match(content, match.end(), end):
            continue
        # With a bracket on either side a string is an expression.
        literal = string_literal(content, match.start() - 1, match.end() + 1)
        if literal:
            yield HtmlText(*literal)

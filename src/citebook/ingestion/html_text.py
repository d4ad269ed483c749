"""Reads raw HTML inside Markdown: its tags, and its text with entities decoded."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from citebook.ingestion.script_scanner import Attribute, Tag

_MARKUP = re.compile(r"[<&]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG_START = re.compile(r"<(/?)([A-Za-z][^\s/>]*)")
_ATTRIBUTE = re.compile(r"[\s/]*([^\s/>=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"'][^\s>]*)))?=?")
_TAG_END = re.compile(r"[\s/]*>")
_MAX_ATTRIBUTES = 200
_COMMENTS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", "?>"))


class HtmlText(NamedTuple):
    """Text that stands for [start, end)."""

    text: str
    start: int
    end: int


def read_html(content: str) -> Iterator[Tag | HtmlText]:
    """The tags and texts of a piece of HTML, in order; comments and declarations are left out."""
    position = 0
    while position < len(content):
        match = _MARKUP.search(content, position)
        stop = match.start() if match else len(content)
        if stop > position:
            yield HtmlText(content[position:stop], position, stop)
        if not match:
            return
        found = _markup_at(content, stop)
        position = found if isinstance(found, int) else found.end
        if not isinstance(found, int):
            yield found


def decoded(content: str, start: int, end: int) -> Iterator[HtmlText]:
    """The text [start, end) with its entities decoded, in pieces."""
    for match in _ENTITY.finditer(content, start, end):
        if match.start() > start:
            yield HtmlText(content[start : match.start()], start, match.start())
        yield HtmlText(html.unescape(match.group()), match.start(), match.end())
        start = match.end()
    if start < end:
        yield HtmlText(content[start:end], start, end)


def _markup_at(content: str, start: int) -> Tag | HtmlText | int:
    """A tag, a decoded entity or a lone character; or, for a comment, the place where it ends."""
    if content[start] == "&":
        entity = _ENTITY.match(content, start)
        if entity:
            return HtmlText(html.unescape(entity.group()), start, entity.end())
        return HtmlText("&", start, start + 1)
    for opener, closer in _COMMENTS:
        if content.startswith(opener, start):
            end = content.find(closer, start + len(opener))
            return len(content) if end < 0 else end + len(closer)
    return _tag_at(content, start) or HtmlText("<", start, start + 1)


def _tag_at(content: str, start: int) -> Tag | None:
    opening = _TAG_START.match(content, start)
    if not opening:
        return None
    attributes: list[Attribute] = []
    position = opening.end()
    while not (end := _TAG_END.match(content, position)):
        attribute = _ATTRIBUTE.match(content, position)
        if not attribute or len(attributes) > _MAX_ATTRIBUTES:
            return None
        position = attribute.end()
        value = next((group for group in (2, 3, 4) if attribute[group] is not None), 1)
        attributes.append(Attribute(attribute[1].lower(), *attribute.span(value)))
    self_closing = content[end.end() - 2] == "/"
    return Tag(_tag_name(opening[2]), start, end.end(), bool(opening[1]), self_closing, tuple(attributes))


def _tag_name(name: str) -> str:
    """Small letters, but for a component such as `Quiz`, which many authors put into Markdown."""
    return name if name[0].isupper() and not name.isupper() else name.lower()

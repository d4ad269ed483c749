"""Lets only plain sentences through: nothing that links, loads, or pretends to be a citation."""

import re
from html import unescape

_LONGEST = 1_000
_LEADS_OUT = re.compile(r"://|\bwww\.|\bmailto:|\bdata:\w+/|!\[|\]\s?\(|^\[[^\[\]]*\]:|\]:\s?[/<]", re.IGNORECASE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])[^<>]*>?")
_MARKER = re.compile(r"\s*\[(?:\d+(?:\s*[,–-]\s*\d+)*|(?:source|excerpt)s?\b[^\[\]]*)\]", re.IGNORECASE)


def plain_claim(text: str, quoted: str) -> str | None:
    """The claim without markers of its own, or None where it is not plain.

    What looks like a tag or a marker stays where the quoted words have it too: `Vec<T>` is no HTML, `a[0]` no source.
    """
    if len(text) > _LONGEST or any(_is_active(form, quoted) for form in (text, unescape(text))):
        return None
    unmarked = _MARKER.sub(lambda marker: marker.group() if marker.group().strip() in quoted else "", text)
    return unmarked.strip() or None


def _is_active(text: str, quoted: str) -> bool:
    if _LEADS_OUT.search(text):
        return True
    return any("=" in tag or tag not in quoted for tag in _TAG.findall(text))

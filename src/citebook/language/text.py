"""What is done to text in any language alike. Only a copy is changed, never what readers see."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_STOP = re.compile("[.!?…。．｡！？]")
_POWER = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹⁺⁻])")

INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls, but no white space
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero-width characters and bidirectional controls
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and variation selectors
    "]+"
)
"""Characters that a reader does not see, and that may therefore hide something."""


def cut_at_word(text: str, limit: int) -> str:
    """The beginning of a text, at most `limit` characters, that ends where a word ends."""
    if len(text) <= limit:
        return text
    cut = max(text.rfind(" ", 0, limit + 1), text.rfind("\n", 0, limit + 1))
    return text[: cut if cut > 0 else limit].rstrip()


def window_end(text: str, start: int, length: int) -> int:
    """Where a stretch of at most `length` characters ends: behind a space, if there is one in its second half."""
    end = start + length
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", start + length // 2, end)
    return end if space < 0 else space + 1


def without_stops(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """A text of the same length, in which these ranges, one after the other, have no full stops or the like."""
    pieces: list[str] = []
    done = 0
    for start, end in ranges:
        pieces += text[done:start], _STOP.sub("_", text[start:end])
        done = end
    return "".join((*pieces, text[done:]))


def words(text: str) -> Iterator[str]:
    """The words of a text in small letters and without accents; `cmd_vel` gives itself and its parts."""
    for match in _WORD.finditer(_folded(text)):
        word = match.group()
        yield word
        if "_" in word:
            yield from (part for part in word.split("_") if part)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    # 10¹³ has the words of 10^13 and is not 1013, while H₂O is H2O.
    # Words that were copied from a page may have soft hyphens in them.
    decomposed = unicodedata.normalize("NFKD", _POWER.sub("^", INVISIBLE.sub("", text)))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()

"""How text is cut into sentences and terms. Only a copy is cut: what readers see is never changed."""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")

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

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below
    between both but by can could d did do does doing down during each few for from further had has have having
    he her here hers herself him himself his how i if in into is it its itself just ll m may me might more most
    must my myself no nor not now of off on once only or other our ours ourselves out over own re s same shall
    she should so some such t than that the their theirs them themselves then there these they this those
    through to too under until up upon us ve very was we were what when where which while who whom whose why
    will with would you your yours yourself yourselves""".split()
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end, without the white space around them."""
    from sentencex import get_sentence_boundaries

    spans = []
    for boundary in get_sentence_boundaries("en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        sentence = text[start:end]
        if stripped := sentence.strip():
            start += len(sentence) - len(sentence.lstrip())
            spans.append((start, start + len(stripped)))
    return spans


def terms(text: str) -> list[str]:
    """The stems of the words of a text that carry meaning, in order, repeats included."""
    return [_stem(word) for word in words(text) if word not in STOP_WORDS]


def cut_at_word(text: str, limit: int) -> str:
    """The beginning of a text, at most `limit` characters, that ends where a word ends."""
    if len(text) <= limit:
        return text
    cut = max(text.rfind(" ", 0, limit + 1), text.rfind("\n", 0, limit + 1))
    return text[: cut if cut > 0 else limit].rstrip()


@lru_cache(maxsize=20_000)
def term_set(sentence: str) -> frozenset[str]:
    """The different terms of a sentence. Kept, because good sentences are looked at again and again."""
    return frozenset(terms(sentence))


def words(text: str) -> Iterator[str]:
    """The words of a text in small letters; `cmd_vel` gives itself and its parts."""
    for match in _WORD.finditer(_folded(text)):
        word = match.group()
        yield word
        if "_" in word:
            yield from (part for part in word.split("_") if part)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    stemmer, lock = _english_stemmer()
    with lock:
        stem: str = stemmer.stemWord(word)
    return stem


@cache
def _english_stemmer() -> tuple[Any, threading.Lock]:
    """The stemmer keeps state between calls, so threads take turns."""
    from Stemmer import Stemmer

    return Stemmer("english", 0), threading.Lock()

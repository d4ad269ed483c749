"""Recognises questions about the book itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citebook.language.languages import Language

_LONGEST = 200
"""Characters; a longer question asks for more than a part of the book."""
_LONGEST_NAME = 3
"""Words before “book” or “guide”."""
_AROUND = re.compile(r"^\W+|[\s?!.:;,]+$")


@dataclass(frozen=True, slots=True)
class AboutBook:
    asks_audience: bool = False


@dataclass(frozen=True, slots=True)
class AboutPart:
    """Of chapter 3, or of weeks 8 to 10."""

    kind: str
    first: int
    last: int
    wants_summary: bool = False
    within: str = ""
    """What it is a part of, where that is not the book: “the essentials tutorial”."""


@dataclass(frozen=True, slots=True)
class AboutTopic:
    """Of the chapter on something."""

    topic: str
    wants_summary: bool = False
    or_book: bool = False
    """“the Vite guide”: the book itself is meant where no chapter is called so."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """All parts of a kind; None for whatever the book is made of."""

    kind: str | None
    tells_of_each: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    topic: str


BookQuestion = AboutBook | AboutPart | AboutTopic | ListOf | Where


def recognise(text: str, language: Language) -> BookQuestion | None:
    """What a question asks about the book itself; None where it asks for what the book says."""
    asked = _AROUND.sub("", " ".join(text.split()))
    if not asked or len(asked) > _LONGEST:
        return None
    cues = language.guiding
    wants_summary = cues.wants_summary.search(asked) is not None
    if part := _part(asked, language, wants_summary=wants_summary):
        return part
    if cues.about_book.fullmatch(asked):
        return AboutBook(asks_audience=cues.about_audience.search(asked) is not None)
    if found := _first(cues.about_topic, asked):
        topic = found["topic"]
        return _part(topic, language, wants_summary=wants_summary) or AboutTopic(topic, wants_summary)
    if found := _first(cues.listing, asked):
        kind = found.groupdict().get("kind")
        return ListOf(kind.lower() if kind else None, cues.about_each.search(asked) is not None)
    found = _first(cues.where, asked)
    if found and language.terms(found["topic"]):
        return Where(found["topic"])
    return _about_all(asked, language, wants_summary=wants_summary)


def _part(asked: str, language: Language, *, wants_summary: bool) -> AboutPart | None:
    cues = language.guiding
    found = _first(cues.about_part, asked)
    if found is None:
        return None
    first = _number(found["number"], cues.numbers)
    last = _number(found.groupdict().get("last") or found["number"], cues.numbers)
    within = found.groupdict().get("within") or ""
    return AboutPart(found["kind"].lower(), first, max(first, last), wants_summary, within)


def _about_all(asked: str, language: Language, *, wants_summary: bool) -> BookQuestion | None:
    """A question that has only words for a book and for its whole, and perhaps what the book is called."""
    cues = language.guiding
    words = list(language.words(asked))
    places = [at for at, word in enumerate(words) if word in cues.book_words]
    if not places or not any(word in cues.overview_words for word in words):
        return None
    generic = cues.book_words | cues.overview_words | language.stop_words
    rest = [at for at, word in enumerate(words) if word not in generic]
    if not rest:
        return AboutBook(asks_audience=cues.about_audience.search(asked) is not None)
    is_its_name = rest[-1] + 1 in places and rest == list(range(rest[0], rest[-1] + 1)) and len(rest) <= _LONGEST_NAME
    return AboutTopic(" ".join(words[at] for at in rest), wants_summary, or_book=True) if is_its_name else None


def _first(forms: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for form in forms if (found := form.fullmatch(text))), None)


def _number(word: str, numbers: dict[str, int]) -> int:
    return int(word) if word.isdecimal() else numbers[word.lower()]

"""Tells whether a reader asks in another language than that of the book.

Only what is certain counts: who is taken for a foreigner gets no answer, while a foreign question that is not noticed
is searched all the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from citebook.language.languages import Language, known_languages, language_of
from citebook.language.text import words

_LOOKED_AT = 500
"""Characters; the language of a long question shows in its beginning."""
_QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|«[^»]*»|https?://\S+")
_WORD = re.compile(r"\w+")
_STARTS_SENTENCE = re.compile(r"[.!?:¿¡\n]")
_ENOUGH = 2
_SHORTEST_GREEK = 3
"""Fewer Greek letters in a row are a formula."""


def is_in_another_language(text: str, book: Language) -> bool:
    asked = _QUOTED.sub(" ", unicodedata.normalize("NFKC", text[:_LOOKED_AT]))
    if _is_in_another_script(asked, book.facts.scripts):
        return True
    ours, silent = _ours(book), book.homographs
    spoken = list(_function_words(asked, ours))
    return any(_speaks(other, spoken, ours, silent) for other in _languages_with_words() if other.code != book.code)


@dataclass(frozen=True, slots=True)
class _Speech:
    code: str
    telling: frozenset[str]
    words: frozenset[str]
    """The telling words, and articles and prepositions, which alone may be parts of a name."""


@cache
def _languages_with_words() -> list[_Speech]:
    languages = [language_of(code) for code in known_languages()]
    speeches = [(own.code, own.facts.words or own.stop_words, own.facts.particles) for own in languages]
    return [_Speech(code, telling, telling | particles) for code, telling, particles in speeches if telling]


@cache
def _ours(book: Language) -> frozenset[str]:
    return book.stop_words | book.follow_ups.asking


def _speaks(other: _Speech, spoken: list[str], ours: frozenset[str], silent: frozenset[str]) -> bool:
    """Whether the other language's words are more than chance, and far more than those of the book's language."""
    theirs = [word for word in spoken if word in other.words]
    only_theirs = [word for word in theirs if word not in ours and word not in silent]
    if not other.telling.intersection(only_theirs):
        return False
    only_ours = [word for word in spoken if word in ours and word not in other.words]
    return len(only_theirs if only_ours else theirs) >= _ENOUGH and len(only_theirs) > 2 * len(only_ours)


def _function_words(text: str, ours: frozenset[str]) -> Iterator[str]:
    """Words that may be function words: no names, no identifiers, no single letters but those of the book's own."""
    is_shouted = text.isupper()
    before = 0
    for match in _WORD.finditer(text):
        word, gap = match.group(), text[before : match.start()]
        is_first = before == 0 or _STARTS_SENTENCE.search(gap) is not None
        before = match.end()
        is_name = word[0].isupper() and not is_first and not is_shouted
        if word.isalpha() and not is_name and (len(word) > 1 or not word.isascii() or word in ours):
            yield from words(word)


def _is_in_another_script(text: str, scripts: frozenset[str]) -> bool:
    own = foreign = 0
    for word in _WORD.findall(text):
        letters = [_script(character) for character in word if character.isalpha()]
        is_formula = set(letters) == {"GREEK"} and len(letters) < _SHORTEST_GREEK
        if is_formula or word.isupper():
            continue  # names such as ROS stand in questions of any language
        inside = sum(letter in scripts for letter in letters)
        own += inside
        foreign += len(letters) - inside
    return foreign > own


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    """The first word of its name in Unicode."""
    return unicodedata.name(letter, "").partition(" ")[0]

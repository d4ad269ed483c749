"""Words of a question that the book does not have, put right by those that it has.

A wrong correction is worse than none: a word is changed only where it is neither the book's nor of the language, and
one word of the book is clearly what was meant. See docs/decisions/0042-spelling.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf, log10
from typing import NamedTuple

from citebook.domain.wording import Correction, Wording
from citebook.language.languages import Language
from citebook.language.lexicon import Entry, Lexicon
from citebook.searching.slips import distance

_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+(?![^\W\d_]|['’]t\b)")
"""But no `doesn't`."""
_CODE = re.compile(r"[\d_/\\@#$=<>{}\[\]`|~^*+]|\w[.:(]\w|https?:")
"""What no word has: such a token is a name, a path or code, and is left as it was typed."""
_WORDS_LOOKED_AT = 60
"""So that a long text, pasted in place of a question, costs no more than a long question."""
_LIMITS = (0.0, 0.0, 0.0, 0.5, 0.6, 0.9, 0.9, 1.0)
"""How far a word of so many letters may be from what was meant; the shorter, the more words are near by chance."""
_LIMIT_OF_LONG_WORDS = 1.5
_LONG = 8
_LIMIT_OF_NAMES = 0.6
_SHORTEST_NAME = 6
_WEIGHT_OF_FREQUENCY = 0.15
_FREQUENT = 30
"""Chunks; what stands in more of them is not more likely to be asked about."""
_CLEARLY = 0.1
"""How much nearer the best word must be than the next."""
_BOOK_BEFORE_LANGUAGE = 0.2
"""How much nearer a word of the language must be than one of the book, so that it stands in the way."""
_OTHER_FORM = 0.15
_OTHER_BEGINNING = 0.3
"""The first letter is seldom wrong."""
_VERY_SHORT = 3
_LIMIT_OF_VERY_SHORT = 0.4
"""So that words of three letters become others of the book only where they sound alike."""
_SHORTEST_STEM = 3
_SHORTEST_PART = 4
_LIMIT_OF_COMPOUNDS = 0.9
_SHORTEST_TWIN = 5


class Spelled(NamedTuple):
    text: str
    corrections: tuple[Correction, ...] = ()
    """Of words that were mistyped; another spelling of the same word is searched for without a word about it."""


class _Meant(NamedTuple):
    word: str
    was_mistyped: bool


class _Candidate(NamedTuple):
    word: str
    cost: float
    """With what it is less for being frequent in the book."""


class Speller:
    """Knows the words of one edition."""

    def __init__(self, wording: Wording, language: Language) -> None:
        self.edition, self._words, self._language = wording.edition, Lexicon(wording.words), language
        self._function_words = Lexicon.of_counts((word, _FREQUENT) for word in language.stop_words)

    def spell(self, text: str) -> Spelled:
        """The text with its slips put right. A language of which no words are known is left alone."""
        if not len(self._words) or not len(self._language.known_words):
            return Spelled(text)
        pieces, done = [], 0
        corrections: dict[Correction, None] = {}
        for match in islice(_plain_words(text), _WORDS_LOOKED_AT):
            if meant := self._meant(match, text):
                pieces += [text[done : match.start()], meant.word]
                done = match.end()
                if meant.was_mistyped:
                    corrections[Correction(typed=match.group(), searched=meant.word)] = None
        return Spelled("".join([*pieces, text[done:]]), tuple(corrections))

    def _meant(self, match: re.Match[str], text: str) -> _Meant | None:
        """What is to stand for a word; None where it is to stay."""
        word = match.group()
        folded = "".join(self._language.words(word))
        limit = min(_limit(folded), _limit_of_names(match, text))
        if not limit or folded in self._language.stop_words or folded in self._words:
            return None
        is_known = self.is_known(folded)
        meant = self._twin_in_book(folded) if is_known else self._clearly_meant(folded, limit)
        if meant is None:
            return None
        return _Meant(meant.capitalize() if word[0].isupper() else meant, was_mistyped=not is_known)

    def is_known(self, word: str) -> bool:
        """Whether a word is none to put right."""
        language = self._language
        return (
            word in language.stop_words
            or word in language.known_words
            or self.stands_in_book(word)
            or self._has_form_in(language.known_words, word)
        )

    def stands_in_book(self, word: str) -> bool:
        """As it is or in another form, so that the search finds it."""
        return word in self._words or self._has_form_in(self._words, word)

    def _has_form_in(self, lexicon: Lexicon, word: str) -> bool:
        (stem,) = self._language.terms(word) or (word,)
        others = lexicon.beginning_with(stem[:-1] if len(stem) > _SHORTEST_STEM else stem)
        return any(self._language.terms(entry.word) == [stem] for entry in others)

    def _twin_in_book(self, word: str) -> str | None:
        """The word as the book spells it: `colour` for `color`."""
        if len(word) < _SHORTEST_TWIN:
            return None
        twins = list(self._language.spelling.twins_of(word))
        as_written = next((twin for twin in twins if twin in self._words), None)
        if as_written or self.stands_in_book(word):
            return as_written
        return next(filter(self.stands_in_book, twins), None)

    def _is_compound(self, word: str) -> bool:
        """Whether it is two known words written as one."""
        known, own = self._language.known_words, self._words
        parts = ((word[:cut], word[cut:]) for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1))
        return any(all(part in own or part in known for part in pair) for pair in parts)

    def _clearly_meant(self, word: str, limit: float) -> str | None:
        if self._is_compound(word):
            limit = min(limit, _LIMIT_OF_COMPOUNDS)
        edits = 1 if limit <= 1 else 2
        ours = [*self._words.like(word, edits), *self._function_words.like(word, edits)]
        others = [entry for entry in self._language.known_words.like(word, edits) if entry.word not in self._words]
        candidates = sorted([*self._near(word, ours, limit), *self._other_forms(word, others, limit)], key=_cost)
        if not candidates:
            return None
        best = candidates[0]
        stems = self._language.terms(best.word)
        rivals = [other.cost - _CLEARLY for other in candidates if self._language.terms(other.word) != stems]
        rivals += [other.cost + _BOOK_BEFORE_LANGUAGE for other in self._near(word, others, limit)]
        return best.word if best.cost <= min(rivals, default=inf) else None

    def _other_forms(self, word: str, entries: Sequence[Entry], limit: float) -> Iterator[_Candidate]:
        """Words that the book has in another form or spelling only."""
        for near in self._near(word, entries, limit):
            if twin := self._twin_in_book(near.word):
                yield _Candidate(twin, near.cost)
            elif self._has_form_in(self._words, near.word):
                yield _Candidate(near.word, near.cost + _OTHER_FORM)

    def _near(self, word: str, entries: Iterable[Entry], limit: float) -> Iterator[_Candidate]:
        for other, count in entries:
            if len(other) > 2 and other.isalpha() and (cost := self._distance(word, other, limit)) <= limit:
                yield _Candidate(other, cost - _WEIGHT_OF_FREQUENCY * log10(min(count, _FREQUENT)))

    def _distance(self, word: str, other: str, limit: float) -> float:
        if len(word) <= _VERY_SHORT and other not in self._language.stop_words:
            limit = _LIMIT_OF_VERY_SHORT
        cost = distance(word, other, limit)
        return cost if word[0] == other[0] else cost + _OTHER_BEGINNING


def _cost(candidate: _Candidate) -> float:
    return candidate.cost


def _plain_words(text: str) -> Iterator[re.Match[str]]:
    for token in _TOKEN.finditer(text):
        if not _CODE.search(token.group().rstrip(".,:;?!)")):
            yield from _WORD.finditer(text, *token.span())


def _limit(word: str) -> float:
    return _LIMITS[len(word)] if len(word) < _LONG else _LIMIT_OF_LONG_WORDS


def _limit_of_names(match: re.Match[str], text: str) -> float:
    """Capitals within a question stand for names, of which a book does not have all."""
    word = match.group()
    if text.isupper() or word.islower() or (word[1:].islower() and not text[: match.start()].strip()):
        return inf
    return _LIMIT_OF_NAMES if len(word) >= _SHORTEST_NAME and not word.isupper() else 0.0

"""A text as it is compared word by word: what each word is, and what it is compared by."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from citebook.language.languages import Language
from citebook.proving.placing.atoms import BREAK, POSSESSIVE, STOP, Atom, atoms_of
from citebook.proving.placing.quantities import quantity_at, unit_of

_REACH_OF_NOT = 4
"""Between “not” and the “any” that it belongs to."""


class Kind(StrEnum):
    WORD = "word"
    NUMBER = "number"
    OPERATOR = "operator"
    PREPOSITION = "preposition"
    PRONOUN = "pronoun"
    LIGHT = "light"
    BREAK = "break"
    STOP = "stop"


_MARKS = frozenset({Kind.BREAK, Kind.STOP})
_TELLING = frozenset({Kind.WORD, Kind.NUMBER, Kind.OPERATOR, Kind.PREPOSITION})


@dataclass(frozen=True, slots=True)
class Placed:
    """One word, number or mark of a text."""

    kind: Kind
    key: str
    """What it is compared by: a stem, a number with its unit, the name of an operator."""
    text: str = ""
    """In small letters."""
    form: str = ""
    """Of a word: in its one spelling."""
    unit: str = ""
    is_name: bool = False
    """Whether it has a capital that the place does not explain."""
    is_short: bool = False
    """Whether it is written in capitals alone, as a name made of first letters is."""

    @property
    def is_telling(self) -> bool:
        return self.kind in _TELLING


class Reading:
    """The words of a text, the chunks that commas and conjunctions part, and the segments that stops part."""

    def __init__(self, words: Sequence[Placed], language: Language) -> None:
        self.words, self.language = tuple(words), language

    @classmethod
    def of(cls, text: str, language: Language) -> "Reading":
        return cls(_settled(list(_Reader(text, language).read()), language.claims.ranges), language)

    @cached_property
    def telling(self) -> list[int]:
        return [index for index, word in enumerate(self.words) if word.is_telling]

    @cached_property
    def segments(self) -> list[int]:
        """For each word, the number of its segment."""
        numbers, number = [], 0
        for word in self.words:
            numbers.append(number)
            number += word.kind is Kind.STOP
        return numbers

    @cached_property
    def chunks(self) -> list[int]:
        """For each word, the number of its chunk."""
        numbers, number = [], 0
        for index, word in enumerate(self.words):
            is_mark = word.kind in (Kind.STOP, Kind.BREAK)
            number += is_mark or self._opens_at(index)
            numbers.append(number)
            number += is_mark
        return numbers

    def _opens_at(self, index: int) -> bool:
        """“only” in “only if” opens the clause."""
        word = self.words[index]
        before = self.words[index - 1] if index else None
        if before is not None and before.kind is Kind.OPERATOR and self.opens(word):
            return False
        following = self.words[index + 1] if index + 1 < len(self.words) else None
        is_before_opener = word.kind is Kind.OPERATOR and following is not None and self.opens(following)
        return self.opens(word) or is_before_opener

    def opens(self, word: Placed) -> bool:
        """Whether a clause begins with it that says when, why or in spite of what something holds."""
        kinds = self.language.paraphrase.kinds
        return word.kind is Kind.OPERATOR and (word.key in kinds.conditions or word.key in kinds.asides)

    def is_preposition(self, index: int) -> bool:
        word = self.words[index]
        return word.kind is Kind.PREPOSITION or word.text in self.language.paraphrase.loose_prepositions

    def lead(self, index: int) -> str:
        """The loose preposition before a word, with nothing but articles between; else empty."""
        lists = self.language.paraphrase
        while index and self.words[index - 1].text in lists.articles:
            index -= 1
        before = self.words[index - 1].text if index else ""
        return before if before in lists.loose_prepositions else ""


class _Reader:
    def __init__(self, text: str, language: Language) -> None:
        self._lists, self._claims, self._language = language.paraphrase, language.claims, language
        self._atoms = atoms_of(text, self._lists)
        self._last: Placed | None = None

    def read(self) -> Iterator[Placed]:
        index = 0
        while index < len(self._atoms):
            taken, words = self._at(index)
            for word in words:
                self._last = word
                yield word
            index += taken

    def _at(self, index: int) -> tuple[int, list[Placed]]:
        atom = self._atoms[index]
        if atom.text in (STOP, BREAK):
            return 1, [Placed(Kind.STOP if atom.text == STOP else Kind.BREAK, atom.text)]
        if atom.text == POSSESSIVE:
            return 1, [Placed(Kind.LIGHT, POSSESSIVE, POSSESSIVE)]
        for count in range(min(self._lists.longest_phrase, len(self._atoms) - index), 1, -1):
            if (found := self._phrase(index, count)) is not None:
                return count, found
        if (rate := self._rate(index)) is not None:
            return rate
        if (quantity := quantity_at(self._atoms, index, self._claims)) is not None:
            key = f"{quantity.value} {quantity.unit}".strip()
            return quantity.taken, [Placed(Kind.NUMBER, key, atom.lower, unit=quantity.unit)]
        return 1, self._before_number(index) or self._reason(index) or [self._word(atom)]

    def _phrase(self, index: int, count: int) -> list[Placed] | None:
        atoms = self._atoms[index : index + count]
        words = tuple(atom.lower for atom in atoms)
        if any(atom.is_joined for atom in atoms):
            return None
        if (read := self._lists.rewritten.get(words)) is not None:
            return [self._word(Atom(word, word)) for word in read.split()]
        name = self._lists.operator_phrases.get(words)
        return None if name is None else [Placed(Kind.OPERATOR, name, words[0])]

    def _rate(self, index: int) -> tuple[int, list[Placed]] | None:
        """“per second”, and “a day” or “each day” behind a word."""
        atom = self._atoms[index]
        is_rate = atom.lower in self._claims.per or (self._last is not None and self._last.kind is Kind.WORD)
        if atom.lower not in self._claims.rates or not is_rate or index + 1 == len(self._atoms):
            return None
        unit = unit_of(self._atoms[index + 1].text, self._claims)
        if unit is None or (atom.lower not in self._claims.per and unit not in self._claims.times):
            return None
        return 2, [Placed(Kind.OPERATOR, "per", "per"), Placed(Kind.NUMBER, f"unit {unit}", unit)]

    def _before_number(self, index: int) -> list[Placed] | None:
        word, lists = self._atoms[index].lower, self._lists
        if index + 1 == len(self._atoms) or self._atoms[index + 1].is_mark:
            return None
        if word not in lists.more_than | lists.less_than | lists.roughly:
            return None
        if (
            quantity_at(self._atoms, index + 1, self._claims) is None
            or self._atoms[index + 1].lower in lists.articles
        ):
            return None
        if word in lists.roughly:
            return [Placed(Kind.OPERATOR, "about", word)]
        name = "more" if word in lists.more_than else "less"
        return [Placed(Kind.OPERATOR, name, word), Placed(Kind.OPERATOR, "than", word)]

    def _reason(self, index: int) -> list[Placed]:
        """“as” behind a comma and before a pronoun."""
        word = self._atoms[index].lower
        following = self._atoms[index + 1].lower if index + 1 < len(self._atoms) else ""
        is_behind_comma = self._last is not None and self._last.kind is Kind.BREAK
        is_reason = word in self._lists.reason_before_pronoun and following in self._lists.pronouns
        return [Placed(Kind.OPERATOR, "because", word)] if is_behind_comma and is_reason else []

    def _word(self, atom: Atom) -> Placed:
        word, lists = atom.lower, self._lists
        is_name = atom.text[:1].isupper() and not atom.begins
        is_title = is_name and not atom.text.isupper()
        if (word,) in lists.operator_phrases and not atom.is_joined and not is_title:
            return self._operator(atom)
        if atom.is_joined and word not in lists.articles:
            return self._plain(atom, is_name=is_name)
        if word in lists.linking and self._last is not None and self._last.text in lists.factive:
            return Placed(Kind.BREAK, word, word)
        for kind, words in (
            (Kind.LIGHT, lists.light | lists.own_voice),
            (Kind.PRONOUN, lists.pronouns | lists.relatives),
            (Kind.BREAK, lists.joining),
            (Kind.PREPOSITION, lists.prepositions),
        ):
            if word in words and not (kind is Kind.PREPOSITION and self._is_behind_article()):
                return Placed(kind, word, word)
        return self._plain(atom, is_name=is_name)

    def _is_behind_article(self) -> bool:
        """“the inside” is a thing."""
        return self._last is not None and self._last.text in self._lists.articles

    def _operator(self, atom: Atom) -> Placed:
        word = atom.lower
        if word in self._lists.adverbs_of_reason and self._last is not None and self._last.kind not in _MARKS:
            return self._plain(atom, is_name=False)
        is_behind_comma = self._last is not None and self._last.kind is Kind.BREAK
        name = "because" if is_behind_comma and word in self._lists.reason_behind_comma else None
        return Placed(Kind.OPERATOR, name or self._lists.operator_phrases[word,], word)

    def _plain(self, atom: Atom, *, is_name: bool) -> Placed:
        form, key = form_and_key(atom.lower, self._language)
        is_short = atom.text.isalpha() and atom.text.isupper() and len(atom.text) > 1
        return Placed(Kind.WORD, key, atom.lower, form, is_name=is_name, is_short=is_short)


@lru_cache(maxsize=50_000)
def form_and_key(word: str, language: Language) -> tuple[str, str]:
    """A word in its one spelling and as the word that it is a form of, and its stem."""
    lists = language.paraphrase
    for ending, written in lists.endings:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending) + written
            break
    form = lists.base_forms.get(word, word)
    if "_" in form:
        return form, form
    return form, "".join(language.terms(form)) or form


def _settled(words: list[Placed], ranges: Set[str]) -> list[Placed]:
    """What a word means by another: the unit of “20” in “20 to 50 °C”, the “no” in “not … any”."""
    for index, word in enumerate(words):
        if word.kind is Kind.NUMBER and not word.unit and word.key[-1:].isdigit() and word.key[:1] != "#":
            words[index] = _with_unit_of_next(words, index, ranges)
        elif word.key == "any" and word.kind is Kind.OPERATOR:
            _move_not(words, index)
    return [word for word in words if word.kind is not Kind.LIGHT or word.key]


def _with_unit_of_next(words: list[Placed], index: int, ranges: Set[str]) -> Placed:
    word = words[index]
    for step in (1, 2):
        following = words[index + step] if index + step < len(words) else None
        if following is None or (step == 1 and following.text not in ranges and following.kind is not Kind.NUMBER):
            return word
        if following.kind is Kind.NUMBER and following.unit:
            return replace(word, key=f"{word.key} {following.unit}", unit=following.unit)
        if following.kind is Kind.NUMBER:
            return word
    return word


def _move_not(words: list[Placed], index: int) -> None:
    for before in range(index - 1, max(-1, index - 1 - _REACH_OF_NOT), -1):
        if words[before].kind in (Kind.BREAK, Kind.STOP):
            return
        if words[before].key == "not" and words[before].kind is Kind.OPERATOR:
            words[index], words[before] = words[before], Placed(Kind.LIGHT, "")
            return

"""Where a selected text stands in the book, and what is quoted of it and around it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.language.languages import Language
from citebook.language.word_lists import NEVER

_BORDER = 6
"""Words at the border of a sentence by which it is known, where the selection ends in the middle of it."""
_AROUND = 2
_SHORT = 3
"""Sentences of a selection that one of them sums up."""
_CONNECTED = 2
"""Terms that a sentence shares with the selection that it goes on from."""
_LONGEST_DEFINED = 3


class Wish(StrEnum):
    """What a reader wants to know of a selection."""

    EXPLANATION = "explanation"
    SUMMARY = "summary"
    ANSWER = "answer"


def wish_of(text: str, language: Language) -> Wish:
    plain, cues = " ".join(language.words(text)), language.selections
    if cues.summarising.search(plain):
        return Wish.SUMMARY
    return Wish.EXPLANATION if cues.explaining.search(plain) else Wish.ANSWER


@dataclass(frozen=True, slots=True)
class Selection:
    """The sentences of a chunk that the reader selected, the last of them perhaps not to its end."""

    chunk: Chunk
    first: int
    last: int
    ends_within: bool
    language: Language

    @classmethod
    def whole(cls, chunk: Chunk, language: Language) -> "Selection":
        return cls(chunk, 0, len(chunk.sentences) - 1, ends_within=False, language=language)

    def holds(self, claim: Claim) -> bool:
        is_here = claim.chunk_id == self.chunk.id
        return is_here and claim.first_sentence <= self.last and claim.last_sentence >= self.first

    def coverage(self, terms: Iterable[str]) -> float:
        """The share of these terms that the selection has."""
        asked = set(terms)
        return len(asked & self._terms) / len(asked) if asked else 0.0

    def summary(self, *, in_one_sentence: bool = False) -> list[Claim]:
        """The sentence, or of a long selection the two, that say most of what it says."""
        count = 1 if in_one_sentence or len(self._indexes) <= _SHORT else 2
        ranked = sorted(self._indexes, key=lambda index: -self._centrality(index))
        return self._claims(sorted(ranked[:count]))

    def explanation(self, chunks: Sequence[Chunk]) -> list[Claim]:
        """A definition of what it names and what stands around it; where nothing goes on from it, its own words."""
        around = self._around()
        told = self._claims(around)
        definition = self._definition(chunks, set(around))
        if around and self._goes_on(max(around)):
            return [*definition, *told]
        return [*definition, *self.summary(), *([] if definition else told)]

    def best(self, terms: Iterable[str]) -> Claim:
        """The sentence that has most of these terms."""
        asked = set(terms)
        best = max(self._indexes, key=lambda index: (len(asked & self._terms_of(index)), -index))
        return _claim_of(self.chunk, best, best)

    @property
    def _indexes(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def _terms(self) -> frozenset[str]:
        return frozenset(term for index in self._indexes for term in self._terms_of(index))

    def _terms_of(self, index: int) -> frozenset[str]:
        return self.language.term_set(self.chunk.quote(self.chunk.sentences[index]))

    def _centrality(self, index: int) -> float:
        """How much a sentence shares with the others and with the heading, against its length."""
        own, heading = self._terms_of(index), self.language.term_set(self.chunk.section_title)
        others = [self._terms_of(other) for other in self._indexes if other != index]
        shared = sum(len(own & other) for other in others) + len(own & heading)
        return shared / sqrt(len(own) + 3)

    def _around(self) -> list[int]:
        """The sentences behind it in its section; where there are too few, also those before it."""
        start = self.last if self.ends_within else self.last + 1
        behind = [index for index in range(start, len(self.chunk.sentences)) if self._is_prose(index)][:_AROUND]
        before = [index for index in range(self.first) if self._is_prose(index)]
        return [*before[len(before) - (_AROUND - len(behind)) :], *behind] if len(behind) < _AROUND else behind

    def _is_prose(self, index: int) -> bool:
        return not self.chunk.sentences[index].whole_block

    def _goes_on(self, index: int) -> bool:
        """Whether the text behind it, up to this sentence, takes up what it says."""
        if index < self.last or (index == self.last and not self.ends_within):
            return False
        text = self.chunk.quote(self.chunk.sentences[self.last + 1]) if not self.ends_within else ""
        if self.ends_within or self.language.passages.dependent.match(text):
            return True
        return len(self._terms_of(self.last + 1) & self._terms) >= _CONNECTED

    def _definition(self, chunks: Sequence[Chunk], told: set[int]) -> list[Claim]:
        """The first sentence, in its own section or else in another, that says what something in it is."""
        opening = self._opening_of_definitions()
        for chunk in sorted(chunks, key=lambda chunk: chunk.id != self.chunk.id):
            for index, sentence in enumerate(chunk.sentences):
                is_own = chunk.id == self.chunk.id and (self.first <= index <= self.last or index in told)
                if not is_own and not sentence.whole_block and opening.match(chunk.quote(sentence).lower()):
                    return [_claim_of(chunk, index, index)]
        return []

    def _opening_of_definitions(self) -> re.Pattern[str]:
        """Of definitions of the names of its section that it mentions."""
        said = f" {_plain(self._text, self.language)} "
        headings = (self.chunk.section_title, *self.chunk.section_path)
        runs = (run for heading in headings for run in _runs(_plain(heading, self.language).split()))
        names = {run for run in runs if f" {run} " in said and self.language.terms(run)}
        opening = self.language.questions.opening_of_definition
        if not names or not opening:
            return NEVER
        either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        return re.compile(opening.replace("{term}", f"(?:{either})"))

    @property
    def _text(self) -> str:
        sentences = self.chunk.sentences
        return self.chunk.text[sentences[self.first].start : sentences[self.last].end]

    def _claims(self, indexes: Sequence[int]) -> list[Claim]:
        """One for each run of sentences that stand in one paragraph."""
        runs: list[list[int]] = []
        for index in indexes:
            if runs and index == runs[-1][-1] + 1 and not self._begins_paragraph(index):
                runs[-1].append(index)
            else:
                runs.append([index])
        return [_claim_of(self.chunk, run[0], run[-1]) for run in runs]

    def _begins_paragraph(self, index: int) -> bool:
        sentences = self.chunk.sentences
        return "\n" in self.chunk.text[sentences[index - 1].end : sentences[index].start]


def find_selection(passage: str, chunks: Iterable[Chunk], language: Language) -> Selection | None:
    """The selection in the chunk that has most of its sentences; None where none has any."""
    selected = f" {_plain(passage, language)} "
    found = (_selected_in(chunk, selected, language) for chunk in chunks)
    places = [place for place in found if place is not None]
    return max(places, key=lambda place: place.last - place.first, default=None)


def _selected_in(chunk: Chunk, selected: str, language: Language) -> Selection | None:
    sentences = [_plain(chunk.quote(sentence), language) for sentence in chunk.sentences]
    inside = [index for index, text in enumerate(sentences) if _is_selected(text, selected)]
    if not inside:
        return None
    first, last = inside[0], inside[-1]
    is_whole = f" {sentences[last]} " in selected
    return Selection(chunk, first, last, ends_within=not is_whole, language=language)


def _is_selected(sentence: str, selected: str) -> bool:
    words = sentence.split()
    if len(words) < 2:
        return False
    borders = (" ".join(words[:_BORDER]), " ".join(words[-_BORDER:]))
    return selected.strip() in sentence or any(f" {border} " in selected for border in borders)


def _plain(text: str, language: Language) -> str:
    return " ".join(language.words(text))


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Every run of a few neighbouring words."""
    for size in range(1, _LONGEST_DEFINED + 1):
        yield from (" ".join(words[start : start + size]) for start in range(len(words) - size + 1))


def _claim_of(chunk: Chunk, first: int, last: int) -> Claim:
    text = chunk.text[chunk.sentences[first].start : chunk.sentences[last].end]
    return Claim(text=text, chunk_id=chunk.id, first_sentence=first, last_sentence=last)

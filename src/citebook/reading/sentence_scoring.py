"""How well the words of each sentence answer a question, by signals that cost next to nothing."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log

from pydantic import FiniteFloat

from citebook.domain.book import Role
from citebook.domain.evidence import RetrievedChunk
from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import Language
from citebook.reading.answer_cues import CueFinder, QuestionKind, asks_for_code, wants_code, wants_command
from citebook.reading.passages import PassageReader, ReadSentence, Shape, beginnings_of

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEW_TERMS = 4


class ScoringWeights(Value):
    signals: dict[str, FiniteFloat]
    """What each signal of `signals_of` adds to a sentence's score."""


@cache
def shipped_weights() -> Fitted[ScoringWeights]:
    return Fitted[ScoringWeights].of("citebook.reading")


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    chunk: RetrievedChunk
    index: int
    read: ReadSentence
    score: float
    coverage: float
    """Share of the question's telling terms that stand in the sentence, its neighbours or its heading."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence with those of the question's terms that stand in it and around it."""

    chunk: RetrievedChunk
    index: int
    read: ReadSentence
    own: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    heading: frozenset[str]


class Shares:
    """What share of the weight of all terms some of them have; the same few sets come again and again."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values())
        self._known: dict[frozenset[str], float] = {}

    def __call__(self, present: frozenset[str]) -> float:
        share = self._known.get(present)
        if share is None:
            share = sum(map(self._weights.__getitem__, present)) / self._total if self._total else 0.0
            self._known[present] = share
        return share


class Asked:
    """A question, taken apart once for all sentences."""

    def __init__(self, question: str, term_weights: Mapping[str, float], language: Language) -> None:
        asked = language.terms(question)
        spoken = list(language.words(question))
        self.text, self.language = question, language
        self.terms = frozenset(asked)
        self.weights = {term: term_weights.get(term, 1.0) for term in self.terms}
        self.share = Shares(self.weights)
        self.beginnings = beginnings_of(self.terms)
        self.pairs = [" ".join(pair) for pair in pairwise(spoken)]
        self.cues = CueFinder.of(question, frozenset(spoken), language)
        self.wants_code = wants_code(question, language) or asks_for_code(question, language)
        self.asks_for_code = asks_for_code(question, language)
        self.wants_command = wants_command(question, language)
        self.numbers = frozenset(_NUMBER.findall(question))
        self.distinctness = len(self.terms) / len(asked) if asked else 0.0
        """1 where no term is said twice."""


def score_sentences(
    asked: Asked, chunks: Sequence[RetrievedChunk], reader: PassageReader, weights: ScoringWeights | None = None
) -> list[ScoredSentence]:
    """All different sentences of the chunks, best first; a question is no answer."""
    weights = weights or shipped_weights().weights
    scored = []
    for place, signals, coverage in signals_of(asked, chunks, reader):
        score = sum(weights.signals[name] * value for name, value in signals.items())
        scored.append(ScoredSentence(place.chunk, place.index, place.read, score, coverage))
    scored.sort(key=lambda sentence: -sentence.score)
    return scored


def signals_of(
    asked: Asked, chunks: Sequence[RetrievedChunk], reader: PassageReader
) -> Iterator[tuple[_Place, dict[str, float], float]]:
    """Each sentence with what speaks for and against it, and how much of the question stands around it.

    Shares are of the question's terms. Local: a term counts the more, the fewer of the found sentences have it.
    """
    places = list(_places(asked, chunks, reader))
    share = asked.share
    local_share = Shares(_local_weights(asked.terms, places))
    best = max((chunk.deciding_score for chunk in chunks), default=0.0)
    asked_on_page = _asked_on_page(places, share)
    touched = [place for place in places if place.own or place.before or place.index == 0]
    for place in touched or places:
        read = place.read
        if read.role is Role.QUESTION:
            continue
        own, with_before = place.own, place.own | place.before
        new_terms = log(1 + len(read.terms) - len(own))
        everywhere = share(with_before | place.after | place.heading)
        signals = {
            "local": local_share(own),
            "local, with the sentence before": local_share(with_before),
            "with the sentence before": share(with_before),
            "with its heading": share(own | place.heading),
            "with neighbours and heading": everywhere,
            "similar words": _similar(asked, place, share),
            "word pairs": sum(pair in read.lowered for pair in asked.pairs) / max(1, len(asked.pairs)),
            "chunk gap": place.chunk.deciding_score - best,
            "chunk rank": log(place.chunk.rank),
            "asked on its page": asked_on_page.get(place.chunk.chunk.place.source_file, 0.0),
            "new terms": new_terms,
            "few terms": float(len(read.terms) < _FEW_TERMS),
        }
        if asked.cues.kind in (QuestionKind.DEFINITION, QuestionKind.OTHER):
            signals["new terms, what was asked"] = new_terms
        if _has_other_number(asked.numbers, read.text):
            signals["other number"] = 1.0
        if read.shape is Shape.CODE and not asked.wants_code:
            signals["code"] = 1.0
        if not read.tells:
            signals["task"] = 1.0
        for cue in asked.cues.found_in(read.text):
            signals[cue] = 1.0
        yield place, signals, everywhere


def _places(asked: Asked, chunks: Sequence[RetrievedChunk], reader: PassageReader) -> Iterator[_Place]:
    seen: set[str] = set()
    nothing: frozenset[str] = frozenset()
    for found in chunks:
        passage = reader.read(found.chunk, asked.language)
        present = [asked.terms & read.terms for read in passage.sentences]
        heading = asked.terms & passage.heading
        for index, read in enumerate(passage.sentences):
            if read.text in seen:
                continue
            seen.add(read.text)
            if read.shape is Shape.ROW:  # what a row says is told by the header, not by the row above it
                before, after = nothing if read.header is None else present[read.header], nothing
            else:
                before = present[index - 1] if index else nothing
                after = present[index + 1] if index + 1 < len(present) else nothing
            yield _Place(found, index, read, present[index], before, after, heading)


def _local_weights(asked: Set[str], places: Sequence[_Place]) -> dict[str, float]:
    """A term that most of the found sentences share tells them apart no more."""
    counts = dict.fromkeys(asked, 0)
    for place in places:
        for term in place.own:
            counts[term] += 1
    return {term: log((len(places) + 1) / (count + 0.5)) if count else 0.0 for term, count in counts.items()}


def _asked_on_page(places: Sequence[_Place], share: Shares) -> dict[str, float]:
    """How much of the question a question or task of each page repeats: the answer is near, though not that line."""
    asked: dict[str, float] = {}
    for place in places:
        if not place.read.tells:
            page = place.chunk.chunk.place.source_file
            asked[page] = max(asked.get(page, 0.0), share(place.own))
    return asked


def _similar(asked: Asked, place: _Place, share: Shares) -> float:
    """Share of the terms that are missing, but of which a word that begins alike is there."""
    alike = asked.beginnings.keys() & place.read.beginnings
    return share(frozenset(asked.beginnings[start] for start in alike) - place.own) if alike else 0.0


def _has_other_number(asked: Set[str], text: str) -> bool:
    """The question names a number, and the sentence another one instead of it."""
    if not asked:
        return False
    told = set(_NUMBER.findall(text))
    return bool(told) and not asked & told

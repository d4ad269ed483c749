"""What evidence and answers tell about whether an answer is right, on scales that do not depend on the book."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import exp, log, sqrt

from citebook.domain.answer import ProvenSentence
from citebook.domain.evidence import QueryResult
from citebook.language.languages import language_of

_CHUNKS_LOOKED_AT = 5
_ENOUGH_TERMS = 4
_USUAL_MARGIN = 0.06
"""Between the best and the fifth passage of an answerable question; stands in where there is one passage only."""
_NAME = re.compile(r"(?<!^)(?<![.!?:]\s)\b[A-Z][\w-]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

KNOWN = "known"
SPECIFIC = "specific"
UNDOUBTED = "undoubted"
_MOST_ODDS = 8.0
"""On a scale of logarithms, either way: a passage that surely does not answer differs from one that hardly does."""
_USUAL_ODDS = 0.65
"""The median of graded answers; stands in where nobody has read question and passage together."""

Signals = dict[str, float]
"""Each between 0 and 1, and each the higher the better, so that weights need not be negative."""


class AskedOfEvidence:
    """A question next to its evidence, with what is needed of both worked out once."""

    def __init__(self, question: str, evidence: QueryResult) -> None:
        self._question, self._evidence = question, evidence
        self._language = language_of(evidence.language)
        self._found = evidence.retrieved_chunks[:_CHUNKS_LOOKED_AT]

    @cached_property
    def evidence_signals(self) -> Signals:
        scores = [found.score for found in self._found]
        return {
            "above_strangers": max(map(self._evidence.above_strangers, self._found)),
            "sentence_coverage": max(
                (
                    self._coverage(self._language.term_set(quote))
                    for found in self._found
                    for quote in found.chunk.quotes
                ),
                default=0.0,
            ),
            "margin": max(scores) - min(scores) if len(scores) > 1 else _USUAL_MARGIN,
            "word_pairs": max(_share(self._pairs, text, of_none=0.0) for text in self._texts.values()),
            KNOWN: 0.0 if self._strange else 1.0,
            "enough_terms": self._variety * min(1.0, len(self._weights) / _ENOUGH_TERMS),
        }

    def answer_signals(self, sentences: Sequence[ProvenSentence]) -> Signals:
        """More sentences can only raise them, so that an answer is never surer in the middle than at its end."""
        quotes = [sentence.citation.excerpt for sentence in sentences]
        cited = " ".join(self._texts.get(sentence.citation.chunk_id, "") for sentence in sentences)
        estimates = [s.claim.score for s in sentences if s.claim.score is not None]
        signals = {
            "answer_coverage": max((self._coverage(self._language.term_set(quote)) for quote in quotes), default=0.0),
            "answer_word_pairs": _share(self._pairs, " ".join(quotes).lower(), of_none=0.0),
            "names": _share(self._names, cited, of_none=1.0),
            "numbers": _share(self._numbers, cited, of_none=1.0),
            SPECIFIC: self._specific(self._language.term_set(cited)),
            "margin": self.evidence_signals["margin"],
        }
        if not estimates:
            return {**signals, UNDOUBTED: self._undoubted(_USUAL_ODDS)}
        examined = max([s.claim.examined for s in sentences if s.claim.examined is not None] or estimates)
        undoubted = self._undoubted(_odds(examined))
        return {**signals, "own_estimate": max(estimates), "examined": examined, UNDOUBTED: undoubted}

    def _undoubted(self, odds: float) -> float:
        """The examiner's doubt weighs more, the more of the question's words stand together in what it read.

        Words that are all there without an answer are a question near the book's subject; a question in other words
        than the book's is hard to read for the examiner, too.
        """
        return 1 - sqrt(self.evidence_signals["sentence_coverage"]) * (1 - odds)

    @property
    def _strange(self) -> frozenset[str]:
        """Terms that the book never uses and that are none of everyday life: the name of something else, mostly."""
        everyday = self._language.everyday_words
        return self._evidence.missing_terms - everyday if everyday else frozenset()

    def _specific(self, present: frozenset[str]) -> float:
        """The share of the question's terms that are there, without those that people use of anything."""
        everyday = self._language.everyday_words
        weights = {term: weight for term, weight in self._weights.items() if term not in everyday}
        total = sum(weights.values())
        return sum(weight for term, weight in weights.items() if term in present) / total if total else 1.0

    def _coverage(self, present: frozenset[str]) -> float:
        return sum(self._weights[term] for term in self._terms & present) / self._total

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(self._weights)

    @property
    def _weights(self) -> Mapping[str, float]:
        return self._evidence.term_weights

    @cached_property
    def _total(self) -> float:
        return sum(self._weights.values()) or 1.0

    @cached_property
    def _variety(self) -> float:
        """1 for a question as people ask it; near 0 where the same words are said over and over."""
        told = self._language.terms(self._evidence.query_text)
        return min(1.0, 2 * len(set(told)) / len(told)) if told else 0.0

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The chunks in small letters, with the headings they stand under."""
        chunks = [found.chunk for found in self._found]
        return {chunk.id: f"{' '.join(chunk.heading_path)} {chunk.text}".lower() for chunk in chunks}

    @cached_property
    def _pairs(self) -> list[str]:
        stop_words = self._language.stop_words
        pairs = pairwise(self._language.words(self._evidence.query_text))
        return [f"{one} {two}" for one, two in pairs if one not in stop_words or two not in stop_words]

    @cached_property
    def _names(self) -> list[str]:
        """Capitalised words inside the question."""
        names = (name.lower() for name in _NAME.findall(self._question.strip()))
        return [name for name in names if name not in self._language.stop_words]

    @cached_property
    def _numbers(self) -> list[str]:
        return _NUMBER.findall(self._question)


def _odds(chance: float) -> float:
    """Between 0 and 1, even odds in the middle."""
    least = exp(-_MOST_ODDS)
    return 0.5 + log(max(chance, least) / max(1 - chance, least)) / (2 * _MOST_ODDS)


def _share(wanted: Sequence[str], text: str, *, of_none: float) -> float:
    return sum(part in text for part in wanted) / len(wanted) if wanted else of_none

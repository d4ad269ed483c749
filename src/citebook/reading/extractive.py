"""Quotes the sentences of the book that answer a question."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from citebook.domain.answer import Claim
from citebook.domain.errors import ExaminerFailed
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Question
from citebook.language.languages import Language, language_of
from citebook.ports import Examiner
from citebook.reading.passages import PassageReader
from citebook.reading.quotations import Quoting
from citebook.reading.quote import Quote, claims_of
from citebook.reading.sentence_scoring import Asked, score_sentences
from citebook.reading.unit_scoring import Candidate, candidates, score_units

_ENOUGH_TERMS = 2
_THE_SAME = 0.8
"""Share of the words of two quotations that both have, from which on they say the same."""
_BEST = 3
"""Passages among which one of a section of its own must be."""

log = logging.getLogger(__name__)


class ExtractiveReader:
    """Quotes the paragraph, list, table or code that answers, and another that is nearly as good.

    The score of a claim is the probability that it answers, fitted on questions of which some have no answer in the
    book: it falls where other units score as well, where much of the question is not covered, and where the question
    has few terms or repeats them.
    """

    name = "extractive"

    def __init__(self, examiner: Examiner | None = None, is_hurried: Callable[[], bool] = lambda: False) -> None:
        """While it `is_hurried`, the examiner, which takes longer than all else, is not asked."""
        self._reader, self._examiner, self._is_hurried = PassageReader(), examiner, is_hurried

    def quote(self, question: Question, evidence: QueryResult) -> list[Claim]:
        """At most three claims, the best first; one for each of several questions."""
        if evidence.parts:
            return claims_of(_without_twins(self._of_parts(question, evidence.parts)))
        text = _standalone(question, evidence, language_of(evidence.language))
        return claims_of(self._quotes(question, text, evidence))

    def _of_parts(self, question: Question, parts: Sequence[QueryResult]) -> list[Quote]:
        """The best for each, which is not the same again where another is nearly as good."""
        told: list[Quote] = []
        for part in parts:
            told += self._quotes(question, part.query_text, part, only_best=True, told=told)
        return told

    def _quotes(
        self,
        question: Question,
        text: str,
        evidence: QueryResult,
        *,
        is_side: bool = False,
        only_best: bool = False,
        told: Sequence[Quote] = (),
    ) -> list[Quote]:
        language = language_of(evidence.language)
        asked = Asked(text, evidence.term_weights, language)
        sentences = score_sentences(asked, evidence.quotable, self._reader)
        units = candidates(evidence.quotable, self._reader, asked)
        shown = _shown_before(question, units, language) | _told_of_others(asked, units, told)
        quoting = Quoting(asked, sentences, units, shown, is_side=is_side)
        ranked = score_units(asked, units, sentences, self._examine)
        sides = _sides_of(evidence, language)
        if sides and (all(side.has_own_section for side in sides) or not quoting.of_all_sides(ranked)):
            found = [side.of_own_section for side in sides]
            of_sides = (self._quotes(question, side.query_text, side, is_side=True, only_best=True) for side in found)
            return [quote for quotes in of_sides for quote in _under_its_title(quotes)]
        return quoting.best_of(ranked) if only_best else quoting.quotes(ranked)

    def _examine(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Nothing where there is no examiner, no time, or it fails: then the first reading stands."""
        if self._examiner is None or self._is_hurried():
            return ()
        try:
            return self._examiner.examine(question, passages)
        except ExaminerFailed as error:
            log.warning("passages were chosen without the examiner: %s", error)
            return ()


def _under_its_title(quotes: Sequence[Quote]) -> list[Quote]:
    return [replace(quote, headed=quote.headed or at == 0) for at, quote in enumerate(quotes)]


def _without_twins(quotes: Sequence[Quote]) -> list[Quote]:
    """Those that do not say the same as one before them: a book may have a paragraph twice."""
    kept: list[Quote] = []
    for quote in quotes:
        if not any(_are_twins(quote, other) for other in kept):
            kept.append(quote)
    return kept


def _are_twins(one: Quote, other: Quote) -> bool:
    words, others = set(one.text.split()), set(other.text.split())
    return one.chunk.id != other.chunk.id and len(words & others) >= _THE_SAME * len(words | others)


class _Side:
    """One of the things that are compared, and what was found for it."""

    def __init__(self, found: QueryResult, shared: frozenset[str], language: Language) -> None:
        """`shared` are the words that all of them have."""
        self._found, self._shared, self._language = found, shared, language
        self._words = language.term_set(found.query_text)

    @property
    def has_own_section(self) -> bool:
        return any(self._is_called(one) for one in self._found.retrieved_chunks[:_BEST])

    @property
    def of_own_section(self) -> QueryResult:
        """What was found in sections that are called by its name; all where none is."""
        chunks = tuple(one for one in self._found.retrieved_chunks if self._is_called(one))
        nearby = tuple(one for one in self._found.nearby if self._is_called(one))
        own = {"retrieved_chunks": chunks, "nearby": nearby, "total_results": len(chunks)}
        return self._found.model_copy(update=own) if chunks else self._found

    def _is_called(self, one: RetrievedChunk) -> bool:
        """By its name and by no other."""
        title = self._language.term_set(one.chunk.section_title)
        return title <= self._words and bool(title - self._shared)


def _sides_of(evidence: QueryResult, language: Language) -> list[_Side]:
    words = [language.term_set(side.query_text) for side in evidence.sides]
    shared = frozenset.intersection(*words) if words else frozenset[str]()
    return [_Side(side, shared, language) for side in evidence.sides]


def _shown_before(question: Question, units: Sequence[Candidate], language: Language) -> frozenset[str]:
    """The units that the reader has seen, unless the question now asks for something that they hold."""
    asked_now = language.term_set(question.text)
    seen = (one.unit for one in units if any(one.unit.text in said.answer for said in question.history))
    return frozenset(unit.text for unit in seen if not unit.terms & asked_now)


def _told_of_others(asked: Asked, units: Sequence[Candidate], told: Sequence[Quote]) -> frozenset[str]:
    """The units that answered another question of the same breath, and do not have all that this one asks for."""
    seen = (one for one in units if any(one.unit.text in quote.text for quote in told))
    return frozenset(one.unit.text for one in seen if not asked.terms <= one.unit.terms | one.passage.title)


def _standalone(question: Question, evidence: QueryResult, language: Language) -> str:
    """What was searched, where that is a follow-up made whole; else the question as it was put."""
    if question.selected_text and len(language.terms(question.text)) >= _ENOUGH_TERMS:
        return question.text
    is_rewritten = evidence.query_text.lower() != " ".join(question.text.lower().split())
    return evidence.query_text if is_rewritten and evidence.query_text else question.text

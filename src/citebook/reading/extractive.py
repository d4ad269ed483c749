"""Quotes the sentences of the book that answer a question."""

import logging
from collections.abc import Callable, Sequence

from citebook.domain.answer import Claim
from citebook.domain.errors import ExaminerFailed
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.language.languages import Language, language_of
from citebook.ports import Examiner
from citebook.reading.passages import PassageReader
from citebook.reading.quotations import Quoting
from citebook.reading.quote import Quote, claims_of
from citebook.reading.sentence_scoring import Asked, score_sentences
from citebook.reading.unit_scoring import Candidate, candidates, score_units

_ENOUGH_TERMS = 2
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
            of_parts = (self._quotes(question, part.query_text, part) for part in evidence.parts)
            return claims_of([quote for quotes in of_parts for quote in quotes[:1]])
        text = _standalone(question, evidence, language_of(evidence.language))
        return claims_of(self._quotes(question, text, evidence))

    def _quotes(self, question: Question, text: str, evidence: QueryResult) -> list[Quote]:
        language = language_of(evidence.language)
        asked = Asked(text, evidence.term_weights, language)
        sentences = score_sentences(asked, evidence.quotable, self._reader)
        units = candidates(evidence.quotable, self._reader, asked)
        shown = _shown_before(question, units, language)
        quoting = Quoting(asked, sentences, units, shown)
        ranked = score_units(asked, units, sentences, self._examine)
        if evidence.sides and (_have_own_sections(evidence, language) or not quoting.of_both_sides(ranked)):
            of_sides = (self._quotes(question, side.query_text, side) for side in evidence.sides)
            return [quote for quotes in of_sides for quote in quotes[:1]]
        return quoting.quotes(ranked)

    def _examine(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Nothing where there is no examiner, no time, or it fails: then the first reading stands."""
        if self._examiner is None or self._is_hurried():
            return ()
        try:
            return self._examiner.examine(question, passages)
        except ExaminerFailed as error:
            log.warning("passages were chosen without the examiner: %s", error)
            return ()


def _have_own_sections(evidence: QueryResult, language: Language) -> bool:
    """Whether each of the things that are compared has a section that is called by its name and by no other."""
    own = [language.term_set(side.query_text) for side in evidence.sides]
    shared = frozenset.intersection(*own)
    titles = [
        [language.term_set(found.chunk.section_title) for found in side.retrieved_chunks[:_BEST]]
        for side in evidence.sides
    ]
    return all(
        any(title <= terms and title - shared for title in found) for terms, found in zip(own, titles, strict=True)
    )


def _shown_before(question: Question, units: Sequence[Candidate], language: Language) -> frozenset[str]:
    """The units that the reader has seen, unless the question now asks for something that they hold."""
    asked_now = language.term_set(question.text)
    seen = (one.unit for one in units if any(one.unit.text in said.answer for said in question.history))
    return frozenset(unit.text for unit in seen if not unit.terms & asked_now)


def _standalone(question: Question, evidence: QueryResult, language: Language) -> str:
    """What was searched, where that is a follow-up made whole; else the question as it was put."""
    if question.selected_text and len(language.terms(question.text)) >= _ENOUGH_TERMS:
        return question.text
    is_rewritten = evidence.query_text.lower() != " ".join(question.text.lower().split())
    return evidence.query_text if is_rewritten and evidence.query_text else question.text

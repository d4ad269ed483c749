"""Quotes the sentences of the book that answer a question."""

from collections.abc import Sequence
from dataclasses import replace

from citebook.domain.answer import Claim
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Question
from citebook.language.languages import Language, language_of
from citebook.reading.answer_cues import parts_of
from citebook.reading.passages import PassageReader
from citebook.reading.quotations import Quoting
from citebook.reading.sentence_scoring import Asked, score_sentences
from citebook.reading.unit_scoring import Candidate, ScoredUnit, candidates, score_units

_ENOUGH_TERMS = 2
_OF_WHOLE = 0.5
"""What it counts for an answer to a part of a question that it bears on the whole."""


class ExtractiveReader:
    """Quotes the paragraph, list, table or code that answers, and another that is nearly as good.

    The score of a claim is the probability that it answers, fitted on questions of which some have no answer in the
    book: it falls where other units score as well, where much of the question is not covered, and where the question
    has few terms or repeats them.
    """

    name = "extractive"

    def __init__(self) -> None:
        self._reader = PassageReader()

    def quote(self, question: Question, evidence: QueryResult) -> list[Claim]:
        """At most three claims, the best first."""
        language = language_of(evidence.language)
        asked = Asked(_standalone(question, evidence, language), evidence.term_weights, language)
        chunks = evidence.quotable
        sentences = score_sentences(asked, chunks, self._reader)
        units = candidates(chunks, self._reader, asked)
        ranked = score_units(asked, units, sentences)
        shown = _shown_before(question, units, language)
        return Quoting(asked, sentences, shown).claims(*self._for_each_part(asked, chunks, units, ranked))

    def _for_each_part(
        self,
        asked: Asked,
        chunks: Sequence[RetrievedChunk],
        units: Sequence[Candidate],
        ranked: list[ScoredUnit],
    ) -> list[list[ScoredUnit]]:
        """One ranking for each question that is asked in one breath: what answers it, and bears on the whole."""
        parts = parts_of(asked.text, asked.language)
        if len(parts) == 1:
            return [ranked]
        of_whole = {scored.unit.text: scored.score for scored in ranked}
        rankings = []
        for part in parts:
            own = Asked(part, asked.weights, asked.language)
            scored = score_units(own, units, score_sentences(own, chunks, self._reader))
            both = [replace(one, score=one.score + _OF_WHOLE * of_whole[one.unit.text]) for one in scored]
            rankings.append(sorted(both, key=lambda one: -one.score))
        return rankings


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

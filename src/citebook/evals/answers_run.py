"""Measures answers: right words, proven citations, refusals, and whether confidence keeps its word."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Answer, Citation, Outcome
from citebook.domain.events import AnswerCompleted, AnswerFailed
from citebook.domain.question import Policy, Question
from citebook.evals.answer_metrics import brier_score, contains_gold, expected_calibration_error
from citebook.evals.metrics import mean
from citebook.evals.questions import LabelledQuestion

ReadSource = Callable[[str], str]
"""The text that the offsets of a file count in."""


@dataclass(frozen=True, slots=True)
class AnswerResult:
    id: str
    question: str
    answerable: bool
    outcome: str
    answer: str
    confidence: float
    contains_gold: bool
    citations: list[dict[str, Any]]
    verbatim_citations: int
    supported_claims: int
    claims: int
    milliseconds: float


async def evaluate_answers(
    questions: Sequence[LabelledQuestion],
    agent: RAGChatAgent,
    policy: Policy,
    read_source: ReadSource,
    report: Callable[[int], None],
) -> list[AnswerResult]:
    results = []
    for done, question in enumerate(questions, start=1):
        started = perf_counter()
        answer = await _ask(agent, Question(text=question.question, policy=policy))
        results.append(_result(question, answer, read_source, (perf_counter() - started) * 1e3))
        report(done)
    return results


async def _ask(agent: RAGChatAgent, question: Question) -> Answer:
    async with aclosing(agent.answer(question)) as events:
        async for event in events:
            if isinstance(event, AnswerCompleted | AnswerFailed):
                return event.answer
    raise AssertionError("the events of a question always end in an answer or a failure")


def _result(question: LabelledQuestion, answer: Answer, read_source: ReadSource, milliseconds: float) -> AnswerResult:
    by_position = {citation.position: citation for citation in answer.citations}
    return AnswerResult(
        id=question.id,
        question=question.question,
        answerable=question.answerable,
        outcome=answer.outcome.value,
        answer=answer.text,
        confidence=round(answer.confidence, 4),
        contains_gold=answer.outcome is Outcome.ANSWERED and contains_gold(answer.text, question.answers),
        citations=[_as_json(citation) for citation in answer.citations],
        verbatim_citations=sum(_is_verbatim(citation, read_source) for citation in answer.citations),
        supported_claims=sum(_is_said(claim.text, by_position[claim.citation]) for claim in answer.claims),
        claims=len(answer.claims),
        milliseconds=round(milliseconds, 2),
    )


def _as_json(citation: Citation) -> dict[str, Any]:
    fields = {"source_file", "section_title", "url", "page", "start", "end", "source_excerpt", "excerpt"}
    return citation.model_dump(include=fields)


def _is_verbatim(citation: Citation, read_source: ReadSource) -> bool:
    return read_source(citation.source_file)[citation.start : citation.end] == citation.source_excerpt


def _is_said(claim: str, citation: Citation) -> bool:
    """The claim's words stand in the cited passage."""
    return " ".join(claim.split()) in " ".join(citation.excerpt.split())


def summarise(results: Sequence[AnswerResult]) -> dict[str, Any]:
    """What is written with `--json`: the figures, then every question."""
    return {
        "metrics": {name: round(value, 4) for name, value in _figures(results).items()},
        "questions": len(results),
        "results": [asdict(result) for result in results],
    }


def _figures(results: Sequence[AnswerResult]) -> Mapping[str, float]:
    answerable = [result for result in results if result.answerable]
    unanswerable = [result for result in results if not result.answerable]
    answered = [result for result in results if result.outcome == Outcome.ANSWERED]
    citations = sum(len(result.citations) for result in answered)
    claims = sum(result.claims for result in answered)
    confidences = [result.confidence for result in answered]
    rights = [result.answerable and result.contains_gold for result in answered]
    supported = sum(result.supported_claims for result in answered)
    return {
        "answer_contains_gold": mean([float(result.contains_gold) for result in answerable]),
        "answered_contains_gold": mean([float(right) for right in rights]),
        "citation_precision": supported / claims if claims else 0.0,
        "citation_recall": mean([float(result.supported_claims == result.claims) for result in answered]),
        "verbatim": sum(result.verbatim_citations for result in answered) / citations if citations else 0.0,
        "refused_unanswerable": mean([float(r.outcome == Outcome.REFUSED) for r in unanswerable]),
        "false_refusals": mean([float(r.outcome == Outcome.REFUSED) for r in answerable]),
        "ece": expected_calibration_error(confidences, rights),
        "brier": brier_score(confidences, rights),
    }

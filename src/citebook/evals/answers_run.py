"""Asks labelled questions and judges every answer: right words, proven citations, refusals, time and tokens."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Answer, Citation, Outcome
from citebook.domain.book import Chunk
from citebook.domain.question import Policy
from citebook.evals.answer_metrics import contains_gold
from citebook.evals.asking import Heard, ask
from citebook.evals.matching import cites_gold_place, quotes_gold_words
from citebook.evals.questions import LabelledQuestion
from citebook.evals.showing import shows

ReadSource = Callable[[str], str]
"""The text that the offsets of a file count in."""

_GOLDS_SHOWN = 3
_GOLD_CHARACTERS = 300


class AnswerResult(BaseModel):
    """One question with its answer and how it was judged, as it is written with `--json`."""

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    labels: dict[str, str] = Field(default_factory=dict)
    answerable: bool
    golds: list[str]
    """Gold answers, cut short; empty where the label has none, and then words cannot be judged."""
    gold_place: str | None
    outcome: Outcome
    answer: str
    confidence: float
    calibrated: bool
    right: bool | None
    """Holds the gold words, cites the gold place where the book does not have those words, or was rightly refused.

    None where the label does not tell.
    """
    right_by_words: bool | None = None
    """The same by the gold words alone."""
    contains_gold: bool
    first_sentence_contains_gold: bool
    citations: list[dict[str, Any]]
    verbatim_citations: int
    right_citations: int
    claims: int
    quoted_claims: int
    milliseconds: float
    first_sentence_milliseconds: float | None
    tokens_input: int
    tokens_output: int
    model: str
    """What wrote the answer."""
    error: str | None = None
    """Why it failed, where it did."""


async def evaluate_answers(
    questions: Sequence[LabelledQuestion],
    agent: RAGChatAgent,
    policy: Policy,
    read_source: ReadSource,
    report: Callable[[int], None],
) -> list[AnswerResult]:
    results = []
    for done, question in enumerate(questions, start=1):
        heard = await ask(agent, question, policy)
        results.append(_result(question, heard, read_source))
        report(done)
    return results


def _result(question: LabelledQuestion, heard: Heard, read_source: ReadSource) -> AnswerResult:
    answer = heard.answer
    is_given = answer.outcome is Outcome.ANSWERED
    said = [claim.text for claim in answer.claims] if is_given else []
    has_gold = contains_gold(" ".join(said), question.answers, question.spoken)
    citations = [_judged(question, citation, heard.chunks, read_source) for citation in answer.citations]
    by_position = {citation.position: citation for citation in answer.citations}
    return AnswerResult(
        id=question.id,
        question=question.question,
        labels=question.labels,
        answerable=question.answerable,
        golds=[gold[:_GOLD_CHARACTERS] for gold in question.answers[:_GOLDS_SHOWN]],
        gold_place=_gold_place(question),
        outcome=answer.outcome,
        answer=answer.text,
        confidence=round(answer.confidence_as_measured, 4),
        calibrated=answer.calibrated,
        right=_is_right(question, answer, has_gold),
        right_by_words=_is_right(question, answer, has_gold),
        contains_gold=has_gold,
        first_sentence_contains_gold=bool(said) and contains_gold(said[0], question.answers, question.spoken),
        citations=citations,
        verbatim_citations=sum(citation["verbatim"] for citation in citations),
        right_citations=sum(citation["right"] for citation in citations),
        claims=len(answer.claims),
        quoted_claims=sum(_is_quoted(claim.text, by_position[claim.citation]) for claim in answer.claims),
        milliseconds=heard.milliseconds,
        first_sentence_milliseconds=heard.first_sentence,
        tokens_input=answer.tokens_used.input,
        tokens_output=answer.tokens_used.output,
        model=answer.model_used,
        error=heard.error,
    )


def _is_right(question: LabelledQuestion, answer: Answer, has_gold: bool) -> bool | None:
    if not question.answerable:
        return answer.outcome is Outcome.REFUSED
    return has_gold if question.answers else None


def _gold_place(question: LabelledQuestion) -> str | None:
    if question.gold_file and question.gold_heading:
        return f"{question.gold_file}, {question.gold_heading}"
    return question.gold_file


def _judged(
    question: LabelledQuestion, citation: Citation, chunks: Mapping[str, Chunk], read_source: ReadSource
) -> dict[str, Any]:
    """A citation as JSON, with what was found out about it."""
    fields = {"source_file", "section_title", "url", "page", "start", "end", "source_excerpt", "excerpt"}
    chunk = chunks.get(citation.chunk_id)
    in_gold_place = chunk is not None and question.answerable and cites_gold_place(question, citation, chunk)
    return {
        **citation.model_dump(include=fields),
        "verbatim": _is_verbatim(citation, read_source),
        "in_gold_place": in_gold_place,
        "right": in_gold_place or (question.answerable and quotes_gold_words(question, citation)),
    }


def _is_verbatim(citation: Citation, read_source: ReadSource) -> bool:
    """The file has these characters at these offsets, and they show what the reader is shown."""
    stands_there = read_source(citation.source_file)[citation.start : citation.end] == citation.source_excerpt
    return stands_there and shows(citation.source_excerpt, citation.excerpt)


def _is_quoted(claim: str, citation: Citation) -> bool:
    """The claim is words of the cited passage, to the letter."""
    return " ".join(claim.split()) in " ".join(citation.excerpt.split())

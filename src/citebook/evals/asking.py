"""Puts a labelled question to the agent as its reader would: in its conversation, with what was selected."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Answer
from citebook.domain.book import Chunk
from citebook.domain.conversation import Exchange
from citebook.domain.events import AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.domain.question import Policy, Question
from citebook.evals.questions import LabelledQuestion, PassageEnds


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, what it was made of, and how long it took."""

    answer: Answer
    chunks: Mapping[str, Chunk]
    milliseconds: float
    first_sentence: float | None
    """Milliseconds to the first proven sentence."""
    error: str | None


async def ask(agent: RAGChatAgent, labelled: LabelledQuestion, policy: Policy) -> Heard:
    """Asks what the reader had asked before first; that takes no part in the time."""
    history: list[Exchange] = []
    for text in labelled.history:
        earlier = await agent.answer(Question(text=text, history=tuple(history), policy=policy))
        history.append(Exchange(question=text, answer=earlier.answer.text))
    question = Question(
        text=labelled.question, selected_text=_selected(labelled), history=tuple(history), policy=policy
    )
    return await _timed(agent, question)


def _selected(labelled: LabelledQuestion) -> str | None:
    if isinstance(labelled.selected, PassageEnds):
        raise TypeError(f"{labelled.where_from}: the selected passage must be looked up before it is asked about")
    return labelled.selected


async def _timed(agent: RAGChatAgent, question: Question) -> Heard:
    started = perf_counter()
    chunks: dict[str, Chunk] = {}
    first_sentence: float | None = None

    async def tell(event: Event) -> None:
        nonlocal first_sentence
        if isinstance(event, EvidenceFound):
            chunks.update({found.chunk.id: found.chunk for found in event.result.quotable})
        elif isinstance(event, SentenceVerified):
            first_sentence = first_sentence or _milliseconds_since(started)

    ended = await agent.answer(question, tell)
    error = ended.error.original_error if isinstance(ended, AnswerFailed) else None
    return Heard(ended.answer, chunks, _milliseconds_since(started), first_sentence, error)


def _milliseconds_since(started: float) -> float:
    return round((perf_counter() - started) * 1e3, 2)

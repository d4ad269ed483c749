"""Runs a question through the core for a client that may leave at any time."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request

from citebook.agents.answer_in_progress import Tell
from citebook.agents.orchestrator import RAGChatAgent, tell_nobody
from citebook.api.problems import ProblemRaised, problem_of_failure
from citebook.api.request_ids import arrived_at
from citebook.domain.answer import Answer
from citebook.domain.errors import Overloaded
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.pacing.deadline import Deadline
from citebook.records.recording import Record, Recorder


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class Answering:
    recorder: Recorder
    max_at_once: int
    _running: int = 0

    def check_room(self, request: Request, agent: RAGChatAgent) -> Deadline:
        """The time that is left for a request. Raises `Overloaded` at once where it would not be answered in time."""
        deadline = agent.deadline(arrived_at(request))
        if self._running >= self.max_at_once:
            raise Overloaded
        agent.check_room(deadline)
        return deadline

    async def tell(
        self,
        request: Request,
        agent: RAGChatAgent,
        question: Question,
        record: Record,
        tell: Tell,
        when_lost: Callable[[], object] = lambda: None,
    ) -> AnswerCompleted | AnswerFailed:
        """Tells of all that happens to a question; of its end only after the exchange is kept.

        `when_lost` is called before all that where the question itself could not be kept.
        """
        deadline = self.check_room(request, agent)
        evidence: QueryResult | None = None
        ended: AnswerCompleted | AnswerFailed | None = None

        async def listen(event: Event) -> None:
            nonlocal evidence
            if isinstance(event, EvidenceFound):
                evidence = event.result
            await tell(event)

        self._running += 1
        try:
            is_kept = await self.recorder.keep_question(question, record)
            if not is_kept:
                when_lost()
            ended = await agent.answer(question, listen, deadline)
            is_kept &= await self.recorder.keep_answer(question, evidence, ended, record)
        except asyncio.CancelledError:
            if ended is None:  # else it is whole, and on its way to be kept as such
                await asyncio.shield(self.recorder.keep_interruption(question, evidence, record))
            raise
        finally:
            self._running -= 1
        if isinstance(ended, AnswerCompleted) and not is_kept:
            ended = ended.model_copy(update={"is_kept": False})
        await tell(ended)
        return ended

    async def answer(self, request: Request, agent: RAGChatAgent, question: Question, record: Record) -> Answer:
        """The whole answer; see `completed`."""
        return (await self.completed(request, agent, question, record)).answer

    async def completed(
        self, request: Request, agent: RAGChatAgent, question: Question, record: Record
    ) -> AnswerCompleted:
        """The whole answer, and whether it is kept.

        Raises `ProblemRaised` where it failed, and `ClientGone` where the client left.
        """
        work = asyncio.ensure_future(self.tell(request, agent, question, record, tell_nobody))
        gone = asyncio.ensure_future(until_gone(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientGone
            ended = work.result()
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if isinstance(ended, AnswerFailed):
            raise ProblemRaised(problem_of_failure(ended))
        return ended


async def until_gone(request: Request) -> None:
    """Returns when the client closes the connection. The body must have been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

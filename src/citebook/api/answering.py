"""Runs a question through the core for a client that may leave at any time."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from starlette.requests import Request

from citebook.agents.orchestrator import RAGChatAgent
from citebook.api.problems import Problem, ProblemKind, ProblemRaised, problem_of_code
from citebook.domain.answer import Answer
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event
from citebook.domain.question import Question
from citebook.records.recording import Record, RecordingAgent

_RETRY_AFTER_OVERLOAD = 5


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class Answering:
    recorder: RecordingAgent
    max_at_once: int
    _running: int = 0

    @asynccontextmanager
    async def events(
        self, agent: RAGChatAgent, question: Question, record: Record
    ) -> AsyncIterator[AsyncGenerator[Event, None]]:
        """The recorded events of one question; raises at once where too many are being answered."""
        if self._running >= self.max_at_once:
            raise ProblemRaised(
                Problem(
                    ProblemKind.OVERLOADED,
                    "Too many questions are being answered right now. Please try again in a moment.",
                    retryable=True,
                    retry_after=_RETRY_AFTER_OVERLOAD,
                )
            )
        self._running += 1
        try:
            async with aclosing(self.recorder.record(question, agent.answer(question), record)) as events:
                yield events
        finally:
            self._running -= 1

    async def answer(self, request: Request, agent: RAGChatAgent, question: Question, record: Record) -> Answer:
        """The whole answer. Raises `ProblemRaised` where it failed, and `ClientGone` where the client left."""
        work = asyncio.ensure_future(self._to_end(agent, question, record))
        gone = asyncio.ensure_future(until_gone(request))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientGone
            return work.result()
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    async def _to_end(self, agent: RAGChatAgent, question: Question, record: Record) -> Answer:
        async with self.events(agent, question, record) as events:
            async for event in events:
                await asyncio.sleep(0)  # a source that never waits must not keep us from seeing that the client left
                match event:
                    case AnswerCompleted(answer=answer):
                        return answer
                    case AnswerFailed(code=code):
                        raise ProblemRaised(problem_of_code(code))
        raise AssertionError("the events of a question always end in an answer or a failure")


async def until_gone(request: Request) -> None:
    """Returns when the client closes the connection. The body must have been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

"""Questions that a reader may begin or go on with: only those that the book's own answers prove good.

They are made of headings and then asked; each that is answered likely, and from the very section that it was made of,
is offered. What was found out holds for one edition, and is found out when it is first wanted.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from time import perf_counter

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.events import AnswerCompleted
from citebook.domain.outline import Outline, OutlinePage
from citebook.domain.question import Question
from citebook.domain.support import Support
from citebook.language.languages import language_of
from citebook.outlining.question_candidates import CandidateQuestion, QuestionCandidates
from citebook.pacing.workers import Workers
from citebook.ports import ChunkIndex

_SECONDS = 2.0
"""For which one request asks: who comes next finds that answered, and goes on."""


class OfferedQuestions:
    """Of one book."""

    def __init__(self, index: ChunkIndex, agent: RAGChatAgent, workers: Workers) -> None:
        """`agent` should quote the book: to have a model write what nobody asked for costs money."""
        self._index, self._agent, self._workers = index, agent, workers
        self._edition: _EditionQuestions | None = None
        self._turn = asyncio.Lock()

    async def to_begin_with(self, page: str | None, most: int) -> tuple[str, list[CandidateQuestion]]:
        """The edition, and questions of this page first, by its id or address; then of the rest of the book."""
        known = await self._of_edition()
        return known.name, await self._offered(known, known.from_page(page), most)

    async def to_go_on_with(self, url: str, most: int) -> tuple[str, list[CandidateQuestion]]:
        """The same of what stands beside and behind a section, without that section itself."""
        known = await self._of_edition()
        return known.name, await self._offered(known, known.behind(url), most)

    async def _offered(
        self, known: "_EditionQuestions", candidates: AsyncIterator[CandidateQuestion], most: int
    ) -> list[CandidateQuestion]:
        offered: dict[str, CandidateQuestion] = {}
        ends_at = perf_counter() + _SECONDS
        async for candidate in candidates:
            if candidate.question not in known.answered_from and not await self._asked(
                known, candidate.question, ends_at
            ):
                break
            if known.is_good(candidate):
                offered.setdefault(candidate.question, candidate)
            if len(offered) == most:
                break
        return list(offered.values())

    async def _asked(self, known: "_EditionQuestions", question: str, ends_at: float) -> bool:
        """Whether its answer is known now. One question is asked at a time, however many want one."""
        try:
            await asyncio.wait_for(self._turn.acquire(), ends_at - perf_counter())
        except TimeoutError:
            return False
        try:
            return question in known.answered_from or await self._ask(known, question)
        finally:
            self._turn.release()

    async def _ask(self, known: "_EditionQuestions", question: str) -> bool:
        """Says whether it could be asked: it takes its turn among readers, and is given up where there is no room."""
        ended = await self._agent.answer(Question(text=question))
        if not isinstance(ended, AnswerCompleted):
            return False
        answer = ended.answer
        is_likely = answer.support is Support.LIKELY and not answer.corrections
        known.answered_from[question] = answer.citations[0].url if is_likely else None
        return True

    async def _of_edition(self) -> "_EditionQuestions":
        edition = await self._index.edition()
        if self._edition is None or self._edition.name != edition.name:
            outline = await self._index.outline()
            candidates = QuestionCandidates(self._index, outline, language_of(edition.language), self._workers)
            addresses = {chapter.id: chapter.url for chapter in edition.chapters}
            self._edition = _EditionQuestions(edition.name, outline, candidates, addresses)
        return self._edition


class _EditionQuestions:
    """What is known of the questions of one edition."""

    def __init__(
        self, name: str, outline: Outline, candidates: QuestionCandidates, addresses: dict[str, str]
    ) -> None:
        self.name, self._outline, self._candidates, self._addresses = name, outline, candidates, addresses
        self.answered_from: dict[str, str | None] = {}
        """By question, the section that it is likely answered from; None where no answer is likely."""

    def is_good(self, candidate: CandidateQuestion) -> bool:
        return self.answered_from.get(candidate.question) == candidate.url

    async def from_page(self, wanted: str | None) -> AsyncIterator[CandidateQuestion]:
        """Of one page all, then one of each page, then all others."""
        own = self._page(wanted) if wanted else None
        if own is not None:
            for candidate in await self._candidates.of(own):
                yield candidate
        for page in self._candidates.spread():
            if page is not own:
                async for candidate in self._first_good(page):
                    yield candidate
        for page in self._candidates.spread():
            for candidate in await self._candidates.of(page):
                yield candidate

    async def _first_good(self, page: OutlinePage) -> AsyncIterator[CandidateQuestion]:
        for candidate in await self._candidates.of(page):
            yield candidate
            if self.is_good(candidate):
                return

    async def behind(self, url: str) -> AsyncIterator[CandidateQuestion]:
        """What follows the section on its page, then what stands before it, then the pages that follow."""
        page = self._page(url)
        if page is None:
            return
        own = await self._candidates.of(page)
        at = self._place(own, url)
        at_page = self._outline.pages.index(page)
        for candidate in (*own[at:], *own[:at]):
            if candidate.url != url:
                yield candidate
        for following in self._outline.pages[at_page + 1 :]:
            async for candidate in self._first_good(following):
                yield candidate

    def _page(self, wanted: str) -> OutlinePage | None:
        """By its id, or the address of it or of one of its sections."""
        address = _address(wanted)
        for page in self._outline.pages:
            if wanted == page.id or address == _address(self._addresses.get(page.id, "")):
                return page
        return None

    @staticmethod
    def _place(candidates: Sequence[CandidateQuestion], url: str) -> int:
        return next((at for at, candidate in enumerate(candidates) if candidate.url == url), 0)


def _address(url: str) -> str:
    """Without the section, and however its end is written."""
    return url.partition("#")[0].rstrip("/")

"""A book that changes while readers ask: nobody is turned away, and the new text is found as soon as it is there."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Outcome
from citebook.domain.events import AnswerCompleted, AnswerFailed, EvidenceFound
from citebook.domain.question import Policy, Question
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings
from tests.command_line import process
from tests.fakes import WordEmbedder, events_of
from tests.small_book import PAGES, write_book

ANSWER_ANYWAY = Policy(refuse_below=0.0)
GEARS = PAGES["01-joints/gears.mdx"]


@dataclass(slots=True)
class Reader:
    """Asks the same question again and again, and keeps what came back."""

    agent: RAGChatAgent
    question: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    editions: list[str | None] = field(default_factory=list)
    mixed: int = 0
    """Answers of which a passage came from another edition than the answer says."""

    async def ask(self) -> str:
        events = await events_of(self.agent, Question(text=self.question, policy=ANSWER_ANYWAY))
        last = events[-1]
        assert isinstance(last, AnswerCompleted | AnswerFailed)
        answer, evidence = last.answer, next((e.result for e in events if isinstance(e, EvidenceFound)), None)
        self.outcomes[answer.outcome] += 1
        if evidence is not None and answer.edition not in self.editions[-1:]:
            self.editions.append(answer.edition)
        found = evidence.retrieved_chunks if evidence else ()
        self.mixed += any(passage.chunk.edition != answer.edition for passage in found)
        return answer.text

    async def ask_for_ever(self) -> None:
        while True:
            await self.ask()


@asynccontextmanager
async def asking(settings: Settings, readers: int) -> AsyncIterator[list[Reader]]:
    """Readers who ask all the while, through one agent, as in a server."""
    async with Citebook(settings) as citebook:
        agent = (await citebook.ready_book()).agent
        crowd = [Reader(agent, "What is a harmonic drive?") for _ in range(readers)]
        tasks = [asyncio.create_task(reader.ask_for_ever()) for reader in crowd]
        try:
            yield crowd
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(result, asyncio.CancelledError) for result in results), results


async def ingest(settings: Settings, book: Path) -> None:
    async with Citebook(settings) as citebook:
        await citebook.ingest.run(book, progress=lambda _report: None)


def assert_all_were_served(crowd: list[Reader]) -> None:
    total = sum((reader.outcomes for reader in crowd), Counter[Outcome]())
    assert total.keys() == {Outcome.ANSWERED}, total
    assert sum(reader.mixed for reader in crowd) == 0


async def test_another_process_publishes_an_edition_while_readers_ask(tmp_path: Path) -> None:
    book, data = write_book(tmp_path / "book"), tmp_path / "data"
    settings = read_settings(citebook_data_dir=data)
    await ingest(settings, book)
    async with asking(settings, readers=1) as crowd:
        await crowd[0].ask()
        write_book(book, gears=GEARS.replace("bends a thin steel cup", "flexes a toothed spline"))
        ingested = await asyncio.to_thread(process, "ingest", book, "--data-dir", data)
        assert ingested.exit_code == 0, ingested.err
        assert "flexes a toothed spline" in await crowd[0].ask()
    assert_all_were_served(crowd)


async def test_many_editions_in_a_row_lose_no_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Editions come faster than readers can open them, so that some vanish under their hands."""
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    book, data = write_book(tmp_path / "book"), tmp_path / "data"
    settings = read_settings(citebook_data_dir=data)
    await ingest(settings, book)
    async with asking(settings, readers=4) as crowd:
        for number in range(8):
            write_book(book, gears=GEARS.replace("thin steel cup", f"thin steel cup number {number}"))
            await ingest(settings, book)
        assert "number 7" in await crowd[0].ask()
    assert_all_were_served(crowd)
    assert len(crowd[0].editions) >= 2, "no reader saw a change"

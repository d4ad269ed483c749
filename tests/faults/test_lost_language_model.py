"""The language model is away, breaks off or talks nonsense, and readers leave it: seen through the whole service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from citebook.api.app import create_app
from citebook.api.assembly import services_of
from citebook.domain.audit import INTERRUPTED
from citebook.language.languages import language_of
from citebook.root.citebook import Citebook
from citebook.root.wiring import keys_of
from citebook.settings import Settings
from tests.contracts.service import ASKING, frames_of
from tests.contracts.test_live_server import connect
from tests.faults.conftest import Shelf
from tests.faults.test_answers_beside_locks import records_in
from tests.faults.test_outages_under_load import ALL_WELL, settings_of, started, statuses
from tests.faults.test_slow_clients import serving
from tests.language_models import ScriptedEndpoint

pytestmark = pytest.mark.network

PATIENCE = 60.0
SENTENCE = "A harmonic drive is a gear that bends a thin steel cup."
GOOD = f'{{"claim": "{SENTENCE}", "excerpt": 1, "quote": "{SENTENCE}"}}\n'
REPLIES = language_of("en").conversation.replies


@pytest.fixture
def data_dir(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXAMINER", "none")
    return shelf.data


def with_model(data_dir: Path, url: str) -> Settings:
    return settings_of(data_dir, llm_provider="llamacpp", llm_base_url=url, llm_model="small")


def questions_to(endpoint: ScriptedEndpoint) -> int:
    """How often the model was asked to write; health only asks whether it is there."""
    return len([body for body in endpoint.requests if body.get("messages")])


def texts(asked: dict[str, Any]) -> dict[str, str]:
    return {name: reply.json()["answer"] for name, reply in asked.items()}


async def test_down_at_start_the_service_starts_and_the_book_is_quoted(data_dir: Path) -> None:
    async with started(with_model(data_dir, "http://127.0.0.1:9")) as service:
        status, body = await service.health()
        assert (status, body["status"], body["parts"]["llm"]) == (503, "unhealthy", "down")
        asked = await service.ask_all()
        assert statuses(asked) == ALL_WELL
        assert all(text.startswith(REPLIES.model_failed) for text in texts(asked).values())


async def test_before_its_first_word_it_is_asked_exactly_once_more(
    data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "citebook")
    async with ScriptedEndpoint(status=500) as endpoint, started(with_model(data_dir, endpoint.url)) as service:
        for number, contract in enumerate(ALL_WELL, start=1):
            assert (await service.ask(contract)).status_code == 200
            assert questions_to(endpoint) == 2 * number
            assert caplog.text.count(", then retry)") == number, "each retry is told"


async def test_after_a_sentence_that_nobody_has_seen_it_is_not_asked_again_and_the_book_is_quoted(
    data_dir: Path,
) -> None:
    async with (
        ScriptedEndpoint(GOOD, ending="silent") as endpoint,
        started(with_model(data_dir, endpoint.url)) as service,
    ):
        for number, contract in enumerate(ALL_WELL, start=1):
            reply = await service.ask(contract)
            assert (reply.status_code, reply.json()["answer"].startswith(REPLIES.model_failed)) == (200, True)
            assert questions_to(endpoint) == number
            if contract == "academic":
                assert reply.json()["status"] == "success", "the quotation is whole"


STREAMS = {"core": ("/api/v1/query", "query"), "ask": ("/api/ask/stream", "question")}


@pytest.mark.parametrize("contract", STREAMS)
@pytest.mark.parametrize("ending", ["silent", "broken"])
async def test_after_a_sentence_on_a_stream_its_end_is_an_error_and_nothing_is_complete(
    data_dir: Path, contract: str, ending: str
) -> None:
    path, field_name = STREAMS[contract]
    async with ScriptedEndpoint(GOOD, ending=ending) as endpoint:  # type: ignore[arg-type]
        async with started(with_model(data_dir, endpoint.url)) as service:
            stream = await service.client.post(
                path, json={field_name: "What is a harmonic drive?"}, headers={"Accept": "text/event-stream"}
            )
        frames = frames_of(stream.text)
        assert SENTENCE[:30] in "".join(frame.get("chunk") or frame.get("content") or "" for frame in frames)
        assert "error" in frames[-1]
        assert [frame for frame in frames if frame.get("done") is True] == []
        assert questions_to(endpoint) == 1
    (record,) = await records_in(database_of(data_dir))
    assert (record.outcome, record.success) == ("failed", False)


def database_of(data_dir: Path) -> str:
    return f"sqlite:///{data_dir / 'citebook.sqlite3'}"


NONSENSE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no stream": {"raw": b"<html>Bad gateway</html>"},
    "half a stream": {"raw": b"data: {\n\ndata: nonsense\n\n"},
    "no line of ours": {"pieces": ("Gears are made of cheese.\n",)},
    "an excerpt of nobody": {"pieces": ('{"claim": "Cheese.", "excerpt": 99, "quote": "cheese"}\n',)},
    "no end": {"pieces": ("cheese ",), "endless": True},
}


async def test_of_nonsense_nothing_is_told_and_the_book_is_quoted(data_dir: Path) -> None:
    for kind, script in NONSENSE.items():
        more = {name: value for name, value in script.items() if name != "pieces"}
        async with (
            ScriptedEndpoint(*script.get("pieces", ()), **more) as endpoint,
            started(with_model(data_dir, endpoint.url)) as service,
        ):
            asked = await service.ask_all()
        assert statuses(asked) == ALL_WELL, kind
        for name, text in texts(asked).items():
            assert "cheese" not in text.lower(), (kind, name)
            assert "harmonic drive" in text, (kind, name)
            assert asked[name].json().get("citations") or asked[name].json()["sources"], (kind, name)


# --- readers who leave

LEAVING = ["textbook", "core", "core-stream", "academic", "academic-restricted", "agent", "ask", "ask-stream"]


@dataclass(slots=True)
class Listening:
    """The service behind its own server."""

    port: int
    bearer: dict[str, str]


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[Listening]:
    async with Citebook(settings) as citebook:
        services = await services_of(citebook)
        await services.database.ping()
        _, key = await keys_of(citebook.database).create(f"a reader {uuid4()}")
        async with serving(create_app(services)) as port:
            yield Listening(port, {"Authorization": f"Bearer {key}"})


@dataclass(slots=True)
class LoopWatch:
    """How long the event loop stood still at worst: on a busy machine it is late without any fault of ours."""

    longest: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None)

    async def __aenter__(self) -> "LoopWatch":
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            since = loop.time()
            await asyncio.sleep(0.01)
            self.longest = max(self.longest, loop.time() - since - 0.01)


async def seconds_to_close(running: Listening, endpoint: ScriptedEndpoint, name: str, pieces: int) -> float:
    """From when a reader leaves to when the model's server sees the call closed."""
    reader, writer = await connect(running.port, running, ASKING[name])  # type: ignore[arg-type]
    await asyncio.wait_for(endpoint.is_writing.wait(), PATIENCE)
    if pieces and name.endswith("stream"):
        await asyncio.wait_for(reader.readuntil(b"data: "), PATIENCE)
    loop = asyncio.get_running_loop()
    left_at = loop.time()
    writer.close()
    await asyncio.wait_for(endpoint.client_left.wait(), PATIENCE)
    return loop.time() - left_at


@pytest.mark.parametrize("said", [(), (GOOD,)], ids=["before the first word", "after a sentence"])
async def test_a_reader_who_leaves_closes_the_call_of_the_model_within_a_second(
    data_dir: Path, said: tuple[str, ...]
) -> None:
    async with (
        ScriptedEndpoint(*said, ending="stuck") as endpoint,
        listening(with_model(data_dir, endpoint.url)) as running,
    ):
        for number, name in enumerate(LEAVING, start=1):
            async with LoopWatch() as watch:
                seconds = await seconds_to_close(running, endpoint, name, len(said))
            assert seconds <= 1.0 + 10 * watch.longest, name
            assert questions_to(endpoint) == number, name
            endpoint.is_writing.clear()
            endpoint.client_left.clear()
    kept = await records_in(database_of(data_dir))
    assert sorted(record.outcome for record in kept) == [INTERRUPTED] * len(kept), "nothing is marked as whole"
    assert {record.contract for record in kept} >= {"academic", "core"}
    assert [record.success for record in kept if record.success] == []


async def test_a_stream_that_ends_well_is_not_marked_as_interrupted(data_dir: Path) -> None:
    async with ScriptedEndpoint(GOOD) as endpoint, started(with_model(data_dir, endpoint.url)) as service:
        stream = await service.client.post(
            "/api/v1/query", json={"query": "What is a harmonic drive?"}, headers={"Accept": "text/event-stream"}
        )
        assert frames_of(stream.text)[-1]["done"] is True
    assert [record.outcome for record in await records_in(database_of(data_dir))] == ["answered"]

"""Streams: frames that nothing can break, heartbeats, and an end that is always said."""

import asyncio
import json
from typing import Any

import pytest

from citebook.api.event_stream import StreamTimes
from citebook.domain.errors import DatabaseUnavailable, GeneratorFailed
from citebook.pacing.deadline import Budget
from citebook.writing.replies import AnswerText
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, CANARY, ROOMY, QuotingGenerator, Service, frames_of

STREAMS = ["core-stream", "ask-stream"]
TEXT = {"core-stream": "chunk", "ask-stream": "content"}


def spoken(name: str, frames: list[dict[str, Any]]) -> str:
    return "".join(frame.get(TEXT[name], "") for frame in frames)


@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_says_what_the_whole_answer_says(start: Start, name: str) -> None:
    service = await start(writer=QuotingGenerator(claims=2), policies=ROOMY)
    stream = await ASKING[name].ask(service)
    whole = (await ASKING[name.removesuffix("-stream")].ask(service, headers={"Accept": "*/*"})).json()
    frames = frames_of(stream.text)
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert spoken(name, frames) == whole["answer"]
    assert len(frames) == 3
    assert frames[-1]["done"] is True
    assert [frame.get("done") for frame in frames[:-1]] == ([None, None] if name == "core-stream" else [False, False])
    for field in ("confidence", "citations", "sources", "tokensUsed"):
        assert frames[-1].get(field) == whole.get(field)


BREAKERS = '\r\n\n\rdata: {"done": true}\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\u0000 id: 1'


@pytest.mark.parametrize("name", STREAMS)
async def test_nothing_breaks_a_frame(name: str, roomy_with_hostile_sentences: Service) -> None:
    response = await ASKING[name].ask(roomy_with_hostile_sentences)
    frames = frames_of(response.text)
    assert BREAKERS in spoken(name, frames)
    body = response.content.decode("ascii")
    assert len(body.splitlines()) == 2 * len(frames), "each frame is one line, however lines are counted"


@pytest.fixture
async def roomy_with_hostile_sentences(start: Start, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A generator whose sentences are proven, and then full of line breaks."""
    service: Service = await start(writer=QuotingGenerator(claims=1), policies=ROOMY)

    monkeypatch.setattr(AnswerText.__init__, "__defaults__", (lambda claim: f"[{claim.citation}]{BREAKERS}",))
    return service


@pytest.mark.parametrize("name", STREAMS)
async def test_heartbeats(start: Start, name: str) -> None:
    times = StreamTimes(heartbeat_seconds=0.01)
    service = await start(writer=QuotingGenerator(claims=3, pause=0.3), times=times)
    text = (await ASKING[name].ask(service)).text
    assert text.count(": still at work\n\n") >= 4
    assert frames_of(text)[-1]["done"] is True


def test_the_heart_beats_often_enough() -> None:
    assert StreamTimes().heartbeat_seconds < 15


@pytest.mark.parametrize("name", STREAMS)
async def test_a_late_failure_is_the_last_frame(start: Start, name: str) -> None:
    for error in (DatabaseUnavailable(CANARY), RuntimeError(CANARY)):
        service = await start(writer=QuotingGenerator(claims=1, error=error))
        text = (await ASKING[name].ask(service)).text
        *before, last = frames_of(text)
        assert spoken(name, before)
        assert last["error"]
        assert not {"confidence", "citations", "sources"} & last.keys()
        assert [frame for frame in before if frame.get("done") or "error" in frame] == []
        assert CANARY not in text
    if name == "core-stream":
        assert last.keys() == {"error"}


def lost_models(claims: int) -> tuple[QuotingGenerator, QuotingGenerator]:
    """One that fails, and one that goes silent, after so many claims."""
    return QuotingGenerator(claims, error=GeneratorFailed(CANARY)), QuotingGenerator(claims, gets_stuck=True)


@pytest.mark.parametrize("name", STREAMS)
async def test_a_model_that_is_lost_before_it_told_anything_leaves_the_book_to_be_quoted(
    start: Start, name: str
) -> None:
    for generator in lost_models(0):
        service = await start(writer=generator, budget=Budget(30, 30, 0.3, stream_gap=0.3))
        text = (await ASKING[name].ask(service)).text
        *before, last = frames_of(text)
        assert last["done"] is True
        assert "language model could not be reached" in spoken(name, before)
        assert last["parts"] == [part for frame in before for part in frame["parts"]]
        assert CANARY not in text


@pytest.mark.parametrize("name", STREAMS)
async def test_a_model_that_is_lost_after_a_sentence_ends_the_stream_with_an_error(start: Start, name: str) -> None:
    for generator in lost_models(1):
        service = await start(writer=generator, budget=Budget(30, 30, 0.3, stream_gap=0.3))
        text = (await ASKING[name].ask(service)).text
        *before, last = frames_of(text)
        assert spoken(name, before)
        assert last["error"]
        assert not any(frame.get("done") is True for frame in (*before, last))
        assert CANARY not in text


@pytest.mark.parametrize("name", STREAMS)
async def test_a_server_that_stops_ends_its_streams(start: Start, name: str) -> None:
    generator = QuotingGenerator(claims=1, gets_stuck=True)
    service = await start(writer=generator)
    asking = asyncio.create_task(ASKING[name].ask(service))
    await generator.was_asked.wait()
    await asyncio.sleep(0.1)
    service.services.stopping.set()
    frames = frames_of((await asyncio.wait_for(asking, 20)).text)
    assert frames[-1]["error"] == "The server is stopping. Please ask again."
    assert generator.was_closed.is_set()


@pytest.mark.parametrize("name", STREAMS)
async def test_an_answer_that_is_whole_ends_well_though_the_server_stops(start: Start, name: str) -> None:
    service = await start(writer=QuotingGenerator(claims=1))
    service.services.stopping.set()
    frames = frames_of((await ASKING[name].ask(service, "hello")).text)
    assert frames[-1]["done"] is True
    assert "error" not in json.dumps(frames)


@pytest.mark.parametrize("name", STREAMS)
async def test_places_are_given_back(start: Start, name: str) -> None:
    """After streams of every kind the service answers as many at once as before."""
    service = await start(
        writer=QuotingGenerator(claims=1, error=GeneratorFailed(CANARY)), max_at_once=1, policies=ROOMY
    )
    for _ in range(5):
        assert (await ASKING[name].ask(service)).status_code == 200

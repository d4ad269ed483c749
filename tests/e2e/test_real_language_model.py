"""The whole way with a real llama.cpp server, by both SDKs. Its model is tiny; the way is what is tested."""

import asyncio
from contextlib import aclosing

import httpx
import pytest

from citebook.domain.answer import Outcome
from citebook.domain.errors import GeneratorCutShort, GeneratorFailed
from citebook.domain.events import AnswerCompleted
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.domain.question import Policy, Question
from citebook.pacing.turns import Turns
from citebook.ports import LanguageModel
from citebook.reading.extractive import ExtractiveReader
from citebook.root.wiring import agent_of
from citebook.settings import read_settings
from tests.fakes import WORKERS, ListIndex, WordEmbedder, make_chunk
from tests.language_models import WIRES, Wire, llama_server, model_at, started_llama_server

__all__ = ["llama_server"]

pytestmark = [pytest.mark.network, pytest.mark.parametrize("wire", WIRES)]

GEARS = make_chunk("A harmonic drive is a gear. It has almost no backlash.", "gears.mdx")
QUESTION = Question(text="What is a harmonic drive?", policy=Policy(refuse_below=0.0, warn_below=0.0))
PATIENT = {"deadline_seconds": 600, "generation_seconds": 600}


def prompt(tokens: int) -> Prompt:
    message = "Write a long fairy tale about a robot, at least three thousand words, in many chapters."
    return Prompt(instructions="You write long stories.", message=message, version="test", max_output_tokens=tokens)


async def test_it_streams_and_counts_its_tokens(llama_server: str, wire: Wire) -> None:
    model = model_at(llama_server, wire)
    await model.ping()
    pieces: list[str | TokenUsage] = []
    with pytest.raises(GeneratorCutShort):  # eight tokens are not a whole tale
        await _hear(model, pieces)
    await model.aclose()
    usage = pieces[-1]
    assert isinstance(usage, TokenUsage)
    assert len(pieces) > 1
    assert usage.input > 0
    assert 0 < usage.output <= 8


async def _hear(model: LanguageModel, pieces: list[str | TokenUsage]) -> None:
    async for piece in model.write(prompt(8)):
        pieces += [piece]


async def test_a_stream_that_is_closed_stops_the_model(llama_server: str, wire: Wire) -> None:
    model = model_at(llama_server, wire)
    async with aclosing(model.write(prompt(4_000))) as pieces:
        assert await anext(pieces)
    await asyncio.wait_for(_until_idle(llama_server), 30)
    await model.aclose()


async def _until_idle(url: str) -> None:
    async with httpx.AsyncClient() as client:
        while True:
            slots = (await client.get(f"{url}/slots")).json()
            if not any(slot["is_processing"] for slot in slots):
                return
            await asyncio.sleep(0.05)


async def test_the_answer_is_proven_or_refused_and_says_what_it_cost(llama_server: str, wire: Wire) -> None:
    model = model_at(llama_server, wire)
    settings = read_settings(**PATIENT, llm_max_output_tokens=48)
    agent = agent_of(settings, WordEmbedder(), ListIndex(chunks=[GEARS]), WORKERS, Turns(2), model=model)
    last = await agent.answer(QUESTION)
    await model.aclose()
    assert isinstance(last, AnswerCompleted)
    answer = last.answer
    assert answer.outcome in (Outcome.ANSWERED, Outcome.REFUSED)
    assert all(citation.excerpt in GEARS.text for citation in answer.citations)
    assert answer.model_used == (ExtractiveReader.name if answer.introduction else model.name)
    assert answer.tokens_used.output > 0
    assert answer.transcript is not None
    assert answer.transcript.response
    assert GEARS.text in answer.transcript.prompt


async def test_a_server_that_is_killed_in_the_middle_of_an_answer_leaves_what_the_book_says(wire: Wire) -> None:
    with started_llama_server() as (url, server):
        model = model_at(url, wire)
        pieces = model.write(prompt(4_000))
        assert await anext(pieces)
        server.kill()
        with pytest.raises(GeneratorFailed):
            async for _piece in pieces:
                pass
        settings = read_settings(**PATIENT)
        agent = agent_of(settings, WordEmbedder(), ListIndex(chunks=[GEARS]), WORKERS, Turns(2), model=model)
        last = await agent.answer(QUESTION)
        await model.aclose()
    assert isinstance(last, AnswerCompleted)
    assert last.answer.introduction is not None
    assert last.answer.model_used == ExtractiveReader.name

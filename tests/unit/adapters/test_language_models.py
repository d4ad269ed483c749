"""Both vendors' adapters, over HTTP, against an endpoint that behaves as badly as it is told to."""

import asyncio
import importlib
import inspect
import logging
from contextlib import aclosing

import pytest

from citebook.adapters.language_models import anthropic_model, openai_agents
from citebook.adapters.language_models.failures import UNREADABLE, reason_of
from citebook.domain.errors import ErrorContext, GeneratorFailed, GeneratorUnreachable
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from tests.language_models import KEY, WIRES, ScriptedEndpoint, Wire, all_of, model_at

PROMPT = Prompt(instructions="Be plain.", message="Say hello.", version="test", max_output_tokens=64)

pytestmark = [pytest.mark.network, pytest.mark.parametrize("wire", WIRES)]


async def test_text_comes_in_pieces_and_tokens_are_counted(wire: Wire) -> None:
    async with ScriptedEndpoint("Hel", "lo", " – ✓") as endpoint:
        assert await all_of(endpoint.model(wire), PROMPT) == ("Hello – ✓", TokenUsage(input=11, output=5, total=16))


async def test_the_first_line_is_passed_on_before_the_last_is_written(wire: Wire) -> None:
    async with ScriptedEndpoint("Hello\n", ending="stuck") as endpoint:
        async with aclosing(endpoint.model(wire).write(PROMPT)) as pieces:
            assert await anext(pieces) == "Hello\n"
        await asyncio.wait_for(endpoint.client_left.wait(), 60)


async def test_the_model_is_told_the_rules_the_question_and_its_limit_and_has_no_tools(wire: Wire) -> None:
    async with ScriptedEndpoint("x") as endpoint:
        await all_of(endpoint.model(wire), PROMPT)
    sent = endpoint.requests[0]
    assert sent["max_tokens"] == 64
    assert "tools" not in sent
    assert sent["messages"][-1] == {"role": "user", "content": "Say hello."}
    assert "Be plain." in (sent["system"] if wire == "anthropic" else sent["messages"][0]["content"])


async def test_a_reader_who_leaves_before_the_first_word_ends_the_call(wire: Wire) -> None:
    async with ScriptedEndpoint(ending="stuck") as endpoint:

        async def read() -> None:
            async with aclosing(endpoint.model(wire).write(PROMPT)) as pieces:
                await anext(pieces)

        reading = asyncio.create_task(read())
        await asyncio.wait_for(endpoint.is_writing.wait(), 60)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.wait_for(endpoint.client_left.wait(), 60)


async def test_an_error_of_our_own_is_not_the_vendor_s(wire: Wire) -> None:
    async with ScriptedEndpoint("Hello\n", ending="stuck") as endpoint:
        pieces = endpoint.model(wire).write(PROMPT)
        await anext(pieces)
        with pytest.raises(ValueError, match="ours"):
            await pieces.athrow(ValueError("ours"))
        await asyncio.wait_for(endpoint.client_left.wait(), 10)


@pytest.mark.parametrize("ending", ["silent", "broken"])
async def test_a_stream_without_its_end_marker_failed(wire: Wire, ending: str) -> None:
    async with ScriptedEndpoint("Hello", ending=ending) as endpoint:  # type: ignore[arg-type]
        with pytest.raises(GeneratorFailed):
            await all_of(endpoint.model(wire), PROMPT)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"data: [DONE]\n\n",
        b"data: 17\n\n",
        b'data: {"choices": "none"}\n\n',
        b'event: content_block_delta\ndata: {"type": "content_block_delta", "delta": 3}\n\n',
        b'event: error\ndata: {"error": {"message": "no"}}\n\n',
        b"\xff\xfe\x00",
    ],
)
async def test_a_malformed_stream_failed(wire: Wire, raw: bytes) -> None:
    async with ScriptedEndpoint(raw=raw) as endpoint:
        with pytest.raises(GeneratorFailed):
            await all_of(endpoint.model(wire), PROMPT)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503, 529])
async def test_an_error_is_translated_once_and_tells_nothing_of_the_vendor_s_words(
    wire: Wire, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with ScriptedEndpoint(status=status, error=f"key {KEY} prompt Be plain.") as endpoint:
        with pytest.raises(GeneratorFailed) as failure:
            await all_of(endpoint.model(wire), PROMPT)
    assert len(endpoint.requests) == 1
    assert type(failure.value) is GeneratorFailed
    shown = str(failure.value) + ErrorContext.of(failure.value, "1").model_dump_json() + caplog.text
    assert KEY not in shown
    assert "Be plain" not in shown


async def test_nobody_at_the_address_is_a_failure(wire: Wire) -> None:
    async with aclosing(model_at("http://127.0.0.1:9", wire)) as model:
        with pytest.raises(GeneratorUnreachable):
            await all_of(model, PROMPT)


async def test_it_can_be_asked_whether_it_is_there(wire: Wire) -> None:
    async with ScriptedEndpoint() as endpoint:
        await endpoint.model(wire).ping()
    async with aclosing(model_at("http://127.0.0.1:9", wire)) as model:
        with pytest.raises(GeneratorUnreachable):
            await model.ping()


def errors_of(name: str) -> list[type[Exception]]:
    """The public errors of a vendor's module."""
    found = inspect.getmembers(importlib.import_module(name), inspect.isclass)
    errors = [kind for _, kind in found if issubclass(kind, Exception) and not issubclass(kind, Warning)]
    own = [kind for kind in errors if not kind.__name__.startswith("_")]
    return [kind for kind in own if kind.__module__.partition(".")[0] == name.partition(".")[0]]


VENDOR_MODULES = {
    "openai": ("aiohttp.client_exceptions", "agents.exceptions"),
    "anthropic": ("anthropic._exceptions", "httpx2._exceptions"),
}
ADAPTERS = {"openai": openai_agents, "anthropic": anthropic_model}


def test_every_error_of_the_vendor_has_its_meaning(wire: Wire) -> None:
    errors = [kind for name in VENDOR_MODULES[wire] for kind in errors_of(name)]
    assert len(errors) > 20
    assert [kind for kind in errors if not issubclass(kind, (*ADAPTERS[wire].VENDOR_ERRORS, *UNREADABLE))] == []
    assert all(reason_of(kind) for kind in errors)

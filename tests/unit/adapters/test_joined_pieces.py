"""Pieces of text in a row become one; whatever else an endpoint says keeps its place."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from citebook.adapters.language_models.joined_pieces import JoinedPieces


def piece(text: str, **delta: Any) -> dict[str, Any]:
    return {"id": "1", "choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": None}]}


END = {"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE = {"id": "1", "choices": [], "usage": {"total_tokens": 3}}


def wire(*bodies: dict[str, Any]) -> list[bytes]:
    return [f"data: {json.dumps(body)}\n\n".encode() for body in bodies]


async def heard(*sent: bytes, breaks: Exception | None = None) -> list[Any]:
    """What an SDK reads of a stream."""

    async def stream() -> AsyncIterator[bytes]:
        for part in sent:
            yield part
        if breaks:
            raise breaks

    events: list[Any] = []
    try:
        async for event in JoinedPieces().aiter_bytes(stream()):
            said = event.json() if event.data.endswith("}") else event.data
            events.append(said)
    except ConnectionError:
        events.append("broken")
    return events


def texts(events: list[Any]) -> list[str]:
    return [event["choices"][0]["delta"]["content"] for event in events]


async def test_pieces_of_a_line_become_one() -> None:
    events = await heard(
        *wire(piece("", role="assistant"), piece("a "), piece("line\n"), piece("and "), piece("more"))
    )
    assert texts(events) == ["a line\n", "and more"]
    assert events[0]["choices"][0]["delta"]["role"] == "assistant"


async def test_a_line_without_an_end_is_told_by_and_by() -> None:
    told = texts(await heard(*wire(*[piece("0123456789")] * 50)))
    assert "".join(told) == "0123456789" * 50
    assert max(map(len, told)) < 250


@pytest.mark.parametrize(
    "other",
    [
        END,
        USAGE,
        {"error": {"message": "no"}},
        piece("x", tool_calls=[{"index": 0}]),
        piece("x", reasoning_content="hm"),
        {"id": "1", "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "length"}]},
        {**piece("x"), "usage": {"total_tokens": 3}},
        {**piece("x"), "error": {"message": "no"}},
        {"choices": [*piece("x")["choices"], *piece("y")["choices"]]},
    ],
)
async def test_what_is_not_text_alone_keeps_its_place(other: dict[str, Any]) -> None:
    events = await heard(*wire(piece("be"), piece("fore"), other, piece("after")))
    assert events == [piece("before"), other, piece("after")]


async def test_what_is_no_json_is_passed_on_as_it_is() -> None:
    sent = [b"data: {nonsense\n\n", b"data: [DONE]\n\n", b'data: {"choices": 3}\n\n']
    assert await heard(*wire(piece("a")), *sent) == [piece("a"), "{nonsense", "[DONE]", {"choices": 3}]


async def test_what_was_said_before_the_stream_broke_off_is_heard() -> None:
    assert await heard(*wire(piece("ha"), piece("lf")), breaks=ConnectionError()) == [piece("half"), "broken"]

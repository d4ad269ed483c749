"""What an endpoint streams is heard whole, wherever it is cut; what is no chunk of an answer is refused."""

import json
from typing import Any

import pytest

from citebook.adapters.language_models.chunk_events import ChunkEvents


def chunk(text: str | None, reason: str | None = None, **more: Any) -> bytes:
    delta = {} if text is None else {"content": text}
    body = {"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}
    return f"data: {json.dumps(body)}\n\n".encode()


def heard(events: ChunkEvents, sent: bytes, size: int = 1_000_000) -> str:
    return "".join(text for at in range(0, len(sent), size) for text in events.feed(sent[at : at + size]))


WHOLE = b": hello\n\n" + chunk("") + chunk("a – ") + chunk("✓\n") + chunk(None, "stop")
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 3}}\n\n'


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
def test_a_stream_says_the_same_however_it_is_cut(size: int, line_end: bytes) -> None:
    sent, events = (WHOLE + USAGE + b"data: [DONE]\n\n").replace(b"\n", line_end), ChunkEvents()
    assert (heard(events, sent, size), events.ending) == ("a – ✓\n", "stop")
    assert events.usage == {"prompt_tokens": 2, "completion_tokens": 3}


def test_an_event_of_several_lines_is_one() -> None:
    body = chunk("x")[6:-2].replace(b", ", b",\ndata: ")
    assert heard(ChunkEvents(), b"event: message\ndata: " + body + b"\n\n") == "x"


def test_a_character_that_is_cut_in_two_halves_is_passed_on_in_two() -> None:
    first, second = r'"\ud83d"', r'"\ude00"'
    sent = [f'data: {{"choices": [{{"delta": {{"content": {half}}}}}]}}\n\n'.encode() for half in (first, second)]
    assert heard(ChunkEvents(), b"".join(sent)) == "\ud83d\ude00"


def test_an_answer_that_is_withheld_has_not_come_to_its_end() -> None:
    events = ChunkEvents()
    heard(events, b'data: {"choices": [{"delta": {"refusal": "I may not."}, "finish_reason": null}]}\n\n')
    assert events.ending == "refusal"


@pytest.mark.parametrize(
    "sent",
    [
        b"data: 17\n\n",
        b"data: {nonsense\n\n",
        b'data: {"choices": "none"}\n\n',
        b'data: {"choices": [3]}\n\n',
        b'data: {"choices": [{"delta": {"content": 3}}]}\n\n',
        b'event: error\ndata: {"error": {"message": "no"}}\n\n',
        chunk("x", error={"message": "no"}),
        b"data: " + b"x" * 1_000_001,
    ],
)
def test_what_is_no_chunk_of_an_answer_is_refused(sent: bytes) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        heard(ChunkEvents(), sent)


def test_what_was_said_before_it_broke_was_heard() -> None:
    told = ChunkEvents().feed(chunk("ha") + chunk("lf") + b"data: {nonsense\n\n")
    assert next(told) == "half"
    with pytest.raises(ValueError, match="Expecting property name"):
        next(told)

"""Joins the pieces that an endpoint sends into lines before its SDK sees them.

An answer is read line by line, and the SDK takes half a millisecond for each event: a token at a time, that was
most of the work of an answer.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

from citebook.extras import brought_by

with brought_by("openai"):
    from openai._streaming import ServerSentEvent, SSEDecoder

_LONGEST_WAIT = 200
"""Characters that are told also where no line ends in them."""


class JoinedPieces(SSEDecoder):
    """Nothing is lost and nothing changes its place: only pieces of text in a row become one."""

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[ServerSentEvent]:
        held: _Text | None = None
        try:
            async for event in super().aiter_bytes(iterator):
                piece = _text_in(event)
                if piece is None:
                    if held is not None:
                        yield held.event()
                        held = None
                    yield event
                    continue
                held = piece if held is None else held.with_more(piece)
                if held.is_enough:
                    yield held.event()
                    held = None
        except Exception:  # what was heard before it broke off was heard
            if held is not None:
                yield held.event()
            raise
        if held is not None:
            yield held.event()


class _Text:
    """Pieces of text, within the event that brought the first of them."""

    def __init__(self, body: dict[str, Any], text: str) -> None:
        self._body, self._texts, self._length = body, [text], len(text)

    def with_more(self, piece: "_Text") -> "_Text":
        self._texts += piece._texts
        self._length += piece._length
        return self

    @property
    def is_enough(self) -> bool:
        return "\n" in self._texts[-1] or self._length >= _LONGEST_WAIT

    def event(self) -> ServerSentEvent:
        self._body["choices"][0]["delta"]["content"] = "".join(self._texts)
        return ServerSentEvent(data=json.dumps(self._body))


def _text_in(event: ServerSentEvent) -> _Text | None:
    """None where an event holds anything but a piece of text."""
    if not event.data.startswith("{"):
        return None
    try:
        body = event.json()
    except (ValueError, RecursionError):
        return None
    match body:
        case {"error": error} if error:
            return None
        case {"usage": usage} if usage:
            return None
        case {"choices": [{"delta": {"content": str(text), **rest}} as choice]}:
            is_plain = not choice.get("finish_reason") and not choice.get("logprobs")
            only_text = all(value is None for name, value in rest.items() if name != "role")
            return _Text(body, text) if is_plain and only_text else None
    return None

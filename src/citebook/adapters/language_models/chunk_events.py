"""Reads what a chat-completions endpoint streams: server-sent events, each a chunk of the answer as JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from citebook.adapters.language_models.failures import UNREADABLE

_LONGEST_EVENT = 1_000_000
"""Bytes; nothing that an answer needs is longer."""


@dataclass(slots=True)
class ChunkEvents:
    """Takes bytes cut anywhere."""

    ending: str | None = None
    """Why the stream ended, in the vendor's word; None before it says so."""
    usage: dict[str, Any] = field(default_factory=dict)
    _held: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[str]:
        """The text in the events that these bytes complete, in one piece.

        Raises one of `UNREADABLE` for what is no chunk of an answer, behind the text that was heard before it.
        """
        texts, failure = [], None
        try:
            for event in self._ended(data):
                payload = event[5:] if event.startswith(b"data:") and b"\n" not in event else _joined(event)
                if payload and payload.strip() != b"[DONE]":
                    texts.append(self._text_in(json.loads(payload)))
        except UNREADABLE as error:
            failure = error
        if text := "".join(texts):
            yield text
        if failure is not None:
            raise failure

    def _ended(self, data: bytes) -> list[bytes]:
        """Events end at an empty line. A carriage return stands in no JSON but as a part of a line's end."""
        looked_at = max(0, len(self._held) - 1)
        self._held += data.replace(b"\r", b"")
        end = self._held.rfind(b"\n\n", looked_at)
        if end < 0:
            if len(self._held) > _LONGEST_EVENT:
                raise ValueError("an event is too long")
            return []
        ended = bytes(self._held[:end])
        del self._held[: end + 2]
        return ended.split(b"\n\n")

    def _text_in(self, body: Any) -> str:
        match body:
            case {"error": error} if error:
                raise ValueError("the endpoint reported an error while it wrote")
            case {"choices": list(choices)}:
                self.usage = body.get("usage") or self.usage
                return self._text_of(choices[0]) if choices else ""
        raise ValueError("what came is no chunk of an answer")

    def _text_of(self, choice: Any) -> str:
        self.ending = choice.get("finish_reason") or self.ending
        said = choice.get("delta") or {}
        if said.get("refusal"):
            self.ending = "refusal"
        text = said.get("content") or ""
        if not isinstance(text, str):
            raise TypeError("what came is no text")
        return text


def _joined(event: bytes) -> bytes:
    """The data of an event that has several lines."""
    return b"\n".join(line[5:] for line in event.split(b"\n") if line.startswith(b"data:"))

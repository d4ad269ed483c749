"""One chat-completions endpoint, as a model that the OpenAI Agents SDK can run.

The SDK's own model reads each token through seven layers, at 150 µs a token; that was most of the work of an answer.
Why it is read this way: docs/decisions/0062-what-an-answer-costs.md.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from citebook.adapters.language_models.chunk_events import ChunkEvents
from citebook.adapters.language_models.failures import refused_with
from citebook.extras import brought_by
from citebook.pacing.beat import Beat

with brought_by("openai"):
    import agents
    import aiohttp
    from agents.items import TResponseInputItem, TResponseStreamEvent
    from openai.types.responses import (
        Response,
        ResponseCompletedEvent,
        ResponseOutputMessage,
        ResponseOutputText,
        ResponseTextDeltaEvent,
    )

_SECONDS = 60.0
"""Longest silence of the endpoint. A reader's deadline is shorter, and ends the call by itself."""
_FEW_CALLS = 10
_PAUSE = 0.1
"""Seconds between two times that calls are listened to where more than a few are open, so that more is heard at once.
A shorter one costs more than it saves: it ends before the next token comes."""
_LONGEST_WAIT = 200
"""Characters that are told also where no line ends in them."""


class Endpoint:
    """Its address and key, and connections that are shared by all answers of the process."""

    def __init__(self, name: str, base_url: str, api_key: str) -> None:
        self.name, self.base_url, self._key = name, base_url.rstrip("/"), api_key
        self._session: aiohttp.ClientSession | None = None
        self._open_calls = 0
        self._beat = Beat(_PAUSE)

    async def stream(self, body: Mapping[str, Any], events: ChunkEvents) -> AsyncGenerator[str, None]:
        """The text as it comes; what else was said stands in `events`. Raises `GeneratorFailed`."""
        self._open_calls += 1
        try:
            async with self._opened().post(f"{self.base_url}/chat/completions", json=body) as response:
                self._check(response)
                while data := await response.content.readany():
                    for text in events.feed(data):
                        yield text
                    await self._let_gather(response)
        finally:
            self._open_calls -= 1

    async def ping(self) -> None:
        """Asks which models there are."""
        async with self._opened().get(f"{self.base_url}/models") as response:
            self._check(response)
            await response.json(content_type=None)

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                headers={"Authorization": f"Bearer {self._key}"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_SECONDS, sock_read=_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=True,
            )
        return self._session

    def _check(self, response: aiohttp.ClientResponse) -> None:
        if response.status != 200:
            raise refused_with(self.name, response.status)

    async def _let_gather(self, response: aiohttp.ClientResponse) -> None:
        """The system keeps what comes meanwhile. All calls are listened to at the same moments: one of many wakes."""
        transport = response.connection.transport if response.connection else None
        if self._open_calls <= _FEW_CALLS or transport is None or transport.is_closing():
            return
        transport.pause_reading()
        try:
            await self._beat.wait()
        finally:
            transport.resume_reading()


class ChatCompletions(agents.Model):
    """One call. The SDK asks for it, and is told what it needs: pieces of text, and an end."""

    def __init__(self, endpoint: Endpoint, options: Mapping[str, Any]) -> None:
        self._endpoint, self._options = endpoint, options
        self.events = ChunkEvents()

    async def get_response(self, *_arguments: Any, **_options: Any) -> agents.ModelResponse:
        raise NotImplementedError("answers are streamed")

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        *_arguments: Any,
        **_options: Any,
    ) -> AsyncIterator[TResponseStreamEvent]:
        asked = [{"role": "user", "content": input}] if isinstance(input, str) else input
        messages = [{"role": "system", "content": system_instructions}, *asked]
        texts: list[str] = []
        pieces = self._endpoint.stream({**self._options, "messages": messages}, self.events)
        async with aclosing(pieces), aclosing(_in_lines(pieces)) as lines:
            async for text in lines:
                texts.append(text)
                yield _delta(text, len(texts))
        if self.events.ending is None:
            raise agents.exceptions.ModelBehaviorError("the stream ended without a finish_reason")
        yield _completed("".join(texts), len(texts) + 1)


async def _in_lines(pieces: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """An answer is read line by line, and the SDK takes half a millisecond for each event."""
    held = ""
    try:
        async for text in pieces:
            held += text
            if "\n" in text or len(held) >= _LONGEST_WAIT:
                yield held
                held = ""
    except Exception:  # what was heard before it broke off was heard
        if held:
            yield held
        raise
    if held:
        yield held


def _delta(text: str, number: int) -> ResponseTextDeltaEvent:
    return ResponseTextDeltaEvent.model_construct(
        type="response.output_text.delta",
        content_index=0,
        delta=text,
        item_id="1",
        logprobs=[],
        output_index=0,
        sequence_number=number,
    )


def _completed(text: str, number: int) -> ResponseCompletedEvent:
    """Without it the SDK takes a run for broken off. Nothing of ours reads it."""
    said = ResponseOutputText.model_construct(type="output_text", text=text, annotations=[], logprobs=[])
    message = ResponseOutputMessage.model_construct(
        id="1", type="message", role="assistant", status="completed", content=[said]
    )
    response = Response.model_construct(
        id="1",
        object="response",
        created_at=0.0,
        model="",
        output=[message],
        parallel_tool_calls=False,
        tool_choice="none",
        tools=[],
    )
    return ResponseCompletedEvent.model_construct(
        type="response.completed", sequence_number=number, response=response
    )

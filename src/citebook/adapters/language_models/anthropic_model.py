"""Anthropic's language models, by its own SDK."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from citebook.adapters.language_models.failures import check_ending, vendor_errors
from citebook.domain.errors import GeneratorFailed
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.extras import brought_by

with brought_by("anthropic"):
    import anthropic
    import httpx2

_SECONDS = 60.0
"""Longest silence of the endpoint. A reader's deadline is shorter, and ends the call by itself."""

VENDOR_ERRORS = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.CookieConflict,
    httpx2.InvalidURL,
)


@dataclass(slots=True)
class _Tally:
    """What a stream said beside its text."""

    read: int = 0
    written: int = 0
    has_ended: bool = False
    ending: str | None = None
    """Why it ended."""


class AnthropicModel:
    """One model. The client is shared by all answers of the process."""

    def __init__(self, client: anthropic.AsyncAnthropic, model: str) -> None:
        self.name = f"anthropic/{model}"
        self._client, self._model = client, model

    @classmethod
    def connect(cls, model: str, base_url: str, api_key: str) -> "AnthropicModel":
        client = anthropic.AsyncAnthropic(api_key=api_key, base_url=base_url, max_retries=0, timeout=_SECONDS)
        return cls(client, model)

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        with self._vendor_errors():
            stream = await self._client.messages.create(
                model=self._model,
                system=prompt.instructions,
                messages=[{"role": "user", "content": prompt.message}],
                max_tokens=prompt.max_output_tokens,
                stream=True,
            )
        async with stream:
            events, tally = aiter(stream), _Tally()
            while (text := await self._next_text(events, tally)) is not None:
                yield text
        if not tally.has_ended:
            raise GeneratorFailed(f"The model {self.name} stopped before its end")
        with self._vendor_errors():
            usage = TokenUsage(input=tally.read, output=tally.written, total=tally.read + tally.written)
        yield usage
        check_ending(self.name, tally.ending)

    async def _next_text(
        self, events: AsyncIterator[anthropic.types.RawMessageStreamEvent], tally: _Tally
    ) -> str | None:
        """None at the end of the stream."""
        with self._vendor_errors():
            async for event in events:
                match event.type:
                    case "message_start":
                        tally.read = _tokens_read(event.message.usage)
                    case "content_block_delta" if event.delta.type == "text_delta":
                        return event.delta.text
                    case "message_delta":
                        tally.written = event.usage.output_tokens
                        tally.ending = event.delta.stop_reason
                    case "message_stop":
                        tally.has_ended = True
        return None

    async def ping(self) -> None:
        """Asks which models there are. Raises `GeneratorFailed` where nobody answers."""
        with self._vendor_errors():
            await self._client.models.list()

    async def aclose(self) -> None:
        await self._client.close()

    def _vendor_errors(self) -> AbstractContextManager[None]:
        return vendor_errors(self.name, VENDOR_ERRORS)


def _tokens_read(usage: anthropic.types.Usage) -> int:
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return usage.input_tokens + cached

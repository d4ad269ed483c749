"""Anthropic's language models, by its own SDK."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

import anthropic
import httpx2

from citebook.domain.errors import GeneratorFailed
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt

_SECONDS = 60.0
"""Longest silence of the endpoint. A reader's deadline is shorter, and ends the call by itself."""

REASONS: dict[type[Exception], str] = {
    anthropic.AuthenticationError: "does not accept the key",
    anthropic.PermissionDeniedError: "does not allow this model or this place",
    anthropic.NotFoundError: "does not know the model or the address",
    anthropic.BadRequestError: "does not accept the request",
    anthropic.UnprocessableEntityError: "does not accept the request",
    anthropic.ConflictError: "is busy with a conflicting request",
    anthropic.RateLimitError: "asks for fewer requests, or the credit is used up",
    anthropic.InternalServerError: "has an error of its own, or is overloaded",
    anthropic.APITimeoutError: "did not answer in time",
    anthropic.APIConnectionError: "cannot be reached, or broke off",
    anthropic.APIResponseValidationError: "answered in a form that is not understood",
    anthropic.APIStatusError: "answered with an error",
    anthropic.APIError: "reported an error while it wrote",
    anthropic.AnthropicError: "cannot be used as it is set up",
    httpx2.TimeoutException: "did not answer in time",
    httpx2.HTTPError: "cannot be reached, or broke off",
    httpx2.StreamError: "broke off",
    httpx2.CookieConflict: "answered in a form that is not understood",
    httpx2.InvalidURL: "has no usable address",
    ValueError: "sent something that is no JSON",
    TypeError: "sent something of an unknown form",
    AttributeError: "sent something of an unknown form",
}
"""What each of the vendor's errors means. Its own words are not passed on: they may hold a key or a prompt."""


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
        read, written, has_ended = 0, 0, False
        with self._vendor_errors():
            stream = await self._client.messages.create(
                model=self._model,
                system=prompt.instructions,
                messages=[{"role": "user", "content": prompt.message}],
                max_tokens=prompt.max_output_tokens,
                stream=True,
            )
            async with stream:
                async for event in stream:
                    match event.type:
                        case "message_start":
                            read = _tokens_read(event.message.usage)
                        case "content_block_delta" if event.delta.type == "text_delta":
                            yield event.delta.text
                        case "message_delta":
                            written = event.usage.output_tokens
                        case "message_stop":
                            has_ended = True
        if not has_ended:
            raise GeneratorFailed(f"The model {self.name} stopped before its end")
        yield TokenUsage(input=read, output=written, total=read + written)

    async def ping(self) -> None:
        """Asks which models there are. Raises `GeneratorFailed` where nobody answers."""
        with self._vendor_errors():
            await self._client.models.list()

    async def aclose(self) -> None:
        await self._client.close()

    @contextmanager
    def _vendor_errors(self) -> Iterator[None]:
        try:
            yield
        except tuple(REASONS) as error:
            reason = next(REASONS[kind] for kind in type(error).__mro__ if kind in REASONS)
            raise GeneratorFailed(f"The model {self.name} {reason} ({type(error).__name__})") from None


def _tokens_read(usage: anthropic.types.Usage) -> int:
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return usage.input_tokens + cached

"""Language models behind any OpenAI-compatible endpoint, by the OpenAI Agents SDK."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import agents
import openai
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from openai.types.chat import ChatCompletionChunk

from citebook.domain.errors import GeneratorFailed
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt

_SECONDS = 60.0
"""Longest silence of the endpoint. A reader's deadline is shorter, and ends the call by itself."""

REASONS: dict[type[Exception], str] = {
    openai.AuthenticationError: "does not accept the key",
    openai.PermissionDeniedError: "does not allow this model or this place",
    openai.NotFoundError: "does not know the model or the address",
    openai.BadRequestError: "does not accept the request",
    openai.UnprocessableEntityError: "does not accept the request",
    openai.ConflictError: "is busy with a conflicting request",
    openai.RateLimitError: "asks for fewer requests, or the credit is used up",
    openai.InternalServerError: "has an error of its own",
    openai.APITimeoutError: "did not answer in time",
    openai.APIConnectionError: "cannot be reached, or broke off",
    openai.APIResponseValidationError: "answered in a form that is not understood",
    openai.APIStatusError: "answered with an error",
    openai.APIError: "reported an error while it wrote",
    openai.LengthFinishReasonError: "used up its tokens before it wrote anything",
    openai.ContentFilterFinishReasonError: "withheld its answer",
    openai.OpenAIError: "cannot be used as it is set up",
    agents.exceptions.ModelBehaviorError: "stopped before its end, or wrote nothing",
    agents.exceptions.ModelRefusalError: "withheld its answer",
    agents.exceptions.AgentsException: "did something that an answer does not need",
    ValueError: "sent something that is no JSON",
    TypeError: "sent something of an unknown form",
    AttributeError: "sent something of an unknown form",
}
"""What each of the vendor's errors means. Its own words are not passed on: they may hold a key or a prompt."""


class OpenAIAgentsModel:
    """One endpoint and one model. The client is shared by all answers of the process."""

    def __init__(self, client: openai.AsyncOpenAI, provider: str, model: str) -> None:
        self.name = f"{provider}/{model}"
        self._client = client
        self._is_openai = provider == "openai"
        self._model = _WholeStreams(model, client)

    @classmethod
    def connect(cls, provider: str, model: str, base_url: str, api_key: str) -> "OpenAIAgentsModel":
        client = openai.AsyncOpenAI(api_key=api_key, base_url=base_url, max_retries=0, timeout=_SECONDS)
        return cls(client, provider, model)

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        with self._vendor_errors():
            run = agents.Runner.run_streamed(
                agents.Agent(
                    name="Writer",
                    instructions=prompt.instructions,
                    model=self._model,
                    model_settings=self._model_settings(prompt),
                ),
                prompt.message,
                max_turns=1,
                run_config=agents.RunConfig(tracing_disabled=True, trace_include_sensitive_data=False),
            )
            events = run.stream_events()
            try:
                async for event in events:
                    if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                        yield event.data.delta
                usage = run.context_wrapper.usage
                yield TokenUsage(
                    input=usage.input_tokens,
                    output=usage.output_tokens,
                    total=usage.input_tokens + usage.output_tokens,
                )
            finally:
                await _stop(run)

    async def ping(self) -> None:
        """Asks which models there are. Raises `GeneratorFailed` where nobody answers."""
        with self._vendor_errors():
            await self._client.models.list()

    async def aclose(self) -> None:
        await self._client.close()

    def _model_settings(self, prompt: Prompt) -> agents.ModelSettings:
        """OpenAI's own models ask for the limit under another name, and must be told not to keep what they read."""
        limit = prompt.max_output_tokens
        return agents.ModelSettings(
            include_usage=True,
            max_tokens=None if self._is_openai else limit,
            extra_args={"max_completion_tokens": limit} if self._is_openai else None,
            store=False if self._is_openai else None,
        )

    @contextmanager
    def _vendor_errors(self) -> Iterator[None]:
        try:
            yield
        except tuple(REASONS) as error:
            reason = next(REASONS[kind] for kind in type(error).__mro__ if kind in REASONS)
            raise GeneratorFailed(f"The model {self.name} {reason} ({type(error).__name__})") from None


async def _stop(run: agents.RunResultStreaming) -> None:
    """Ends the call at once: without it, a stream that is closed early is read to its end first."""
    run.cancel()
    if run.run_loop_task is not None:
        with suppress(Exception, asyncio.CancelledError):
            await asyncio.wait([run.run_loop_task], timeout=1.0)


class _WholeStreams(OpenAIChatCompletionsModel):
    """Asks of every endpoint what the SDK asks of OpenAI's alone: that a stream says why it ended."""

    async def _fetch_response(self, *arguments: Any, **options: Any) -> Any:
        fetched = await super()._fetch_response(*arguments, **options)
        if isinstance(fetched, tuple):
            response, chunks = fetched
            return response, _WholeStream(chunks)
        return fetched


class _WholeStream:
    def __init__(self, chunks: openai.AsyncStream[ChatCompletionChunk]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        has_ended = False
        async for chunk in self._chunks:
            has_ended = has_ended or any(choice.finish_reason for choice in chunk.choices or ())
            yield chunk
        if not has_ended:
            raise agents.exceptions.ModelBehaviorError("the stream ended without a finish_reason")

    async def aclose(self) -> None:
        await self._chunks.close()

"""Language models behind any OpenAI-compatible endpoint, by the OpenAI Agents SDK."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager
from typing import Any

from citebook.adapters.language_models.failures import check_ending, vendor_errors
from citebook.adapters.language_models.joined_pieces import JoinedPieces
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.extras import brought_by

with brought_by("openai"):
    import agents
    import openai
    from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
    from openai._streaming import SSEDecoder
    from openai.types.chat import ChatCompletionChunk

_SECONDS = 60.0
"""Longest silence of the endpoint. A reader's deadline is shorter, and ends the call by itself."""

VENDOR_ERRORS = (openai.OpenAIError, agents.exceptions.AgentsException)


class OpenAIAgentsModel:
    """One endpoint and one model. The client is shared by all answers of the process."""

    def __init__(self, client: openai.AsyncOpenAI, provider: str, model: str) -> None:
        self.name = f"{provider}/{model}"
        self._client = client
        self._is_openai = provider == "openai"
        self._model_name = model

    @classmethod
    def connect(cls, provider: str, model: str, base_url: str, api_key: str) -> "OpenAIAgentsModel":
        client = _Client(api_key=api_key, base_url=base_url, max_retries=0, timeout=_SECONDS)
        return cls(client, provider, model)

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        model = _WholeStreams(self._model_name, self._client)
        run = agents.Runner.run_streamed(
            agents.Agent(
                name="Writer",
                instructions=prompt.instructions,
                model=model,
                model_settings=self._model_settings(prompt),
            ),
            prompt.message,
            max_turns=1,
            run_config=agents.RunConfig(tracing_disabled=True, trace_include_sensitive_data=False),
        )
        try:
            events = run.stream_events()
            while (text := await self._next_text(events)) is not None:
                yield text
            with self._vendor_errors():
                usage = _usage_of(run)
            yield usage
            check_ending(self.name, model.ending)
        finally:
            await _stop(run)

    async def _next_text(self, events: AsyncIterator[agents.StreamEvent]) -> str | None:
        """None at the end of the stream."""
        with self._vendor_errors():
            async for event in events:
                if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                    return event.data.delta
        return None

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

    def _vendor_errors(self) -> AbstractContextManager[None]:
        return vendor_errors(self.name, VENDOR_ERRORS)


class _Client(openai.AsyncOpenAI):
    """Hears whole lines where an endpoint sends letters."""

    def _make_sse_decoder(self) -> SSEDecoder:
        return JoinedPieces()


def _usage_of(run: agents.RunResultStreaming) -> TokenUsage:
    usage = run.context_wrapper.usage
    return TokenUsage(
        input=usage.input_tokens, output=usage.output_tokens, total=usage.input_tokens + usage.output_tokens
    )


async def _stop(run: agents.RunResultStreaming) -> None:
    """Ends the call at once: without it, a stream that is closed early is read to its end first."""
    run.cancel()
    if run.run_loop_task is not None:
        await asyncio.wait([run.run_loop_task], timeout=1.0)


class _WholeStreams(OpenAIChatCompletionsModel):
    """Asks of every endpoint what the SDK asks of OpenAI's alone: that a stream says why it ended. For one answer."""

    ending: str | None = None
    """Why it ended; None before its end."""

    async def _fetch_response(self, *arguments: Any, **options: Any) -> Any:
        fetched = await super()._fetch_response(*arguments, **options)
        if isinstance(fetched, tuple):
            response, chunks = fetched
            return response, _WholeStream(chunks, self)
        return fetched


class _WholeStream:
    def __init__(self, chunks: openai.AsyncStream[ChatCompletionChunk], model: _WholeStreams) -> None:
        self._chunks, self._model = chunks, model

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        async for chunk in self._chunks:
            endings = [choice.finish_reason for choice in chunk.choices or () if choice.finish_reason]
            self._model.ending = endings[0] if endings else self._model.ending
            yield chunk
        if self._model.ending is None:
            raise agents.exceptions.ModelBehaviorError("the stream ended without a finish_reason")

    async def aclose(self) -> None:
        await self._chunks.close()

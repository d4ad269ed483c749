"""Language models behind any OpenAI-compatible endpoint, by the OpenAI Agents SDK."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from citebook.adapters.language_models.chat_completions import ChatCompletions, Endpoint
from citebook.adapters.language_models.failures import check_ending, vendor_errors
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.extras import brought_by

with brought_by("openai"):
    import agents
    import aiohttp

VENDOR_ERRORS = (aiohttp.ClientError, agents.exceptions.AgentsException)


class OpenAIAgentsModel:
    """One endpoint and one model. Its connections are shared by all answers of the process."""

    def __init__(self, endpoint: Endpoint, provider: str, model: str) -> None:
        self.name = endpoint.name
        self._endpoint, self._model_name = endpoint, model
        self._is_openai = provider == "openai"

    @classmethod
    def connect(cls, provider: str, model: str, base_url: str, api_key: str) -> "OpenAIAgentsModel":
        return cls(Endpoint(f"{provider}/{model}", base_url, api_key), provider, model)

    @property
    def base_url(self) -> str:
        return self._endpoint.base_url

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        model = ChatCompletions(self._endpoint, self._options(prompt))
        run = agents.Runner.run_streamed(
            _writer(prompt.instructions),
            prompt.message,
            max_turns=1,
            run_config=agents.RunConfig(model=model, tracing_disabled=True, trace_include_sensitive_data=False),
        )
        try:
            events = run.stream_events()
            while (text := await self._next_text(events)) is not None:
                yield text
            with self._vendor_errors():
                usage = _tokens_of(model.events.usage)
            yield usage
            check_ending(self.name, model.events.ending)
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
        """Raises `GeneratorFailed` where nobody answers."""
        with self._vendor_errors():
            await self._endpoint.ping()

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        """OpenAI's own models ask for the limit under another name, and must be told not to keep what they read."""
        limit = prompt.max_output_tokens
        own = {"max_completion_tokens": limit, "store": False} if self._is_openai else {"max_tokens": limit}
        return {"model": self._model_name, "stream": True, "stream_options": {"include_usage": True}, **own}

    def _vendor_errors(self) -> AbstractContextManager[None]:
        return vendor_errors(self.name, VENDOR_ERRORS)


@lru_cache(maxsize=8)
def _writer(instructions: str) -> agents.Agent[None]:
    """Made once for each set of rules: the SDK looks through all types of an agent when it is made."""
    return agents.Agent(name="Writer", instructions=instructions)


def _tokens_of(usage: dict[str, Any]) -> TokenUsage:
    read, written = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
    return TokenUsage(input=read, output=written, total=read + written)


async def _stop(run: agents.RunResultStreaming) -> None:
    """Ends the call at once: without it, a stream that is closed early is read to its end first."""
    run.cancel()
    if run.run_loop_task is not None:
        await asyncio.wait([run.run_loop_task], timeout=1.0)

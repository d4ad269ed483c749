"""Our own share of an answer that a language model writes: all its time but what the model takes."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from time import perf_counter

from citebook.domain.events import Event, SentenceVerified
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.domain.question import Policy, Question
from citebook.language.languages import language_of
from citebook.root import wiring
from citebook.root.citebook import Citebook
from citebook.settings import Settings

_PACE = 0.002
"""Seconds a piece: 500 pieces of four letters a second, faster than most models."""


class PacedModel:
    """Quotes the first sentences that it is shown, piece by piece at a steady pace, and knows how long that took."""

    name = "paced"

    def __init__(self) -> None:
        self.seconds = 0.0
        self.first_line_at = 0.0

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        self.seconds = self.first_line_at = 0.0
        for line in _lines(prompt):
            for start in range(0, len(line), 4):
                started = perf_counter()
                await asyncio.sleep(_PACE)
                self.seconds += perf_counter() - started
                piece = line[start : start + 4]
                if piece.endswith("\n"):
                    self.first_line_at = self.first_line_at or perf_counter()
                yield piece
        yield TokenUsage()

    async def aclose(self) -> None:
        """There is nothing to close."""


def _lines(prompt: Prompt) -> list[str]:
    shown = re.search(r" excerpt 1\n[^\n]*\n\n(.*?)\n=== ", prompt.message, re.DOTALL)
    text = shown[1] if shown else ""
    quotes = [" ".join(text[start:end].split()) for start, end in language_of("en").sentence_spans(text)[:3]]
    return [json.dumps({"claim": quote, "excerpt": 1, "quote": quote}) + "\n" for quote in quotes]


async def own_times(settings: Settings, questions: Sequence[str]) -> tuple[list[float], list[float]]:
    """Of each question: the seconds that were not the model's, and those from its first line to a reader."""
    model = PacedModel()
    own: list[float] = []
    first: list[float] = []

    async def tell(event: Event) -> None:
        if isinstance(event, SentenceVerified) and len(first) == len(own):
            first.append(perf_counter() - model.first_line_at)

    async with Citebook(settings) as citebook:
        await citebook.load_models()
        agent = wiring.agent_of(
            settings, citebook.embedder, citebook.index(), citebook.workers, citebook.turns, model=model
        )
        for text in questions:
            question = Question(text=text, policy=Policy(refuse_below=0.0, warn_below=0.0))
            started = perf_counter()
            await agent.answer(question, tell)
            own.append(perf_counter() - started - model.seconds)
    return own, first

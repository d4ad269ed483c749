"""How many tokens a language model may cost in a day: those of one caller, and those of all together."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from citebook.domain.errors import GeneratorOverBudget
from citebook.domain.limits import Allowance, Limit, TokenUsage
from citebook.domain.prompt import Prompt
from citebook.domain.question import Question
from citebook.ports import LanguageModel, RateLimiter

_DAY = 24 * 3600
_UNIT = 1000
"""Tokens are counted by the thousand, rounded up."""
_BYTES_A_TOKEN = 3
"""Fewer than of usual text, so that what is counted is rather too much than too little."""


class TokenBudget:
    """Counts what may be spent before it is, so that no answer that is already being written goes beyond it."""

    def __init__(self, limiter: RateLimiter, *, of_all: int, of_one: int, of_answer: int) -> None:
        """Tokens a day of all callers and of one; and of an answer beside the words of its question."""
        self._limiter, self._of_answer = limiter, of_answer
        self.of_all, self.of_one = _daily(of_all), _daily(of_one)

    async def admit(self, caller: str, question: Question) -> Allowance:
        """Whether a caller may have one more answer, in questions like this one."""
        cost = _units(self._of_answer + _tokens(question.text) + _tokens(question.selected_text or ""))
        left = await self._limiter.take(f"tokens:{caller}", self.of_one, cost)
        return left.model_copy(update={"limit": left.limit // cost, "remaining": left.remaining // cost})

    async def spend(self, prompt: Prompt) -> None:
        """Raises `GeneratorOverBudget` where too little is left for this call."""
        cost = _tokens(prompt.instructions) + _tokens(prompt.message) + prompt.max_output_tokens
        if not (await self._limiter.take("tokens of all", self.of_all, _units(cost))).allowed:
            raise GeneratorOverBudget("The tokens that language models may cost in a day are used up")


class BudgetedModel:
    """A `LanguageModel` that is called only while the day's tokens last."""

    def __init__(self, model: LanguageModel, budget: TokenBudget) -> None:
        self._model, self._budget = model, budget

    @property
    def name(self) -> str:
        return self._model.name

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        await self._budget.spend(prompt)
        async with aclosing(self._model.write(prompt)) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        await self._model.aclose()


def _daily(tokens: int) -> Limit:
    return Limit(questions=max(1, tokens // _UNIT), seconds=_DAY)


def _tokens(text: str) -> int:
    return -(-len(text.encode(errors="surrogatepass")) // _BYTES_A_TOKEN)


def _units(tokens: int) -> int:
    return -(-tokens // _UNIT)

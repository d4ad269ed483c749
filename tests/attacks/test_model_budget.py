"""Spending the owner's model budget: a costly call is behind the limit, a token budget and a global cap (row 8)."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from citebook.adapters.rate_limits import MemoryRateLimiter
from citebook.domain.conversation import Exchange
from citebook.domain.events import AnswerCompleted
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt
from citebook.domain.question import Policy, Question
from citebook.pacing.token_budget import BudgetedModel, TokenBudget
from citebook.pacing.turns import Turns
from citebook.root.citebook import Citebook
from citebook.root.wiring import agent_of
from citebook.settings import read_settings
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, ROOMY, QuotingGenerator, token_of
from tests.fakes import WORKERS, ListIndex, WordEmbedder, events_of, make_chunk
from tests.language_models import SpokenModel

HONEST = "A harmonic drive has a backlash of 1 arc minute."
LINE = f'{{"claim": "{HONEST}", "excerpt": 1, "quote": "{HONEST}"}}\n'
PLENTY = 10**9
ANYTHING = Policy(refuse_below=0.0, warn_below=0.0)


def budget_of(*, of_all: int = PLENTY, of_one: int = PLENTY, of_answer: int = 1000) -> TokenBudget:
    return TokenBudget(MemoryRateLimiter(), of_all=of_all, of_one=of_one, of_answer=of_answer)


async def asked_of(model: SpokenModel, budget: TokenBudget, questions: int) -> list[AnswerCompleted]:
    index = ListIndex(chunks=[make_chunk(HONEST, "gears.mdx")])
    budgeted = BudgetedModel(model, budget)
    agent = agent_of(read_settings(), WordEmbedder(), index, WORKERS, Turns(4), model=budgeted)
    asked = Question(text="What backlash has a harmonic drive?", policy=ANYTHING)
    ends = [(await events_of(agent, asked))[-1] for _ in range(questions)]
    return [end for end in ends if isinstance(end, AnswerCompleted)]


async def test_beyond_the_cap_of_all_the_model_is_not_called_and_the_book_is_quoted() -> None:
    model = SpokenModel(LINE)
    answers = await asked_of(model, budget_of(of_all=10_000), questions=9)
    assert len(answers) == 9
    called = len(model.prompts)
    assert 1 <= called <= 5, "each call may write 1,000 tokens and reads as many"
    assert [answer.answer.claims[0].text for answer in answers] == [HONEST] * 9
    assert {answer.answer.model_used for answer in answers[called:]} == {"extractive"}


async def test_a_call_is_counted_before_it_is_made_and_many_at_once_spend_no_more() -> None:
    model, prompt = SpokenModel("x"), Prompt(instructions="i", message="m", version="1", max_output_tokens=1000)
    budgeted = BudgetedModel(model, budget_of(of_all=20_000))

    async def write() -> bool:
        try:
            return bool([piece async for piece in budgeted.write(prompt)])
        except Exception:
            return False

    assert sum(await asyncio.gather(*(write() for _ in range(200)))) == len(model.prompts) == 10


async def test_a_longer_prompt_costs_more() -> None:
    calls = []
    for message in ("m", "m" * 30_000):
        model = SpokenModel("x")
        budgeted = BudgetedModel(model, budget_of(of_all=50_000))
        prompt = Prompt(instructions="i", message=message, version="1", max_output_tokens=16)
        for _ in range(60):
            try:
                async for _piece in budgeted.write(prompt):
                    """All of it."""
            except Exception:
                break
        calls.append(len(model.prompts))
    assert calls == [50, 4]


@pytest.mark.parametrize("name", ["ask", "ask-stream", "core", "core-stream", "textbook", "agent", "academic"])
async def test_a_caller_whose_tokens_are_used_up_gets_the_contract_s_429(start: Start, name: str) -> None:
    writer = QuotingGenerator(claims=1)
    service = await start(writer=writer, policies=ROOMY, token_budget=budget_of(of_one=7_000))
    replies = [await ASKING[name].ask(service) for _ in range(5)]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429]
    assert len(writer.questions) == 3
    assert int(replies[-1].headers["Retry-After"]) > 3600
    assert replies[-1].headers["X-RateLimit-Remaining"] == "0"
    assert "language model" in replies[-1].text


async def test_one_who_spent_all_leaves_the_others_theirs(start: Start) -> None:
    service = await start(
        writer=QuotingGenerator(claims=1), policies=ROOMY, token_budget=budget_of(of_one=3_000, of_all=PLENTY)
    )
    core = ASKING["core"]
    while (await core.ask(service)).status_code == 200:
        """Until it is used up."""
    user = {"Authorization": f"Bearer {token_of('0c9fb2b0-6a0f-4b5c-8a51-2f4f6f0b7a10')}"}
    assert (await core.ask(service, headers=user)).status_code == 200
    async with service.client_at("203.0.113.200") as other:
        assert (await other.post(core.path, json=core.body())).status_code == 200


class NamedModel:
    """What a vendor's client would be."""

    name = "named"

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:  # noqa: ARG002
        yield ""

    async def ping(self) -> None:
        """It is there."""

    async def aclose(self) -> None:
        """There is nothing to close."""


async def test_whatever_asks_the_model_asks_it_through_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    monkeypatch.setattr("citebook.root.wiring.language_model_of", lambda _settings: NamedModel())
    async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
        agent = citebook.agent()
        askers = (agent._synthesis._writer._model, agent._router._model)  # type: ignore[union-attr]
        assert [type(model) for model in askers] == [BudgetedModel, BudgetedModel]
        assert citebook.token_budget is not None


async def test_a_follow_up_is_worded_by_rule_where_nothing_may_be_spent() -> None:
    model = SpokenModel("What backlash has a harmonic drive?")
    budget = budget_of(of_all=1_000)
    index = ListIndex(chunks=[make_chunk(HONEST, "gears.mdx")])
    agent = agent_of(read_settings(), WordEmbedder(), index, WORKERS, Turns(4), model=BudgetedModel(model, budget))
    said = Exchange(question="What is a harmonic drive?", answer=HONEST)
    for _ in range(3):
        asked = Question(text="and why is that?", history=(said,), policy=ANYTHING)
        assert isinstance((await events_of(agent, asked))[-1], AnswerCompleted)
    assert len(model.prompts) <= 1

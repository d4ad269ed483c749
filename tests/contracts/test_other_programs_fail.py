"""A program that cannot be reached is told apart from one that answers with an error."""

import pytest

from citebook.domain.errors import (
    GeneratorFailed,
    GeneratorUnreachable,
    VectorStoreUnavailable,
    VectorStoreUnreachable,
)
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, CANARY, DownIndex, QuotingGenerator

STRICT = {"refuse_below": 0.97, "warn_below": 0.97}
"""So strict that no quotation stands in for the model."""


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(GeneratorFailed, 500, "OPENAI_ERROR"), (GeneratorUnreachable, 503, "SERVICE_UNAVAILABLE")],
)
async def test_ask_says_whether_the_model_answered(
    start: Start, error: type[Exception], status: int, code: str
) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=error(CANARY)), policies={"ask": STRICT})
    response = await ASKING["ask"].ask(service)
    assert (response.status_code, response.json()["error"]) == (status, code)
    assert CANARY not in response.text
    streamed = await ASKING["ask-stream"].ask(service)
    assert (streamed.status_code, streamed.json()) == (status, response.json()), "nothing was streamed yet"


@pytest.mark.parametrize("error", [GeneratorFailed, GeneratorUnreachable])
async def test_agent_says_that_it_is_the_model_that_fails(start: Start, error: type[Exception]) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=error(CANARY)), policies={"agent": STRICT})
    response = await ASKING["agent"].ask(service)
    assert (response.status_code, response.json()["error"], response.json()["retryable"]) == (500, "llm", True)
    assert CANARY not in response.text


@pytest.mark.parametrize("error", [VectorStoreUnavailable, VectorStoreUnreachable])
async def test_agent_says_that_it_is_the_index_that_fails(start: Start, error: type[Exception]) -> None:
    response = await ASKING["agent"].ask(await start(index=DownIndex(error(CANARY))))
    assert (response.status_code, response.json()["error"], response.json()["retryable"]) == (500, "database", True)


@pytest.mark.parametrize("name", ["textbook", "core", "academic", "ask"])
async def test_elsewhere_an_index_that_is_down_is_down(start: Start, name: str) -> None:
    answered, unreached = [
        await ASKING[name].ask(await start(index=DownIndex(error(CANARY))))
        for error in (VectorStoreUnavailable, VectorStoreUnreachable)
    ]
    assert answered.status_code == unreached.status_code
    assert answered.status_code in (500, 503)

"""A mistyped question: the contracts that widgets use tell what was searched for."""

import json

import pytest

from tests.contracts.service import ASKING, QUESTION, Service

MISTYPED = "What is a harmonik drive?"
TELLING = ["textbook", "core", "ask"]


@pytest.mark.parametrize("name", TELLING)
async def test_an_answer_tells_the_corrected_question(service: Service, name: str) -> None:
    body = (await ASKING[name].ask(service, MISTYPED)).json()
    assert body["corrected"] == QUESTION
    assert body["outcome"] == "answered"


@pytest.mark.parametrize("name", ["core-stream", "ask-stream"])
async def test_the_end_of_a_stream_tells_the_corrected_question(service: Service, name: str) -> None:
    response = await ASKING[name].ask(service, MISTYPED)
    frames = [json.loads(line.removeprefix("data: ")) for line in response.text.splitlines() if line[:6] == "data: "]
    assert [frame["corrected"] for frame in frames if "corrected" in frame] == [QUESTION]


@pytest.mark.parametrize("name", TELLING)
async def test_a_question_without_slips_has_no_correction(service: Service, name: str) -> None:
    assert (await ASKING[name].ask(service)).json().get("corrected") is None

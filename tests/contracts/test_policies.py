"""What an operator changes of a contract's rules, and what stays."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest

from citebook.domain.answer import Claim
from citebook.domain.errors import InvalidSettings
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, Asking
from tests.fakes import claim_of


async def test_an_operator_may_change_a_part_of_a_rule(start: Start) -> None:
    policies = {"ask": {"question": {"max_characters": 5}, "max_top_k": 2, "top_k": 1}}
    service = await start(policies=policies)
    asking: Asking = ASKING["ask"]
    statuses = [(await asking.ask(service, text)).status_code for text in ("ab", "cups", "cup of")]
    assert statuses == [400, 200, 400], "the shortest question is still that of the contract"
    assert (await asking.ask(service, "cups", top_k=3)).status_code == 400


@pytest.mark.parametrize(
    ("changed", "where"),
    [({"question": {"max_characters": 0}}, "ask.question.max_characters"), ({"tokens": 1}, "ask.tokens")],
)
async def test_a_rule_that_makes_no_sense_stops_the_start(start: Start, changed: dict[str, Any], where: str) -> None:
    with pytest.raises(InvalidSettings, match=f"POLICIES: {where}: "):
        await start(policies={"ask": changed})


class EverySentence:
    """Quotes each sentence of all the evidence."""

    name = "every sentence"

    async def generate(self, _question: Question, evidence: QueryResult) -> AsyncGenerator[Claim, None]:
        for found in evidence.retrieved_chunks:
            for number in range(len(found.chunk.sentences)):
                yield claim_of(found.chunk, number)


async def test_textbook_shows_five_sources_and_no_marker_without_one(start: Start) -> None:
    service = await start(writer=EverySentence())
    many = (await ASKING["ask"].ask(service, top_k=10)).json()
    few = (await ASKING["textbook"].ask(service)).json()
    assert len(many["citations"]) > 5
    assert len(few["sources"]) == 5
    assert set(re.findall(r"\[(\d+)\]", few["answer"])) == set("12345")


@pytest.mark.parametrize("name", ASKING)
async def test_a_body_that_trickles_is_not_waited_for(start: Start, name: str) -> None:
    service = await start(policies={name.partition("-")[0]: {"max_body_seconds": 0.2}})

    async def trickle() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.05)

    headers = {"Content-Type": "application/json", **(service.bearer if ASKING[name].needs_key else {})}
    async with asyncio.timeout(30):
        response = await service.client.post(ASKING[name].path, content=trickle(), headers=headers)
    assert response.status_code == 400
    assert "must arrive within 0.2 seconds" in response.text

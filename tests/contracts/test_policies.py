"""What an operator changes of a contract's rules, and what stays."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, Asking


async def test_an_operator_may_change_a_part_of_a_rule(start: Start) -> None:
    policies = {"ask": {"question": {"max_characters": 5}, "max_top_k": 2, "top_k": 1}}
    service = await start(policies=policies)
    asking: Asking = ASKING["ask"]
    statuses = [(await asking.ask(service, text)).status_code for text in ("ab", "cups", "cup of")]
    assert statuses == [400, 200, 400], "the shortest question is still that of the contract"
    assert (await asking.ask(service, "cups", top_k=3)).status_code == 400


@pytest.mark.parametrize("name", ASKING)
async def test_a_body_that_trickles_is_not_waited_for(start: Start, name: str) -> None:
    service = await start(policies={name.partition("-")[0]: {"max_body_seconds": 0.2}})

    async def trickle() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.05)

    headers = {"Content-Type": "application/json", **(service.bearer if ASKING[name].needs_key else {})}
    async with asyncio.timeout(5):
        response = await service.client.post(ASKING[name].path, content=trickle(), headers=headers)
    assert response.status_code == 400
    assert "must arrive within 0.2 seconds" in response.text

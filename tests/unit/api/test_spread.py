"""Requests that come at one moment: all are served, in order, and health is heard between."""

import asyncio
from typing import Any

import pytest

from citebook.api.spread import Spread


class Noting:
    """An application that notes who begins, and in which turn of the loop."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.turn = 0
        self.turns: dict[str, int] = {}

    async def __call__(self, scope: Any, _receive: Any, _send: Any) -> None:
        self.begun.append(scope["path"])
        self.turns[scope["path"]] = self.turn

    async def count_turns(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.turn += 1


@pytest.fixture
def noting() -> Noting:
    return Noting()


async def ask(app: Spread, path: str) -> None:
    await app({"type": "http", "path": path}, None, None)  # type: ignore[arg-type]


async def test_all_are_served_in_the_order_in_which_they_came(noting: Noting) -> None:
    app = Spread(noting)
    await asyncio.gather(*(ask(app, f"/{number}") for number in range(200)))
    assert noting.begun == [f"/{number}" for number in range(200)]


async def test_only_a_few_begin_in_one_turn_of_the_loop(noting: Noting) -> None:
    app = Spread(noting)
    counting = asyncio.create_task(noting.count_turns())
    await asyncio.gather(*(ask(app, f"/{number}") for number in range(100)))
    counting.cancel()
    in_each = [list(noting.turns.values()).count(turn) for turn in set(noting.turns.values())]
    assert max(in_each) <= 16


async def test_health_waits_for_nobody(noting: Noting) -> None:
    app = Spread(noting)
    await asyncio.gather(*(ask(app, f"/{number}") for number in range(100)), ask(app, "/health"))
    assert noting.begun.index("/health") < 20


async def test_who_leaves_while_waiting_takes_nobodys_turn(noting: Noting) -> None:
    app = Spread(noting)
    asking = [asyncio.create_task(ask(app, f"/{number}")) for number in range(30)]
    await asyncio.sleep(0)
    for task in asking[10:20]:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    assert len(noting.begun) == 20
    await ask(app, "/later")
    assert noting.begun[-1] == "/later"

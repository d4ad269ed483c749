"""How a call of the OpenAI Agents SDK ends, which runs in a task of its own."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from citebook.adapters.language_models.openai_agents import _stop


async def test_who_is_cancelled_while_a_call_ends_stays_cancelled() -> None:
    endless = asyncio.create_task(asyncio.Event().wait())
    stopping = asyncio.create_task(_stop(cast("Any", SimpleNamespace(cancel=endless.done, run_loop_task=endless))))
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    endless.cancel()

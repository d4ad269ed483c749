"""An answer that a language model wrote half wrong, as a reader gets it: by JSON and by stream."""

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from citebook.language.languages import language_of
from citebook.writing.grounded_writing import GroundedWriter
from tests.contracts.service import ASKING, ROOMY, Parts, Service, frames_of, running_service
from tests.language_models import ScriptedEndpoint

pytestmark = pytest.mark.network

CUP = "A harmonic drive is a gear that bends a thin steel cup."
BACKLASH = "It has almost no backlash."
RATIO = "Its ratio is 100, and it weighs 2 kg."
GREASE = "The cup must be greased once a year unless the drive is sealed."
COST = "However, a harmonic drive is more expensive than a belt."
GEARS = f"""\
---
title: Gears
---

## Harmonic drives

{CUP} {BACKLASH} {RATIO}

{GREASE} {COST}
"""
QUESTION = "What is a harmonic drive?"
Ask = Callable[..., Awaitable[tuple[dict[str, Any], list[dict[str, Any]]]]]


def line(claim: str, quote: str) -> str:
    return json.dumps({"claim": claim, "excerpt": 1, "quote": quote}) + "\n"


REPLIES = language_of("en").conversation.replies
SURE = '{"confidence": 0.9}\n'


@pytest.fixture
async def ask(ingested: Path, tmp_path: Path) -> AsyncIterator[Ask]:
    """The reply as JSON and the frames of the stream, of a model that says these lines."""
    async with AsyncExitStack() as running:

        async def asked(*lines: str, reason: str | None = None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
            endpoint = await running.enter_async_context(ScriptedEndpoint(*lines, reason=reason))
            folder = shutil.copytree(ingested, tmp_path / "own")
            parts = Parts(writer=GroundedWriter(endpoint.model("openai")), policies=ROOMY)
            service: Service = await running.enter_async_context(running_service(folder, parts))
            await service.ingest_again(tmp_path / "book", gears=GEARS)
            reply = (await ASKING["ask"].ask(service, QUESTION)).json()
            return reply, frames_of((await ASKING["ask-stream"].ask(service, QUESTION)).text)

        yield asked


HALF_WRONG = (
    line("A harmonic drive is a gear.", CUP),
    line("A harmonic drive has enormous backlash.", BACKLASH),
    line("The ratio is 50.", f"{BACKLASH} {RATIO}"),
    line("A harmonic drive weighs 2 kg.", RATIO),
    line("Unless the drive is sealed, the cup must be greased once a year.", GREASE),
    line("The cup must be greased once a year.", GREASE),
    line("A belt is more expensive than a harmonic drive.", COST),
    line("Harmonic drives cure headaches.", "Harmonic drives cure headaches."),
)


async def test_what_strays_is_quoted_and_nothing_is_said_twice(ask: Ask) -> None:
    reply, _ = await ask(*HALF_WRONG, SURE)
    assert reply["answer"] == (
        f"A harmonic drive is a gear. [1] {BACKLASH} [2] {RATIO} [3] "
        f"Unless the drive is sealed, the cup must be greased once a year. [4] {COST} [5]"
    )


async def test_the_stream_says_the_same_and_each_part_is_a_whole_sentence(ask: Ask) -> None:
    reply, frames = await ask(*HALF_WRONG, SURE)
    assert "".join(frame["content"] for frame in frames) == reply["answer"]
    parts = [part for frame in frames for part in frame.get("parts", ()) if not frame["done"]]
    assert [part["blocks"][0]["text"][0]["text"][-1] for part in parts] == ["."] * 5


async def test_a_quote_stands_in_the_book_to_the_letter(ask: Ask) -> None:
    reply, _ = await ask(*HALF_WRONG, SURE)
    excerpts = [citation["excerpt"] for citation in reply["citations"]]
    assert excerpts == [CUP, BACKLASH, RATIO, GREASE, COST]


async def test_where_no_quote_stands_anywhere_it_is_said_that_the_book_is_quoted(ask: Ask) -> None:
    reply, _ = await ask(line("Harmonic drives cure headaches.", "Harmonic drives cure headaches."), SURE)
    assert reply["answer"].startswith(REPLIES.nothing_proven)
    assert "headaches" not in reply["answer"]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_of_an_answer_that_was_cut_short_half_a_sentence_is_not_told(ask: Ask, reason: str) -> None:
    reply, frames = await ask(HALF_WRONG[0], '{"claim": "It must be gre', reason=reason)
    assert reply["answer"] == "".join(frame["content"] for frame in frames) == "A harmonic drive is a gear. [1]"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_of_an_answer_that_was_cut_short_at_once_the_book_is_quoted(ask: Ask, reason: str) -> None:
    reply, _ = await ask('{"claim": "A harmonic', reason=reason)
    assert reply["answer"].startswith(REPLIES.model_failed)

"""Answers as blocks: JSON, streams and histories carry the same parts, and the text is made of these."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from citebook.domain.answer import MAX_ANSWER_CHARACTERS
from tests.contracts.service import ASKING, ROOMY, Parts, QuotingGenerator, Service, frames_of, running_service

LONG_CODE = "\n".join(f"drive.set_register({number}, 0)" for number in range(600))
GEARS = f"""\
---
title: Gears
---

## Harmonic drives

A **harmonic drive** is a gear with `zero` backlash and a ratio of $N/2$.

| Drive | Ratio |
| --- | --- |
| harmonic | 100 |

1. Grease the cup.
2. Wait a day.

> It is costly.

## Registers of the drive

```python
{LONG_CODE}
```

## Parts

{" ".join(f"A planetary gear has part {number}." for number in range(7))}
"""
SENTENCES = 6
"""Of the section on harmonic drives: a sentence, the two rows of a table, two items and a quotation."""
STREAMS = {"core-stream": "chunk", "ask-stream": "content"}

Begin = Callable[..., Awaitable[Service]]


@pytest.fixture
async def begin(ingested: Path, tmp_path: Path) -> AsyncIterator[Begin]:
    """Starts a service whose page on gears has blocks of every kind."""
    async with AsyncExitStack() as running:

        async def started(**parts: Any) -> Service:
            folder = shutil.copytree(ingested, tmp_path / "own")
            made = Parts(**{"policies": ROOMY, "writer": QuotingGenerator(claims=SENTENCES), **parts})
            service = await running.enter_async_context(running_service(folder, made))
            await service.ingest_again(tmp_path / "book", gears=GEARS)
            return service

        yield started


QUESTION = "What is a harmonic drive gear with zero backlash?"


async def test_every_block_of_the_book_comes_out_as_it_is(begin: Begin) -> None:
    body = (await ASKING["ask"].ask(await begin(), QUESTION, top_k=SENTENCES)).json()
    assert body["answer"] == (
        "A harmonic drive is a gear with `zero` backlash and a ratio of $N/2$. [1]\n\n"
        "| Drive | Ratio |\n| --- | --- |\n\n[2]\n\n| Drive | Ratio |\n| --- | --- |\n| harmonic | 100 |\n\n[3]\n\n"
        "1. Grease the cup. [4]\n\n2. Wait a day. [5]\n\n> It is costly.\n\n[6]"
    )
    assert [[block["kind"] for block in part["blocks"]] for part in body["parts"]] == [
        ["paragraph"],
        ["table"],
        ["table"],
        ["list"],
        ["list"],
        ["quotation"],
    ]
    assert [part["citation"] for part in body["parts"]] == [1, 2, 3, 4, 5, 6]
    second_item = body["parts"][4]["blocks"][0]
    assert (second_item["ordered"], second_item["start"]) == (True, 2)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("question", [QUESTION, "hello", "What is the capital of France?"])
async def test_a_stream_tells_the_same_parts_piece_by_piece(begin: Begin, name: str, question: str) -> None:
    service = await begin()
    *texts, last = frames_of((await ASKING[name].ask(service, question)).text)
    whole = (await ASKING[name.removesuffix("-stream")].ask(service, question, headers={"Accept": "*/*"})).json()
    assert [part for frame in texts for part in frame["parts"]] == last["parts"] == whole["parts"]
    assert "".join(frame[STREAMS[name]] for frame in texts) == whole["answer"]


@pytest.mark.parametrize("name", ["textbook", "core", "ask"])
async def test_a_refusal_is_one_part_without_a_source(begin: Begin, name: str) -> None:
    body = (await ASKING[name].ask(await begin(), "What is the capital of France?")).json()
    (part,) = body["parts"]
    assert part["citation"] is None
    assert part["blocks"][0]["text"][0]["text"] == body["answer"]


async def test_a_selection_that_does_not_answer_is_told_in_blocks_too(begin: Begin) -> None:
    body = (await ASKING["ask-selected"].ask(await begin(), "What is the capital of France?")).json()
    assert [part["blocks"][0]["text"][0]["text"] for part in body["parts"]] == [body["answer"]]


async def test_a_history_shows_what_the_answer_showed(begin: Begin) -> None:
    service = await begin()
    made = await ASKING["core"].ask(service, QUESTION)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    address = f"/api/v1/chat/sessions/{made.json()['sessionId']}"
    asked, answered = (await service.client.get(address, headers=headers)).json()["messages"]
    assert "parts" not in asked
    assert answered["parts"] == made.json()["parts"]


async def test_plain_text_has_neither_markers_nor_markup(begin: Begin) -> None:
    body = (await ASKING["agent"].ask(await begin(), QUESTION)).json()
    assert body["answer"] == (
        "A harmonic drive is a gear with zero backlash and a ratio of $N/2$.\n\n"
        "Drive | Ratio\n\nharmonic | 100\n\nGrease the cup.\n\nWait a day."
    ), "five sources are the most"


async def test_a_long_source_form_stands_below_a_table(begin: Begin) -> None:
    generator = QuotingGenerator(claims=3)
    body = (await ASKING["academic"].ask(await begin(writer=generator), QUESTION)).json()
    first, _, _, table, source = body["answer"].split("\n\n")
    assert first.startswith("A harmonic drive is a gear with `zero` backlash and a ratio of $N/2$. [Source: ")
    assert first.endswith('"]')
    assert table == "| Drive | Ratio |\n| --- | --- |\n| harmonic | 100 |"
    assert source.startswith("[Source: Harmonic drives (/docs/joints/gears#harmonic-drives) - ")


async def test_textbook_leaves_out_what_its_five_sources_do_not_prove(begin: Begin) -> None:
    service = await begin(writer=QuotingGenerator(claims=7))
    whole = (await ASKING["ask"].ask(service, "Which part has a planetary gear?", top_k=7)).json()
    body = (await ASKING["textbook"].ask(service, "Which part has a planetary gear?")).json()
    assert len(whole["citations"]) == 7
    assert len(body["sources"]) == 5
    assert body["parts"] == whole["parts"][:5]
    assert body["answer"] == whole["answer"].partition(" A planetary gear has part 5.")[0]


@pytest.mark.parametrize("name", [name for name in ASKING if "selected" not in name and "restricted" not in name])
async def test_a_block_that_is_longer_than_an_answer_is_told_in_part(begin: Begin, name: str) -> None:
    assert len(LONG_CODE) > MAX_ANSWER_CHARACTERS
    service = await begin(writer=QuotingGenerator(claims=1))
    response = await ASKING[name].ask(service, "registers of the drive")
    assert response.status_code == 200, response.text
    assert "drive.set_register(17, 0)" in response.text
    assert "drive.set_register(599, 0)" not in response.text


async def test_what_is_told_in_part_ends_with_a_line_of_the_book(begin: Begin) -> None:
    service = await begin(writer=QuotingGenerator(claims=1))
    body = (await ASKING["ask"].ask(service, "registers of the drive")).json()
    code, goes_on = body["parts"][0]["blocks"]
    assert LONG_CODE.startswith(f"{code['text']}\n")
    assert goes_on["text"][0]["text"] == "…"
    assert body["answer"] == f"```python\n{code['text']}\n```\n\n… [1]"

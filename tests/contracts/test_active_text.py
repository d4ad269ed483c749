"""Text of the book that would be an image, a link or a script: it leaves in every contract as nothing but text."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.ingestion.indexing import Ingest
from tests.contracts.service import ASKING, ROOMY, RULES, SEARCHING, Parts, Service, frames_of, running_service
from tests.fakes import WORKERS, WordEmbedder

IMAGE = "<img src=x onerror=alert(1)>"
LINK = "[here](javascript:alert(2))"
PICTURE = "![p](https://evil.example/p.png)"
SHOWN = rf"\{IMAGE} and \{LINK} and \!\{PICTURE[1:]} and https://evil.example/x"
PAGE = f"""---
title: '{IMAGE} {LINK} Drives'
---

## Harmonic \\{IMAGE} drives \\{LINK}

A harmonic drive is a gear that bends a thin steel cup, see {SHOWN}.

## Worm \\{IMAGE} gears

| worm gear | note \\{IMAGE} |
| --- | --- |
| worm ratio | {SHOWN} |

## Belt code

The belt code prints a picture:

```html
{IMAGE} {PICTURE} belt
```

<div hidden>Belt secrets are swordfish.</div>
"""
QUESTIONS = [
    "What is a harmonic drive?",
    "What is the worm ratio of a worm gear?",
    "Show me the belt code that prints a picture",
    "What is the capital of France?",
    "What is this book about?",
    "Which chapters does the book have?",
]
ACTIVE = {"link_open", "image", "html_inline", "html_block"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("active")
    (folder / "book").mkdir()
    (folder / "book" / "page.md").write_text(PAGE, encoding="utf-8")
    (folder / "book" / "other.md").write_text(f"# Chains \\{IMAGE}\n\nA chain is a row of links.\n")
    ingest = Ingest(EmbeddedQdrant(folder / "index", WORKERS), WordEmbedder(), RULES, "/docs")
    asyncio.run(ingest.run(folder / "book", progress=lambda _report: None))
    return folder


@pytest.fixture
async def service(folder: Path) -> AsyncIterator[Service]:
    async with running_service(folder, Parts(policies=ROOMY)) as running:
        yield running


def active_tokens(markdown: str) -> list[Token]:
    """What a renderer of Markdown would make more of than text, also where it takes raw HTML and bare addresses."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    inline = [child for token in tokens for child in token.children or []]
    return [token for token in (*tokens, *inline) if token.type in ACTIVE]


def bare_addresses(markdown: str) -> list[str]:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    raw = [token.content for token in tokens if token.type == "inline"]
    outside_code = ["".join(text.split("`")[::2]) for text in raw]
    return [text for text in outside_code if "https://" in text]


async def answer_of(service: Service, contract: str, question: str) -> str:
    response = await ASKING[contract].ask(service, question)
    assert response.status_code == 200, response.text
    if contract.endswith("stream"):
        frames = frames_of(response.text)
        return "".join(
            frame.get("chunk") or frame.get("answer_chunk") or frame.get("content") or "" for frame in frames
        )
    body: dict[str, Any] = response.json()
    return str(body["answer"])


MARKDOWN = [name for name in SEARCHING if name != "agent"]


@pytest.mark.parametrize("contract", MARKDOWN)
async def test_an_answer_in_markdown_holds_neither_links_nor_images_nor_html(service: Service, contract: str) -> None:
    for question in QUESTIONS:
        answer = await answer_of(service, contract, question)
        assert answer, question
        assert active_tokens(answer) == []
        assert bare_addresses(answer) == []
        assert "swordfish" not in answer


async def test_what_is_escaped_reads_as_the_book_does(service: Service) -> None:
    answer = await answer_of(service, "ask", QUESTIONS[0])
    (shown, *_) = (token for token in MarkdownIt("commonmark").parse(answer) if token.type == "inline")
    text = "".join(child.content for child in shown.children or [])
    assert f"{IMAGE} and {LINK}" in text


async def test_plain_fields_are_the_book_to_the_letter(service: Service) -> None:
    plain = await answer_of(service, "agent", QUESTIONS[0])
    assert f"{IMAGE} and {LINK}" in plain
    cited = (await ASKING["ask"].ask(service, QUESTIONS[0])).json()["citations"][0]
    assert cited["section_title"] == f"Harmonic {IMAGE} drives {LINK}"
    assert IMAGE in cited["excerpt"]


async def test_the_description_says_which_texts_are_markdown(service: Service) -> None:
    document = service.app.openapi()
    schemas = document["components"]["schemas"].values()
    found = [
        schema["properties"] for schema in schemas if {"answer", "confidence"} <= schema.get("properties", {}).keys()
    ]
    assert len(found) >= 5
    for properties in found:
        assert properties["answer"]["description"].startswith(("Markdown; the book's own text", "Plain text"))
    assert "never as HTML or Markdown" in document["info"]["description"]

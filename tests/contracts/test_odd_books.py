"""Books as nobody should write them: they are read and answer as well as can be, and never with an error."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.answer import MAX_ANSWER_CHARACTERS
from citebook.domain.errors import BookIsEmpty
from citebook.ingestion.indexing import Ingest
from tests.contracts.service import ASKING, ROOMY, RULES, Parts, running_service
from tests.fakes import WORKERS, WordEmbedder

Ask = Callable[[str, str], Awaitable[dict[str, Any]]]


@pytest.fixture
async def ask(tmp_path: Path) -> AsyncIterator[Ask]:
    """Makes a book of one page, asks it through `/api/ask`, and gives the body of a 200."""
    async with AsyncExitStack() as running:

        async def asked(page: str, question: str) -> dict[str, Any]:
            await ingest(tmp_path, page)
            service = await running.enter_async_context(running_service(tmp_path, Parts(policies=ROOMY)))
            pages = await service.client.get("/book/pages/page")
            assert pages.status_code == 200, pages.text
            response = await ASKING["ask"].ask(service, question)
            assert response.status_code == 200, response.text
            body: dict[str, Any] = response.json()
            return body

        yield asked


async def ingest(folder: Path, page: str) -> None:
    (folder / "book").mkdir()
    (folder / "book" / "page.md").write_text(page, encoding="utf-8")
    run = Ingest(EmbeddedQdrant(folder / "index", WORKERS), WordEmbedder(), RULES, "/docs")
    await run.run(folder / "book", progress=lambda _report: None)


DRIVE = "A harmonic drive is a gear that bends a thin steel cup."


async def test_a_book_of_one_line(ask: Ask) -> None:
    body = await ask(DRIVE, "What is a harmonic drive?")
    assert (body["citations"][0]["excerpt"], body["citations"][0]["section_title"]) == (DRIVE, "Page")


async def test_a_book_without_headings(ask: Ask) -> None:
    paragraphs = [f"Paragraph {number} tells of belts and of chains." for number in range(300)]
    body = await ask("\n\n".join([*paragraphs[:150], DRIVE, *paragraphs[150:]]), "What is a harmonic drive?")
    assert body["citations"][0]["excerpt"] == DRIVE


async def test_a_page_with_thousands_of_headings(ask: Ask) -> None:
    """Four times as many take four times as long: 10,000 were read in seven seconds."""
    sections = [f"## Gear {number}\n\nGear {number} turns." for number in range(2_500)]
    sections[2_000] = f"## Harmonic drives\n\n{DRIVE}"
    body = await ask("\n\n".join(sections), "What is a harmonic drive?")
    assert body["citations"][0]["excerpt"] == DRIVE
    assert body["citations"][0]["url"] == "/docs/page#harmonic-drives"


async def test_a_book_of_headings_alone(ask: Ask) -> None:
    body = await ask("# Gears\n\n## Harmonic drives\n\n## Belts\n", "harmonic drives")
    assert body["answer"]


def table(rows: int) -> str:
    lines = [f"| motor {number} | {number} Nm | It turns joint {number}. |" for number in range(rows)]
    lines[rows // 2] = "| zebra | 42 Nm | The zebra motor turns the tail. |"
    return "\n".join(["| Motor | Torque | Use |", "| --- | --- | --- |", *lines, ""])


async def test_a_book_of_one_long_table(ask: Ask) -> None:
    """A longer one takes its time and no more: 2 MB were read in half a minute and 0.7 GB."""
    body = await ask(table(2_000), "What does the zebra motor turn?")
    assert "The zebra motor turns the tail." in body["answer"]
    assert len(body["answer"]) < MAX_ANSWER_CHARACTERS


async def test_a_book_of_one_huge_cell(ask: Ask) -> None:
    text = "belt " * 5_000 + DRIVE + " chain" * 5_000
    body = await ask(f"| Drives |\n| --- |\n| {text} |\n", "What is a harmonic drive?")
    assert len(body["answer"]) < MAX_ANSWER_CHARACTERS


async def test_a_book_of_one_endless_sentence(ask: Ask) -> None:
    text = "belts " * 4_000 + DRIVE.removesuffix(".") + " and belts" * 4_000
    body = await ask(text, "What is a harmonic drive?")
    assert len(body["answer"]) < MAX_ANSWER_CHARACTERS


async def test_a_book_of_one_endless_word(ask: Ask) -> None:
    body = await ask("x" * 300_000, "What is a harmonic drive?")
    assert "did not find this" in body["answer"]


async def test_a_book_of_code(ask: Ask) -> None:
    code = "\n".join(f"drive.set_register({number}, 0)" for number in range(1_000))
    body = await ask(f"```python\n{code}\n```\n", "What sets a register of the drive?")
    assert body["answer"]
    assert len(body["answer"]) < MAX_ANSWER_CHARACTERS < len(code)


async def test_a_book_of_pictures_is_known_by_their_descriptions(ask: Ask) -> None:
    body = await ask("![A harmonic drive with a steel cup](a.png)\n\n![](b.png)\n", "harmonic drive steel cup")
    assert body["answer"]


@pytest.mark.parametrize(
    "page", ["", " \n\n", "![](a.png)\n\n![](b.png)\n", "<!-- later -->\n", "---\ntitle: A\n---\n"]
)
async def test_a_book_without_a_word_is_refused_and_says_why(tmp_path: Path, page: str) -> None:
    with pytest.raises(BookIsEmpty, match="hold no text"):
        await ingest(tmp_path, page)

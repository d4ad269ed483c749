"""The questions that a book answers under a heading of their own."""

from pathlib import Path

import pytest

from citebook.adapters.frequent_questions_file import FrequentQuestionsFile
from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.frequent_questions import FrequentQuestion, FrequentQuestions
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest
from citebook.outlining.frequent_questions import find_frequent_questions
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import write_book

HOLDS = "The shaft keeps its place against a load, whatever pushes it away."
RULES = ChunkingRules(target_tokens=100, overlap=0.2, max_tokens=128)


async def questions_of(folder: Path, **pages: str) -> list[FrequentQuestion]:
    index = EmbeddedQdrant(folder / "index", WORKERS)
    book = write_book(folder / "book", **pages)
    await Ingest(index, WordEmbedder(), RULES, "/docs").run(book, progress=lambda _report: None)
    found = await find_frequent_questions(index)
    assert found.edition == (await index.edition()).name
    return list(found.entries)


async def test_what_a_section_defines_is_asked_for(tmp_path: Path) -> None:
    drives = next(one for one in await questions_of(tmp_path) if "harmonic" in one.question)
    assert drives == FrequentQuestion(
        question="What is a harmonic drive?",
        answer="A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash.",
        url="/docs/joints/gears#harmonic-drives",
    )


@pytest.mark.parametrize(
    ("title", "text", "question"),
    [
        ("What a servo is", HOLDS, "What is a servo?"),
        ("What is a servo?", HOLDS, "What is a servo?"),
        ("What servos mean", HOLDS, "What are servos?"),
        ("How fast is it?", HOLDS, "How fast is it?"),
        ("Servos", "Servos are the parts that hold their place.", "What are servos?"),
        ("Servos", "Servos are loud. They hold their place.", None),
        ("Servos", "A belt is a band of rubber.", None),
        ("Servos", "A servo is the hard part.", None),
    ],
)
async def test_titles_and_openings(tmp_path: Path, title: str, text: str, question: str | None) -> None:
    found = await questions_of(tmp_path, motors=f"# Motors\n\n## {title}\n\n{text}\n")
    assert [one.question for one in found if "/motors" in one.url] == ([question] if question else [])


async def test_a_definition_comes_before_another_question_of_its_page(tmp_path: Path) -> None:
    page = "# Motors\n\n## How fast?\n\nTwice a second.\n\n## Servos\n\nA servo is a motor that holds its place.\n"
    found = await questions_of(tmp_path, motors=page)
    assert [one.question for one in found if "/motors" in one.url] == ["What is a servo?"]


class TestFile:
    def test_what_was_kept_is_read(self, tmp_path: Path) -> None:
        file = FrequentQuestionsFile(tmp_path / "folder" / "book.json")
        assert file.read() is None
        kept = FrequentQuestions(edition="1", entries=(FrequentQuestion(question="?", answer="!", url="/"),))
        file.keep(kept)
        assert file.read() == kept

    def test_a_damaged_file_is_told_of(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        (tmp_path / "book.json").write_text("{")
        assert FrequentQuestionsFile(tmp_path / "book.json").read() is None
        assert "book.json cannot be read" in caplog.text

"""The root makes one of each part, and closes all that it made."""

import logging
import shutil
from pathlib import Path

import pytest

from citebook.domain.errors import InvalidSettings
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from tests.fakes import WordEmbedder
from tests.small_book import write_book


class Closing(WordEmbedder):
    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self._error = error
        self.is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True
        if self._error is not None:
            raise self._error


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Closing:
    made = Closing()
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: made)
    return made


async def test_what_was_made_is_closed(embedder: Closing, tmp_path: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
        assert citebook.embedder is embedder
    assert embedder.is_closed


async def test_what_nobody_wanted_is_never_made(tmp_path: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=tmp_path / "data")):
        """Nothing is asked of it."""
    assert not (tmp_path / "data").exists()


async def test_there_is_one_of_each(embedder: Closing, tmp_path: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
        assert citebook.index() is citebook.book().index
        assert citebook.book() is citebook.book()
        assert citebook.database is citebook.database
        assert citebook.embedder is embedder


@pytest.mark.usefixtures("embedder")
class TestFaq:
    async def test_an_ingest_leaves_questions_that_need_no_index(self, tmp_path: Path) -> None:
        async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
            assert citebook.faq() == []
            await citebook.ingest.run(write_book(tmp_path / "book"), progress=lambda _report: None)
        shutil.rmtree(tmp_path / "index")
        async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
            assert "What is a harmonic drive?" in [entry["question"] for entry in citebook.faq()]

    async def test_questions_follow_the_book(self, tmp_path: Path) -> None:
        async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
            await citebook.ingest.run(write_book(tmp_path / "book"), progress=lambda _report: None)
            servo = "# Gears\n\n## Servos\n\nA servo is a motor that holds its place against any load.\n"
            await citebook.ingest.run(write_book(tmp_path / "book", gears=servo), progress=lambda _report: None)
            questions = [entry["question"] for entry in citebook.faq()]
            assert "What is a servo?" in questions
            assert "What is a harmonic drive?" not in questions

    async def test_a_file_of_the_operator_takes_their_place(self, tmp_path: Path) -> None:
        own = tmp_path / "faq.json"
        own.write_text('[{"question": "?", "answer": "!"}]')
        async with Citebook(read_settings(citebook_data_dir=tmp_path, fallback_faq=own)) as citebook:
            await citebook.ingest.run(write_book(tmp_path / "book"), progress=lambda _report: None)
            assert citebook.faq() == [{"question": "?", "answer": "!"}]

    async def test_a_disk_that_is_full_costs_a_warning(self, tmp_path: Path) -> None:
        (tmp_path / "frequent-questions").write_text("no folder")
        async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
            result = await citebook.ingest.run(write_book(tmp_path / "book"), progress=lambda _report: None)
        assert any("not what is kept beside it" in warning for warning in result.warnings)
        assert result.edition is not None


async def test_one_that_cannot_be_closed_does_not_keep_the_others_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Closing(RuntimeError("stuck")))
    closed: list[str] = []

    async def close() -> None:
        closed.append("another")

    with caplog.at_level(logging.ERROR):
        async with Citebook(read_settings(citebook_data_dir=tmp_path)) as citebook:
            citebook._closed_at_the_end(close, "another")
            _ = citebook.embedder
    assert closed == ["another"]
    assert "the embedder could not be closed" in caplog.text


async def test_a_book_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    settings = read_settings(citebook_data_dir=tmp_path, books={"biology": "biology-v1"})
    async with Citebook(settings) as citebook:
        assert citebook.book_ids == ("default", "biology")
        with pytest.raises(InvalidSettings, match="There are: default, biology"):
            citebook.book("chemistry")

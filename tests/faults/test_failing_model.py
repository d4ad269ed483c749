"""A model that cannot be loaded, fails while it works, or gives nonsense."""

from collections.abc import Sequence

import numpy as np
import pytest

from citebook.cli import exit_codes
from citebook.domain.errors import EmbedderFailed
from citebook.ports import Vector, Vectors
from tests.command_line import citebook
from tests.fakes import WordEmbedder
from tests.faults.conftest import Shelf
from tests.small_book import PAGES, write_book


class Unloadable(WordEmbedder):
    def load(self) -> None:
        raise EmbedderFailed("The weights are damaged.")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        raise EmbedderFailed("The weights are damaged.")

    async def embed_question(self, text: str) -> Vector:  # noqa: ARG002
        raise EmbedderFailed("The weights are damaged.")


class Nonsense(WordEmbedder):
    async def embed_question(self, text: str) -> Vector:  # noqa: ARG002
        return np.full(self.stamp.dimension, np.nan, np.float32)


@pytest.mark.parametrize("model", [Unloadable, Nonsense])
def test_a_question_is_then_answered_by_words_alone(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, model: type[WordEmbedder]
) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: model())
    assert shelf.still_serves


def test_an_ingest_then_changes_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(shelf.book, gears=PAGES["01-joints/gears.mdx"].replace("belt", "rope"))
    before = shelf.editions
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Unloadable())
    failed = shelf.ingest()
    assert failed.exit_code == exit_codes.DEPENDENCY_FAILED
    assert "The weights are damaged." in failed.err
    assert shelf.editions == before
    assert shelf.still_serves


def test_the_doctor_names_it(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Unloadable())
    shown = citebook("doctor", "--data-dir", shelf.data)
    assert shown.exit_code == 1
    assert "The weights are damaged." in shown.out


def test_the_model_is_loaded_before_a_reader_s_clock_starts(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    class Slow(WordEmbedder):
        def load(self) -> None:
            order.append("load")

        async def embed_question(self, text: str) -> Vector:
            order.append("question")
            return await super().embed_question(text)

    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Slow())
    assert shelf.still_serves
    assert order == ["load", "question"]

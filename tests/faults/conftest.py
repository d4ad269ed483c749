"""A small book and its index, made by a model that costs nothing; all else is real."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from time import monotonic, sleep

import pytest

from tests.command_line import PATIENCE, Finished, citebook, started
from tests.fakes import WordEmbedder
from tests.small_book import write_book


@dataclass(frozen=True, slots=True)
class Shelf:
    """A book and its index."""

    book: Path
    data: Path

    def ingest(self, *options: str) -> Finished:
        return citebook("ingest", self.book, "--data-dir", self.data, *options)

    def found(self, question: str) -> list[str]:
        """The files that a question finds, best first. Fails where the question could not be asked."""
        asked = citebook("ask", question, "--data-dir", self.data, "--json")
        assert asked.exit_code == 0, asked.err
        assert asked.json["outcome"] in ("answered", "refused")
        return [passage["source_file"] for passage in asked.json["retrieved"]]

    @property
    def editions(self) -> list[str]:
        """What lies beside the index that answers, and it."""
        return sorted(folder.name for folder in self.data.glob("index/*/*") if folder.is_dir())

    @property
    def still_serves(self) -> bool:
        return self.found("harmonic drive backlash")[0] == "01-joints/gears.mdx"

    @contextmanager
    def stuck_ingest(self) -> Iterator["Popen[str]"]:
        """Another process in the middle of embedding."""
        marker = self.data.parent / "embedding"
        with started(marker, self.book, self.data, module="tests.faults.stuck_ingest") as running:
            ends_at = monotonic() + PATIENCE
            while not marker.exists():
                assert running.poll() is None, running.communicate()
                assert monotonic() < ends_at
                sleep(0.01)
            yield running


@pytest.fixture(autouse=True)
def _a_model_that_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(write_book(tmp_path / "book"), tmp_path / "data")
    assert shelf.ingest().exit_code == 0
    return shelf

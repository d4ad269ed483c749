"""The commands, with the real model on a small book."""

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from citebook.cli import exit_codes
from tests.command_line import Finished, citebook, process
from tests.small_book import PAGES, write_book

GEARS, MOTORS = "01-joints/gears.mdx", "01-joints/motors.mdx"
ABOUT_GEARS = "What is a harmonic drive?"
OUT_OF_SCOPE = "Which chess opening did Magnus Carlsen play in London?"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A book and its index."""

    book: Path
    data: Path

    def ingest(self, *options: str) -> Finished:
        return citebook("ingest", self.book, "--data-dir", self.data, "--json", *options)

    def ask(self, question: str, *options: str) -> Finished:
        return citebook("ask", question, "--data-dir", self.data, "--json", *options)

    def files(self) -> dict[str, str]:
        """Everything in the data folder, by its digest: the engine's files are large."""
        return {str(path): _digest(path) for path in sorted(self.data.rglob("*")) if path.is_file()}


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A book that was just ingested. Nobody may change it."""
    folder = tmp_path_factory.mktemp("shelf")
    shelf = Shelf(write_book(folder / "book"), folder / "data")
    assert shelf.ingest().exit_code == 0
    return shelf


@pytest.fixture
def shelf(ingested: Shelf, tmp_path: Path) -> Shelf:
    """A copy of it, to do with as you like."""
    shutil.copytree(ingested.book, tmp_path / "book")
    shutil.copytree(ingested.data, tmp_path / "data")
    return Shelf(tmp_path / "book", tmp_path / "data")


@pytest.fixture(scope="module")
def answered(ingested: Shelf) -> Finished:
    return ingested.ask(ABOUT_GEARS)


# --- ask


def test_a_question_is_answered_from_the_book(answered: Finished) -> None:
    assert answered.exit_code == 0
    assert answered.json["outcome"] == "answered"
    assert "bends a thin steel cup. It has almost no backlash. [1]" in answered.json["answer"]


def test_the_answer_as_json_has_every_field_that_is_promised(answered: Finished) -> None:
    promised = {"outcome", "answer", "confidence", "citations", "retrieved", "model", "timings_ms"}
    more = {
        "confidence_level",
        "calibrated",
        "low_confidence",
        "suggestions",
        "filter_message",
        "edition",
        "parts",
    } | {"support", "support_text"}
    more |= {"corrected", "measured_confidence"}
    assert answered.json.keys() == promised | more


def test_a_citation_as_json_has_every_field_that_is_promised(answered: Finished) -> None:
    promised = {"source_file", "section", "url", "page", "start", "end", "excerpt"}
    assert answered.json["citations"][0].keys() == promised | {"position", "text"}


def test_a_retrieved_passage_as_json_has_every_field_that_is_promised(answered: Finished) -> None:
    assert all(found.keys() == {"source_file", "section", "score"} for found in answered.json["retrieved"])
    assert answered.json["retrieved"][0]["source_file"] == GEARS


def test_every_excerpt_is_what_the_file_has_at_its_offsets(answered: Finished, ingested: Shelf) -> None:
    for citation in answered.json["citations"]:
        source = (ingested.book / citation["source_file"]).read_bytes().decode()
        assert citation["excerpt"] == source[citation["start"] : citation["end"]]


def test_a_citation_links_to_its_section(answered: Finished) -> None:
    citation = answered.json["citations"][0]
    assert (citation["section"], citation["url"]) == ("Harmonic drives", "/docs/joints/gears#harmonic-drives")


def test_confidence_is_a_probability_and_the_model_and_the_times_are_named(answered: Finished) -> None:
    assert 0 <= answered.json["confidence"] <= 1
    assert answered.json["model"] == "extractive"
    assert all(milliseconds > 0 for milliseconds in answered.json["timings_ms"].values())


def test_in_a_pipe_the_answer_is_plain_text_with_numbered_citations(ingested: Shelf) -> None:
    shown = citebook("ask", ABOUT_GEARS, "--data-dir", ingested.data)
    assert shown.exit_code == 0
    assert "[1] Gears › Harmonic drives - /docs/joints/gears#harmonic-drives" in shown.out
    assert re.search(
        r"(Likely answers your question|May not answer it|Closest in the book) \(confidence \d+%", shown.out
    )
    assert "\x1b" not in shown.out


def test_a_stream_tells_the_answer_once(ingested: Shelf) -> None:
    shown = citebook("ask", ABOUT_GEARS, "--data-dir", ingested.data, "--stream")
    assert shown.out.count("bends a thin steel cup. It has almost no backlash. [1]") == 1


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_a_mistyped_question_is_answered_and_the_correction_stands_above(
    ingested: Shelf, options: tuple[str, ...]
) -> None:
    shown = citebook("ask", "What is a harmonik drive?", "--data-dir", ingested.data, *options)
    assert shown.out.startswith("Showing results for harmonic\n")
    assert shown.out.count("bends a thin steel cup. It has almost no backlash. [1]") == 1


def test_what_the_book_does_not_cover_is_refused(ingested: Shelf) -> None:
    refused = ingested.ask(OUT_OF_SCOPE)
    assert refused.exit_code == 0
    assert refused.json["outcome"] == "refused"
    assert refused.json["citations"] == []
    assert refused.json["answer"].startswith("I did not find this in the book.")


def test_a_filter_keeps_other_modules_out(ingested: Shelf) -> None:
    found = ingested.ask("How does a walking machine fall?", "--module", "2").json["retrieved"]
    assert {passage["source_file"] for passage in found} == {"02-walking/balance.md"}


def test_before_an_ingest_the_message_names_the_command(tmp_path: Path) -> None:
    failed = citebook("ask", ABOUT_GEARS, "--data-dir", tmp_path)
    assert failed.exit_code == exit_codes.INDEX_UNUSABLE == 5
    assert failed.err == "citebook: This book has no index yet. Run: citebook ingest PATH\n"


@pytest.mark.parametrize(("question", "rule"), [("", "must not be empty"), ("x" * 10_001, "at most 10000")])
def test_a_question_that_breaks_a_rule_is_told_which(ingested: Shelf, question: str, rule: str) -> None:
    failed = ingested.ask(question)
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert rule in failed.err


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, ingested: Shelf) -> None:
    monkeypatch.setenv("SEARCH_TOP_K", "0")
    failed = ingested.ask(ABOUT_GEARS)
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert "SEARCH_TOP_K" in failed.err


# --- ingest


def test_a_second_run_embeds_nothing_and_changes_nothing(shelf: Shelf) -> None:
    before = shelf.files()
    again = shelf.ingest().json
    assert again["counts"]["chunks_embedded"] == 0
    assert again["edition"] is None
    assert shelf.files() == before


def test_after_an_edit_only_what_changed_is_embedded(shelf: Shelf) -> None:
    write_book(shelf.book, gears=PAGES[GEARS].replace("cheap & quiet", "cheap & silent"))
    counts = shelf.ingest().json["counts"]
    assert counts["chunks_embedded"] == 1
    assert counts["files_unchanged"] == 3
    assert "cheap & silent" in shelf.ask("Is a toothed belt silent?").json["answer"]


def test_a_deleted_page_leaves_the_index(shelf: Shelf) -> None:
    (shelf.book / MOTORS).unlink()
    counts = shelf.ingest().json["counts"]
    assert (counts["files_removed"], counts["chunks_removed"], counts["chunks_embedded"]) == (1, 1, 0)
    found = shelf.ask("How does a stepper motor turn?").json["retrieved"]
    assert MOTORS not in {passage["source_file"] for passage in found}


def test_a_dry_run_says_what_would_be_done_and_does_nothing(shelf: Shelf) -> None:
    write_book(shelf.book, motors=PAGES[MOTORS].replace("1.8", "0.9"))
    before = shelf.files()
    result = shelf.ingest("--dry-run").json
    assert (result["dry_run"], result["counts"]["chunks_embedded"], result["edition"]) == (True, 1, None)
    assert shelf.files() == before


def test_a_dry_run_of_a_new_book_leaves_no_trace(tmp_path: Path) -> None:
    book = write_book(tmp_path / "book")
    shown = citebook("ingest", book, "--data-dir", tmp_path / "data", "--dry-run")
    assert "Nothing was changed." in shown.out
    assert not (tmp_path / "data").exists()


def test_links_follow_the_base_url_without_a_new_embedding(shelf: Shelf) -> None:
    counts = shelf.ingest("--base-url", "https://book.example/learn").json["counts"]
    assert counts["chunks_embedded"] == 0
    citation = shelf.ask(ABOUT_GEARS).json["citations"][0]
    assert citation["url"] == "https://book.example/learn/joints/gears#harmonic-drives"


def test_figures_are_printed_in_words(shelf: Shelf) -> None:
    shown = citebook("ingest", shelf.book, "--data-dir", shelf.data)
    assert shown.out.startswith("Nothing has changed: 4 files, 5 chunks")


def test_the_module_is_the_command(shelf: Shelf) -> None:
    shown = process(shelf.book, "--data-dir", shelf.data, "--json", module="citebook.ingest")
    assert shown.exit_code == 0
    assert shown.json["files_processed"] == 4


# --- the other commands


def test_the_doctor_finds_a_whole_book_well(ingested: Shelf) -> None:
    shown = citebook("doctor", "--data-dir", ingested.data)
    assert shown.exit_code == 0, shown.out
    assert "4 files, 5 chunks" in shown.out
    assert "MB with all it needs" in shown.out


def test_the_doctor_says_what_to_do_about_a_missing_index(tmp_path: Path) -> None:
    shown = citebook("doctor", "--data-dir", tmp_path)
    assert shown.exit_code == 1
    assert "Run: citebook ingest PATH" in shown.out


def test_the_doctor_never_shows_a_secret(ingested: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", "canary-key-31337")
    shown = citebook("doctor", "--data-dir", ingested.data)
    assert "QDRANT_API_KEY" in shown.out
    assert "canary" not in shown.out + shown.err


def test_retrieval_is_measured_by_labelled_questions(shelf: Shelf, tmp_path: Path) -> None:
    labelled = [
        {"question": ABOUT_GEARS, "gold_file": f"book/{GEARS}"},
        {"question": "How large are the steps of a stepper motor?", "gold_file": f"book/{MOTORS}"},
        {"question": OUT_OF_SCOPE, "answerable": False},
    ]
    questions, out = tmp_path / "questions.jsonl", tmp_path / "figures.json"
    questions.write_text("\n".join(map(json.dumps, labelled)))
    shown = citebook("eval", "retrieval", shelf.book, questions, "--json", out, "--data-dir", shelf.data)
    assert shown.exit_code == 0, shown.err
    figures = json.loads(out.read_text())
    assert figures["metrics"] == dict.fromkeys(("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10"), 1.0)
    assert figures["by_method"].keys() == {"hybrid", "dense", "lexical"}
    assert (figures["questions"], len(figures["results"])) == (2, 6)


def test_the_version_is_printed() -> None:
    assert citebook("--version").out.startswith("citebook ")

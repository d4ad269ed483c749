"""The commands of bench.trust in their shortest form: a few kills, an outage of each part, a backup."""

import shutil
from pathlib import Path
from uuid import uuid4

import pytest
from bench.trust import ingest_kills, kills, outages, restore
from bench.trust.kept import Kept, Message, compare
from bench.trust.killable_server import KillableServer
from bench.trust.readers import Told

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small book and its index. Nobody may change it."""
    folder = tmp_path_factory.mktemp("trust")
    KillableServer.with_small_book(folder)
    return folder


@pytest.fixture
def folder(ingested: Path, tmp_path: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "own")


def test_after_kills_under_load_all_that_was_told_is_kept_once(folder: Path) -> None:
    outcome = kills.measure(folder, kills=2, readers=1)
    assert outcome.is_good, outcome


def test_parts_that_were_killed_are_used_again(folder: Path) -> None:
    for outcome in outages.measure(folder, times=1):
        assert outcome.unworded == 0, outcome
        assert len(outcome.seconds) == 1


def test_while_ingests_are_killed_readers_see_one_edition(folder: Path) -> None:
    outcome = ingest_kills.measure(folder, kills=1)
    assert outcome.is_good, outcome


def test_a_backup_that_is_restored_has_all_that_was_told(folder: Path) -> None:
    assert [outcome for outcome in restore.measure(folder, seconds=0.2) if not outcome.is_good] == []


# --- what would be noticed

SESSION, ANSWER = uuid4(), uuid4()
TOLD = Told("core", "What is a gear? (1)", "What is a gear?", "A gear.", SESSION)
ASKED = Message(uuid4(), SESSION, "user", TOLD.question)
ANSWERED = Message(ANSWER, SESSION, "assistant", TOLD.answer)
RECORD = (ANSWER, "core", "", True)
WHOLE = Kept(frozenset({SESSION}), (ASKED, ANSWERED), (RECORD,))


def test_what_is_whole_is_found_so() -> None:
    assert compare([TOLD], WHOLE).is_good


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        (Kept(WHOLE.sessions, (ASKED,), ()), (1, 0, 0)),
        (Kept(WHOLE.sessions, (ASKED, ANSWERED), ()), (1, 0, 0)),
        (Kept(WHOLE.sessions, (ASKED, ANSWERED, ASKED, ANSWERED), (RECORD, RECORD)), (0, 2, 0)),
        (Kept(WHOLE.sessions, (ASKED, Message(ANSWER, SESSION, "assistant", "A ge")), (RECORD,)), (1, 0, 1)),
    ],
    ids=["an answer that is not there", "an answer without its record", "twice", "half an answer"],
)
def test_what_is_lost_doubled_or_half_would_be_noticed(kept: Kept, found: tuple[int, int, int]) -> None:
    comparison = compare([TOLD], kept)
    assert (comparison.lost, comparison.doubled, comparison.wrongly_complete) == found

"""The commands that measure trust, in short."""

import json
from pathlib import Path

import pytest
from bench.trust import access, injection, schema, suites

from tests.conftest import SHARED_DATA

ATTACKS = SHARED_DATA / "injection"


@pytest.mark.network
async def test_no_wrong_caller_gets_in(tmp_path: Path) -> None:
    attempts = await access.measure(tmp_path)
    assert len(attempts) > 100
    assert [attempt for attempt in attempts if attempt.problem] == []


@pytest.mark.network
def test_no_made_up_request_breaks_the_schema(tmp_path: Path) -> None:
    results = schema.measure(tmp_path, 60)
    assert [wrong for *_, wrong in results if wrong] == []


@pytest.mark.network
@pytest.mark.skipif(not ATTACKS.is_dir(), reason="CITEBOOK_TEST_DATA names no folder with a collection of attacks")
async def test_a_model_that_obeys_the_attacker_shows_nothing_to_readers() -> None:
    rows, failures = await injection.measure(ATTACKS, share=100)
    assert rows
    assert failures == []


def test_payloads_and_splits_are_counted_of_those_tests_that_passed() -> None:
    def played(status: str, payloads: int, splits: int) -> dict[str, object]:
        notes = {"payloads": payloads, "splits": splits}
        told = [{"type": name, "description": str(number)} for name, number in notes.items()]
        return {"tests": [{"status": status, "annotations": told}]}

    nested = {"suites": [{"specs": [played("expected", 40, 900)]}], "specs": [played("unexpected", 40, 7)]}
    stats = {"expected": 1, "unexpected": 1, "flaky": 0, "skipped": 0}
    counts = suites.counts_of_playwright(json.dumps({"stats": stats, "suites": [nested]}))
    assert counts == {"passed": 1, "failed": 1, "skipped": 0, "payloads": 40, "splits": 900}

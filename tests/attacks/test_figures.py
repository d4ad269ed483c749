"""The commands that measure trust, in short."""

from pathlib import Path

import pytest
from bench.trust import access, injection, schema

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

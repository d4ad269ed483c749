"""What becomes of an examiner that cannot be read or run."""

import asyncio
from pathlib import Path

import pytest

from citebook.adapters.local_model import examiner
from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.domain.errors import ExaminerFailed


def test_a_damaged_model_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / examiner._MODEL).write_bytes(b"no model")
    monkeypatch.setattr(examiner, "files", lambda _folder: tmp_path)
    with pytest.raises(ExaminerFailed, match="Reinstall citebook"):
        _ = LocalExaminer()._session


def test_a_model_that_fails_is_a_failed_examiner() -> None:
    class Failing:
        def run(self, *_given: object) -> None:
            raise RuntimeError("out of memory")

    broken = LocalExaminer()
    broken.__dict__["_session"] = Failing()
    with pytest.raises(ExaminerFailed, match="out of memory"):
        broken.examine("What is backlash?", ["Backlash is play."])


def test_after_it_was_closed_it_is_read_again_when_asked() -> None:
    local = LocalExaminer()
    local.load()
    asyncio.run(local.aclose())
    assert "_session" not in local.__dict__
    assert len(local.examine("What is backlash?", ["Backlash is play."])) == 1

"""What every store of experts' grades must do, on SQLite and on a real PostgreSQL."""

from uuid import UUID, uuid4

import pytest

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.grade_store import SqlGradeStore
from citebook.domain.grading import AnswerGrade, Verdict
from citebook.ports import GradeStore
from citebook.records.grading import figures_of
from tests.records import NOON, full_record

ANSWER = UUID("4be0643f-1d98-473b-97cd-ca98a65347dd")


@pytest.fixture
def store(database: Database) -> GradeStore:
    return SqlGradeStore(database)


def grade(verdict: Verdict = Verdict.PASS, answer: UUID = ANSWER, **fields: object) -> AnswerGrade:
    usual = {"answer_id": answer, "verdict": verdict, "grader": "anna", "confidence": 0.91, "created_at": NOON}
    return AnswerGrade.model_validate(usual | fields)


async def test_a_grade_comes_back_as_it_was_given(store: GradeStore) -> None:
    given = grade(Verdict.HALLUCINATION, note="The cup is not of glass.")
    await store.add(given)
    assert await store.grades() == (given,)


async def test_the_last_word_of_a_grader_counts_and_graders_are_kept_apart(store: GradeStore) -> None:
    last, other = grade(Verdict.FAIL), grade(grader="bo")
    for given in (grade(), last, other):
        await store.add(given)
    assert {one.id for one in await store.grades()} == {last.id, other.id}


async def test_what_is_kept_whole_and_was_answered_waits_for_a_grade(store: GradeStore, database: Database) -> None:
    log = SqlAuditLog(database)
    records = [
        full_record(1, answer_id=ANSWER),
        full_record(2),
        full_record(3, answer_text=None),
        full_record(4, outcome="refused"),
        full_record(5, answer_id=None),
    ]
    for record in records:
        await log.append(record)
    await store.add(grade())
    assert await store.ungraded(10) == (records[1],)
    assert await store.ungraded(10) == await store.ungraded(1)


def test_figures_by_level_of_confidence() -> None:
    given = [
        grade(answer=uuid4()),
        grade(Verdict.FAIL, uuid4()),
        grade(Verdict.HALLUCINATION, uuid4(), confidence=0.7),
    ]
    high, medium, low = figures_of(given)
    assert (high.level, high.graded, high.share_passed, high.hallucinated) == ("high", 2, 0.5, 0)
    assert (medium.graded, medium.share_passed, medium.hallucinated) == (1, 0.0, 1)
    assert low.share_passed is None

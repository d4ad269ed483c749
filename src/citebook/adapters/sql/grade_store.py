"""What experts say of recorded answers, in SQL."""

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql import audit_rows
from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import answer_grades, audit_logs
from citebook.domain.answer import Outcome
from citebook.domain.audit import AuditRecord
from citebook.domain.grading import AnswerGrade
from citebook.domain.storable import storable


class SqlGradeStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uninterrupted
    async def add(self, grade: AnswerGrade) -> None:
        values = {
            **dict(grade),
            "verdict": grade.verdict.value,
            "note": storable(grade.note) if grade.note else None,
            "grader": storable(grade.grader),
        }
        async with self._database.transaction("write") as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            adding = insert(answer_grades).values(values)
            said_anew = {name: values[name] for name in ("id", "verdict", "note", "confidence", "created_at")}
            same = ["answer_id", "grader"]
            await connection.execute(adding.on_conflict_do_update(index_elements=same, set_=said_anew))

    @uninterrupted
    async def grades(self) -> tuple[AnswerGrade, ...]:
        query = select(answer_grades).order_by(answer_grades.c.created_at, answer_grades.c.id)
        async with self._database.transaction("read") as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(AnswerGrade.model_validate(dict(row)) for row in rows)

    @uninterrupted
    async def ungraded(self, limit: int) -> tuple[AuditRecord, ...]:
        """The oldest first. Only what was kept whole can be graded."""
        is_waiting = (
            audit_logs.c.outcome == Outcome.ANSWERED.value,
            audit_logs.c.answer_text.is_not(None),
            audit_logs.c.answer_id.not_in(select(answer_grades.c.answer_id)),
        )
        async with self._database.transaction("read") as connection:
            rows = await audit_rows.read_rows(connection, *is_waiting, limit=limit)
        return tuple(audit_rows.chained_record(row).record for row in rows)

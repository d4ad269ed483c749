"""What readers think of answers, in SQL."""

from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import answer_feedback
from citebook.domain.feedback import FEEDBACK_LIFETIME, Feedback, Rating
from citebook.domain.storable import storable


class SqlFeedbackStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uninterrupted
    async def add(self, feedback: Feedback) -> None:
        values = {**dict(feedback), "note": storable(feedback.note) if feedback.note else None}
        async with self._database.transaction("write") as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            adding = insert(answer_feedback).values(values)
            said_anew = {name: values[name] for name in ("id", "rating", "note", "reason", "created_at")}
            same = ["answer_id", "client_id"]
            await connection.execute(adding.on_conflict_do_update(index_elements=same, set_=said_anew))

    @uninterrupted
    async def newest(self, limit: int) -> tuple[Feedback, ...]:
        query = select(answer_feedback).order_by(answer_feedback.c.created_at.desc(), answer_feedback.c.id)
        async with self._database.transaction("read") as connection:
            rows = (await connection.execute(query.limit(limit))).mappings().all()
        return tuple(Feedback.model_validate(dict(row)) for row in rows)

    @uninterrupted
    async def counts(self) -> dict[Rating, int]:
        query = select(answer_feedback.c.rating, func.count()).group_by(answer_feedback.c.rating)
        async with self._database.transaction("read") as connection:
            found = {row.rating: row[1] for row in await connection.execute(query)}
        return {"up": found.get("up", 0), "down": found.get("down", 0)}

    @uninterrupted
    async def purge(self, now: datetime) -> int:
        is_old = answer_feedback.c.created_at < now - FEEDBACK_LIFETIME
        async with self._database.transaction("write") as connection:
            return (await connection.execute(delete(answer_feedback).where(is_old))).rowcount

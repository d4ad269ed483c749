"""Whose turn it is to do what only one of all workers should do."""

from datetime import datetime, timedelta

from sqlalchemy import or_
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import job_turns


class SqlJobTurns:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uninterrupted
    async def take(self, job: str, now: datetime, every: timedelta) -> bool:
        """One statement looks and takes, so that of two who ask at once one is too late."""
        async with self._database.transaction("write") as connection:
            insert_into = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            taking = insert_into(job_turns).values(job=job, taken_at=now)
            # Where the clock was set back, what was done is said to have been done in the future.
            is_due = or_(job_turns.c.taken_at <= now - every, job_turns.c.taken_at > now + every)
            taking = taking.on_conflict_do_update(
                index_elements=["job"], set_={"taken_at": taking.excluded.taken_at}, where=is_due
            )
            taken = await connection.execute(taking.returning(job_turns.c.job))
            return taken.first() is not None

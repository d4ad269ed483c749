"""Which of all processes does a job that lasts, by the clock of whoever asks."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import or_
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import job_leases


class SqlJobLeases:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def take(self, job: str, owner: str, lasting: timedelta) -> bool:
        """One statement looks and takes, so that of two who ask at once one is too late."""
        now = self._clock()
        async with self._database.transaction("write") as connection:
            insert_into = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            taking = insert_into(job_leases).values(job=job, owner=owner, ends_at=now + lasting)
            is_free = or_(job_leases.c.owner == owner, job_leases.c.ends_at < now)
            taking = taking.on_conflict_do_update(
                index_elements=["job"],
                set_={"owner": taking.excluded.owner, "ends_at": taking.excluded.ends_at},
                where=is_free,
            )
            taken = await connection.execute(taking.returning(job_leases.c.job))
            return taken.first() is not None

"""When somebody last looked at the clock, and how often it was found to have jumped."""

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import clock_jumps, job_turns
from citebook.domain.clock_jumps import ClockJump, jump_between

_LOOK = "clock"
_BEFORE_THERE_WERE_LOOKS = "housekeeping"


class SqlClockLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uninterrupted
    async def look(self, now: datetime, known: timedelta | None) -> tuple[ClockJump, ...]:
        looks = select(job_turns.c.taken_at).where(job_turns.c.job.in_((_LOOK, _BEFORE_THERE_WERE_LOOKS)))
        jumps = select(clock_jumps).order_by(clock_jumps.c.seen_at)
        async with self._database.transaction("write") as connection:
            # The name of the newer one comes first in the alphabet.
            last = (await connection.execute(looks.order_by(job_turns.c.job).limit(1))).scalar_one_or_none()
            # They belong to a time that is no longer believed in.
            await connection.execute(delete(clock_jumps).where(clock_jumps.c.seen_at > now))
            if by := jump_between(last, now, known):
                await connection.execute(insert(clock_jumps).values(seen_at=now, seconds=by.total_seconds()))
            insert_into = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            noting = insert_into(job_turns).values(job=_LOOK, taken_at=now)
            await connection.execute(
                noting.on_conflict_do_update(index_elements=["job"], set_={"taken_at": noting.excluded.taken_at})
            )
            found = (await connection.execute(jumps)).all()
        return tuple(ClockJump(seen_at=row.seen_at, by=timedelta(seconds=row.seconds)) for row in found)

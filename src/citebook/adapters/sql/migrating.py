"""Brings a database up to date: numbered files of SQL, each run once and never edited after."""

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Column, Integer, MetaData, Table, Text, insert, inspect, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.domain.errors import DatabaseUnavailable

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x63697465626F6F6B  # "citebook"
_CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL
)
"""
_applied = Table(
    "schema_migrations",
    MetaData(),
    Column("version", Integer, primary_key=True),
    Column("name", Text),
    Column("sha256", Text),
    Column("applied_at", Text),
)


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    script: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.script.encode()).hexdigest()


def migrations_of(dialect: str) -> list[Migration]:
    files = sorted((_FOLDER / dialect).glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Migration(int(file.stem[:4]), file.stem, file.read_text(encoding="utf-8")) for file in files]


async def is_up_to_date(connection: AsyncConnection) -> bool:
    """Whether nothing is left to run. Only reads."""
    if not await connection.run_sync(lambda reading: inspect(reading).has_table(_applied.name)):
        return False
    return not await _pending(connection)


async def migrate(connection: AsyncConnection) -> list[Migration]:
    """Runs what has not run yet, in the transaction of the connection; says what that was.

    Of two programs that start at once the second waits: on PostgreSQL for the lock taken here, on SQLite for the
    transaction itself.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    await connection.execute(text(_CREATE_TABLE))
    pending = await _pending(connection)
    for migration in pending:
        await _run(connection, migration)
    return pending


async def _pending(connection: AsyncConnection) -> list[Migration]:
    applied = {row.version: row.sha256 for row in await connection.execute(select(_applied))}
    known = migrations_of(connection.dialect.name)
    _check(known, applied)
    return [migration for migration in known if migration.version not in applied]


def _check(known: list[Migration], applied: dict[int, str]) -> None:
    newest = max((migration.version for migration in known), default=0)
    if any(version > newest for version in applied):
        raise DatabaseUnavailable("The database was made by a newer Citebook. Install that version or a later one.")
    for migration in known:
        if applied.get(migration.version, migration.sha256) != migration.sha256:
            raise DatabaseUnavailable(
                f"Migration {migration.name} is not the one that made this database. Migrations are never edited."
            )


async def _run(connection: AsyncConnection, migration: Migration) -> None:
    if connection.dialect.name == "postgresql":
        # Without parameters the driver sends the file as it is, and a percent sign in it means nothing.
        await connection.exec_driver_sql(migration.script, execution_options={"no_parameters": True})
    else:
        for statement in _statements(migration.script):
            await connection.exec_driver_sql(statement)
    done = {"version": migration.version, "name": migration.name, "sha256": migration.sha256}
    await connection.execute(insert(_applied).values(**done, applied_at=datetime.now(UTC).isoformat()))


def _statements(script: str) -> Iterator[str]:
    """SQLite takes one statement at a time."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

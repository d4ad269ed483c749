"""How a database is opened and brought up to date, on SQLite and on a real PostgreSQL."""

import asyncio
import re
import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from citebook.adapters.sql.database import Database
from citebook.adapters.sql.migrating import migrations_of
from citebook.domain.errors import DatabaseUnavailable, InvalidSettings
from tests.records import run_sql


async def applied(database: Database) -> list[str]:
    async with database.transaction("read") as connection:
        found = await connection.execute(text("SELECT name FROM schema_migrations ORDER BY version"))
        return list(found.scalars())


async def test_every_migration_runs_once(database: Database, database_url: str) -> None:
    await asyncio.gather(*(database.ping() for _ in range(5)))
    async with Database.connect(database_url) as again:
        names = await applied(again)
    assert names == [migration.name for migration in migrations_of("postgresql" if again.is_postgresql else "sqlite")]


async def test_programs_that_start_together_do_not_clash(database_url: str) -> None:
    programs = [Database.connect(database_url) for _ in range(6)]
    await asyncio.gather(*(program.ping() for program in programs))
    await asyncio.gather(*(program.aclose() for program in programs))


async def test_an_edited_migration_is_refused(database: Database, database_url: str) -> None:
    await database.ping()
    await run_sql(database, "UPDATE schema_migrations SET sha256 = 'another' WHERE version = 3")
    async with Database.connect(database_url) as again:
        with pytest.raises(DatabaseUnavailable, match="0003_create_audit_logs"):
            await again.ping()


async def test_a_database_of_a_newer_program_is_refused(database: Database, database_url: str) -> None:
    await database.ping()
    await run_sql(database, "INSERT INTO schema_migrations VALUES (9999, 'future', 'x', 'x')")
    async with Database.connect(database_url) as again:
        with pytest.raises(DatabaseUnavailable, match="newer"):
            await again.ping()


async def test_a_migration_that_fails_leaves_nothing_behind(
    database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for dialect in ("sqlite", "postgresql"):
        (tmp_path / dialect).mkdir()
        (tmp_path / dialect / "0001_half.sql").write_text("CREATE TABLE half (id INTEGER);\nNONSENSE;\n")
    with monkeypatch.context() as patched:
        patched.setattr("citebook.adapters.sql.migrating._FOLDER", tmp_path)
        with pytest.raises(DatabaseUnavailable):
            await database.ping()
    assert len(await applied(database)) >= 3
    with pytest.raises(DatabaseUnavailable, match="half"):
        await run_sql(database, "SELECT * FROM half")


async def test_an_error_undoes_the_transaction_and_says_one_line(database: Database) -> None:
    async def fail() -> None:
        async with database.transaction("write") as connection:
            await connection.execute(text("DELETE FROM audit_head"))
            await connection.execute(text("SELECT secret FROM nowhere WHERE a = :a"), {"a": "personal"})

    with pytest.raises(DatabaseUnavailable) as caught:
        await fail()
    assert re.search("nowhere", str(caught.value))
    assert "\n" not in str(caught.value)
    assert "personal" not in str(caught.value)
    async with database.transaction("read") as connection:
        assert (await connection.execute(text("SELECT count(*) FROM audit_head"))).scalar() == 1


@pytest.mark.parametrize(
    "url",
    ["", "hidden", "mysql://u:hidden@host/db", "sqlite://", "sqlite:///:memory:", "postgresql", "http://[hidden"],
)
def test_other_urls_are_refused_by_name_and_never_repeated(url: str) -> None:
    with pytest.raises(InvalidSettings, match="DATABASE_URL") as caught:
        Database.connect(url)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
async def test_every_spelling_of_postgresql(postgres_url: str, scheme: str) -> None:
    async with Database.connect(postgres_url.replace("postgresql", scheme, 1)) as database:
        await database.ping()
        assert database.is_postgresql


async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    async with Database.connect(f"postgresql://u:hidden@/db?host={tmp_path}") as database:
        with pytest.raises(DatabaseUnavailable) as caught:
            await database.ping()
    assert "hidden" not in str(caught.value)


async def test_a_sqlite_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "citebook.sqlite3"
    async with Database.connect(f"sqlite:///{path}") as database:
        await database.ping()
        async with database.transaction("read") as connection:
            for pragma, value in (("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2)):
                assert (await connection.execute(text(f"PRAGMA {pragma}"))).scalar() == value
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_sqlite_file_that_cannot_be_made() -> None:
    with pytest.raises(DatabaseUnavailable):
        Database.connect("sqlite:////proc/nowhere/citebook.sqlite3")


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(b"%PDF-1.7 " * 1000)
    async with Database.connect(f"sqlite:///{path}") as database:
        with pytest.raises(DatabaseUnavailable, match="not a database"):
            await database.ping()
    assert path.read_bytes() == b"%PDF-1.7 " * 1000

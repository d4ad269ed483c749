"""The databases over which the suites of the SQL stores run."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from citebook.adapters.sql.database import Database


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'citebook.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with Database.connect(database_url) as database:
        yield database

"""What every store of API keys must do, on SQLite and on a real PostgreSQL."""

import asyncio
import hashlib

import pytest
from sqlalchemy import text

from citebook.adapters.sql.database import Database
from citebook.adapters.sql.key_store import SqlKeyStore
from citebook.domain.errors import KeyNameTaken
from citebook.ports import KeyStore


@pytest.fixture
def store(database: Database) -> KeyStore:
    return SqlKeyStore(database)


async def test_a_key_is_found_by_its_secret(store: KeyStore) -> None:
    key, secret = await store.create("plugin", 250)
    assert await store.find(secret) == key
    assert (key.name, key.limit_per_minute, key.revoked_at) == ("plugin", 250, None)
    assert key.key_hash == hashlib.sha256(secret.encode()).hexdigest()


async def test_the_secret_is_long_and_kept_nowhere(store: KeyStore, database: Database) -> None:
    _key, secret = await store.create("plugin")
    assert len(secret) >= 43
    async with database.transaction("read") as connection:
        (row,) = await connection.execute(text("SELECT * FROM api_keys"))
    assert secret not in map(str, row)


@pytest.mark.parametrize("wrong", ["", "citebook_", "x" * 50, "' OR '1'='1", "\x00", "\ud800", "🤖", "x" * 100_000])
async def test_any_other_secret_finds_nothing(store: KeyStore, wrong: str) -> None:
    key, secret = await store.create("plugin")
    for guess in (wrong, secret + wrong, key.key_hash, str(key.id), key.name):
        if guess != secret:
            assert await store.find(guess) is None


async def test_a_revoked_key_is_useless_at_once_and_still_listed(store: KeyStore) -> None:
    key, secret = await store.create("plugin")
    assert await store.revoke("plugin") is True
    assert await store.find(secret) is None
    assert await store.revoke("plugin") is False
    (listed,) = await store.keys()
    assert listed.id == key.id
    assert listed.revoked_at is not None


async def test_a_name_is_taken_until_it_is_revoked(store: KeyStore) -> None:
    _first, old = await store.create("plugin")
    with pytest.raises(KeyNameTaken, match="plugin"):
        await store.create("plugin")
    await store.revoke("plugin")
    _second, new = await store.create("plugin")
    assert await store.find(old) is None
    assert await store.find(new) is not None
    assert len(await store.keys()) == 2


async def test_of_two_who_want_a_name_at_once_one_gets_it(store: KeyStore) -> None:
    made = await asyncio.gather(*(store.create("plugin") for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(one, KeyNameTaken) for one in made) == 4
    assert len(await store.keys()) == 1


async def test_revoking_one_key_leaves_the_others(store: KeyStore) -> None:
    _one, secret = await store.create("one")
    await store.create("two")
    assert await store.revoke("two") is True
    assert await store.revoke("' OR '1'='1") is False
    assert await store.find(secret) is not None

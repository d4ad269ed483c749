"""Between us and the database or the limiter the network fails in each way that networks do: nobody is held by it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from citebook.adapters.rate_limits import RedisRateLimiter
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.limits import Limit
from tests.conversing import TalkingStore
from tests.faults.tcp_proxy import Fault, TcpProxy
from tests.ports.test_rate_limiter import Server, server, session_server, until_up

__all__ = ["server", "session_server"]

pytestmark = pytest.mark.network

BUDGET = 1.0
SOON = 20.0
PATIENCE = 60.0
NOBODY = Caller(kind="anonymous", address="::1")
HOURLY = Limit(questions=10, seconds=3600)
BROKEN: list[Fault] = ["refuse", "hang", "reset", "truncate", "corrupt"]


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[TcpProxy, str]]:
    """PostgreSQL behind a proxy, and its address there."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query)["host"][0]
    async with TcpProxy(Path(folder) / ".s.PGSQL.5432").running() as proxy:
        yield proxy, f"postgresql://{parts.username}@127.0.0.1:{proxy.port}{parts.path}"


async def until_answered(database: Database) -> None:
    """The first connections after an outage may be dead without knowing it."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await database.within(PATIENCE).ping()
            except DatabaseUnavailable:
                await asyncio.sleep(0.1)


@pytest.mark.parametrize("fault", BROKEN)
async def test_postgresql_behind_a_network_that_fails_holds_nobody_and_is_used_again(
    postgres_url: str, fault: Fault
) -> None:
    async with proxied(postgres_url) as (proxy, url), Database.connect(url) as database:
        await database.ping()
        store = TalkingStore(database.within(BUDGET))
        proxy.fault = fault
        for _ in range(3):
            begun = monotonic()
            with pytest.raises(DatabaseUnavailable):
                await store.find(uuid4(), NOBODY)
            assert monotonic() - begun < SOON
        proxy.fault = "none"
        await until_answered(database)
        assert await TalkingStore(database.within(PATIENCE)).find(uuid4(), NOBODY) is None


async def test_postgresql_behind_a_slow_network_is_given_up_on_in_time(postgres_url: str) -> None:
    async with proxied(postgres_url) as (proxy, url), Database.connect(url) as database:
        await database.ping()
        proxy.delay_seconds = 2 * BUDGET
        begun = monotonic()
        with pytest.raises(DatabaseUnavailable):
            await TalkingStore(database.within(BUDGET)).find(uuid4(), NOBODY)
        assert monotonic() - begun < SOON


@pytest.mark.parametrize("fault", BROKEN)
async def test_redis_behind_a_network_that_fails_is_replaced_by_half_the_limit_and_used_again(
    server: Server,
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("citebook.adapters.rate_limits.PROBE_SECONDS", 0.2)
    async with TcpProxy(server.socket).running() as proxy:
        limiter: Any = RedisRateLimiter(f"redis://127.0.0.1:{proxy.port}", seconds=BUDGET)
        assert (await limiter.take("a", HOURLY)).limit == 10
        proxy.fault = fault
        begun = monotonic()
        assert (await limiter.take("a", HOURLY)).limit == 5
        assert monotonic() - begun < SOON
        proxy.fault = "none"
        await until_up(limiter)
        assert (await limiter.take("a", HOURLY)).limit == 10
        await limiter.aclose()

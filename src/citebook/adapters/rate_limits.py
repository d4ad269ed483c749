"""Counts questions by the moving window of the `limits` library, in memory or in Redis."""

import asyncio
import logging
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from datetime import UTC, datetime
from time import monotonic, time
from typing import TYPE_CHECKING

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import MovingWindowRateLimiter

from citebook.domain.errors import InvalidSettings
from citebook.domain.limits import Allowance, Limit
from citebook.extras import brought_by

if TYPE_CHECKING:
    from redis.asyncio import ConnectionPool

log = logging.getLogger(__name__)

_NAMESPACE = "limit"
_MOST_CALLERS = 100_000
_SWEPT_AT_ONCE = 1_000

REDIS_SECONDS = 0.25
PROBE_SECONDS = 1.0
_PROBE = Limit(questions=1_000, seconds=1)
_CONNECTIONS = 16
_SPOILT_VALUE = ("WRONGTYPE", "attempt to compare", "attempt to perform arithmetic")
"""What Redis says where something else than our list of times is under a key."""


class MemoryRateLimiter:
    """`RateLimiter` of one process."""

    def __init__(self, most_callers: int = _MOST_CALLERS) -> None:
        self._windows = MovingWindowRateLimiter(_WindowsInMemory(most_callers))

    async def take(self, identifier: str, limit: Limit, cost: int = 1) -> Allowance:
        return await _take(self._windows, identifier, limit, cost)

    async def aclose(self) -> None:
        """Nothing is open here; both limiters are closed the same way."""


class RedisRateLimiter:
    """`RateLimiter` of several processes; while Redis is down, each counts by itself to half the limit."""

    def __init__(self, url: str, seconds: float = REDIS_SECONDS, fallback: MemoryRateLimiter | None = None) -> None:
        """Opens no connection. Raises `InvalidSettings` without the extra `redis`, and for a bad URL."""
        self._pool = _connection_pool(url, seconds)
        # The connection is the pool's; the library would only pick its client by this URL.
        storage = RedisStorage(
            "async+redis://",
            implementation="redispy",
            key_prefix="citebook",
            connection_pool=self._pool,  # type: ignore[arg-type]
        )
        self._windows = MovingWindowRateLimiter(storage)
        self._fallback = fallback or MemoryRateLimiter()
        self._seconds = seconds
        self._slots = asyncio.Semaphore(_CONNECTIONS)
        self._probing: asyncio.Task[None] | None = None

    @property
    def is_down(self) -> bool:
        return self._probing is not None and not self._probing.done()

    async def take(self, identifier: str, limit: Limit, cost: int = 1) -> Allowance:
        allowance = await self._take_from_redis(identifier, limit, cost)
        if allowance is None:
            half = Limit(questions=max(1, limit.questions // 2), seconds=limit.seconds)
            allowance = await self._fallback.take(identifier, half, cost)
        return allowance

    async def aclose(self) -> None:
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.gather(self._probing, return_exceptions=True)
        await self._disconnect()

    async def _take_from_redis(self, identifier: str, limit: Limit, cost: int) -> Allowance | None:
        """None where Redis is down. Who waited for a slot meanwhile does not try it again."""
        if self.is_down:
            return None
        async with self._slots:
            if self.is_down:
                return None
            try:
                async with asyncio.timeout(self._seconds):
                    return await self._take_or_start_anew(identifier, limit, cost)
            except Exception as error:  # a server that answers nonsense makes its client raise anything
                self._go_down(error)
                return None

    async def _take_or_start_anew(self, identifier: str, limit: Limit, cost: int = 1) -> Allowance:
        """A value that is not ours is dropped."""
        try:
            return await _take(self._windows, identifier, limit, cost)
        except Exception as error:
            if not any(sign in str(error) for sign in _SPOILT_VALUE):
                raise
        await self._windows.clear(_item(limit), identifier)
        return await _take(self._windows, identifier, limit, cost)

    def _go_down(self, error: Exception) -> None:
        if self.is_down:
            return
        # Only the kind of the error: old servers repeat the password in its text.
        log.warning("Redis is down (%s): questions are counted in memory, to half the limit", type(error).__name__)
        self._probing = asyncio.create_task(self._probe_until_up())

    async def _probe_until_up(self) -> None:
        while True:
            await self._disconnect()
            await asyncio.sleep(PROBE_SECONDS)
            if await self._answers():
                log.info("Redis is back: questions are counted there again")
                return

    async def _answers(self) -> bool:
        """Asks as a question would: a server that only reads, or is full, is not back."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._take_or_start_anew("probe", _PROBE)
        except Exception:
            return False
        return True

    async def _disconnect(self) -> None:
        """Forgets connections that may be dead without knowing it."""
        try:
            async with asyncio.timeout(self._seconds):
                await self._pool.disconnect(inuse_connections=False)
        except Exception as error:
            log.debug("A connection to Redis did not close (%s)", type(error).__name__)


class _WindowsInMemory(MemoryStorage):
    """Forgets callers in the order of their last question, in constant time, and lives on the monotonic clock.

    The library's own storage looks at every caller after each question: with many, it does nothing else.
    """

    def __init__(self, most_callers: int) -> None:
        super().__init__()
        self._most_callers = most_callers
        self._times: defaultdict[int, OrderedDict[str, list[float]]] = defaultdict(OrderedDict)
        """By the length of the window: the times of each caller's questions, newest last."""

    async def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        now = monotonic()
        callers = self._times[expiry]
        times = callers.get(key, [])
        del times[: bisect_right(times, now - expiry)]
        if len(times) + amount > limit:
            return False
        times.extend([now] * amount)
        callers[key] = times
        callers.move_to_end(key)
        self._sweep(callers, now - expiry)
        return True

    async def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:  # noqa: ARG002
        now = monotonic()
        times = self._times[expiry].get(key, [])
        first = bisect_right(times, now - expiry)
        if first == len(times):
            return time(), 0
        return time() - (now - times[first]), len(times) - first

    def _sweep(self, callers: OrderedDict[str, list[float]], expired: float) -> None:
        for _ in range(_SWEPT_AT_ONCE):
            oldest = next(iter(callers))
            if callers[oldest][-1] > expired and len(callers) <= self._most_callers:
                return
            del callers[oldest]


async def _take(windows: MovingWindowRateLimiter, identifier: str, limit: Limit, cost: int) -> Allowance:
    item = _item(limit)
    allowed = await windows.hit(item, identifier, cost=cost)
    stats = await windows.get_window_stats(item, identifier)
    remaining = min(max(stats.remaining, 0), limit.questions)
    now = time()
    # The clock of another process may be wrong: no caller waits for longer than the window.
    resets_at = min(max(stats.reset_time, now), now + limit.seconds)
    if remaining == limit.questions:
        resets_at = now  # the window ended just after the refusal
    return Allowance(
        allowed=allowed,
        limit=limit.questions,
        remaining=remaining,
        resets_at=datetime.fromtimestamp(resets_at, UTC),
    )


def _item(limit: Limit) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(limit.questions, limit.seconds, namespace=_NAMESPACE)


def _connection_pool(url: str, seconds: float) -> "ConnectionPool":
    with brought_by("redis"):
        from redis.asyncio import ConnectionPool
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

    try:
        return ConnectionPool.from_url(
            url,
            max_connections=_CONNECTIONS + 1,  # one for the probe
            socket_timeout=seconds,
            socket_connect_timeout=seconds,
            retry=Retry(NoBackoff(), 0),
            encoding_errors="backslashreplace",
        )
    except ValueError:
        raise InvalidSettings("REDIS_URL must begin with redis://, rediss:// or unix://") from None

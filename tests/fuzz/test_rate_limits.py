"""However requests and time follow each other: limits in memory and in a real server that speaks Redis agree."""

import asyncio
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import limits.aio.storage.redis.redispy as redis_storage
import limits.aio.strategies as strategies
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from citebook.adapters import rate_limits
from citebook.adapters.rate_limits import MemoryRateLimiter, RedisRateLimiter
from citebook.domain.limits import Limit
from tests.fuzz.test_ingestion import EXAMPLES
from tests.ports.test_rate_limiter import PATIENT_SECONDS, Server

LIMITS = (Limit(questions=1, seconds=60), Limit(questions=3, seconds=60), Limit(questions=5, seconds=600))
_TICK = 0.001
"""No two questions come at the same moment, nor one at the very moment at which another is forgotten."""


class Clock:
    """The time of day and the monotonic clock at once."""

    now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


class Limiters(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self._runner, self._clock = asyncio.Runner(), Clock()
        self._patched = pytest.MonkeyPatch()
        self._patched.setattr(rate_limits, "monotonic", self._clock.time)
        self._patched.setattr(rate_limits, "time", self._clock.time)
        self._patched.setattr(redis_storage, "time", self._clock)
        self._patched.setattr(strategies, "time", self._clock)
        self._folder = TemporaryDirectory(prefix="valkey")
        self._server = Server(Path(self._folder.name))
        self._server.start()
        self._runner.run(self._server.wait())
        self._memory = MemoryRateLimiter()
        self._redis = RedisRateLimiter(self._server.url, seconds=PATIENT_SECONDS)
        self._asked: dict[tuple[str, Limit], list[float]] = defaultdict(list)

    def teardown(self) -> None:
        self._runner.run(self._redis.aclose())
        self._runner.close()
        self._server.kill()
        self._folder.cleanup()
        self._patched.undo()

    @rule(caller=st.sampled_from("ab"), limit=st.sampled_from(LIMITS), times=st.integers(1, 6))
    def ask(self, caller: str, limit: Limit, times: int) -> None:
        for _ in range(times):
            self._clock.now += _TICK
            window = [at for at in self._asked[caller, limit] if at > self._clock.now - limit.seconds]
            in_memory = self._runner.run(self._memory.take(caller, limit))
            in_redis = self._runner.run(self._redis.take(caller, limit))
            assert in_memory.allowed == in_redis.allowed == (len(window) < limit.questions)
            if in_memory.allowed:
                window.append(self._clock.now)
            self._asked[caller, limit] = window
            assert in_memory.remaining == in_redis.remaining == limit.questions - len(window)
            assert abs((in_memory.resets_at - in_redis.resets_at).total_seconds()) < 0.01
            assert not self._redis.is_down

    @rule(seconds=st.sampled_from((0.5, 20.25, 59.5, 60.5, 300.5, 601.5)))
    def let_time_pass(self, seconds: float) -> None:
        self._clock.now += seconds


Limiters.TestCase.settings = settings(
    max_examples=max(5, EXAMPLES // 12),
    stateful_step_count=15,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestLimiters = Limiters.TestCase

"""A dependency that keeps failing is left alone, and noticed when it is back."""

import pytest

from citebook.pacing.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker("the dependency", failures=3, pause_seconds=2.0, clock=clock)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        assert breaker.admits()
        breaker.failed()


def test_failures_with_a_success_between_them_open_nothing(breaker: Breaker) -> None:
    for _ in range(5):
        fail(breaker, 2)
        breaker.succeeded()
    assert not breaker.is_open


def test_it_opens_after_so_many_failures_in_a_row(breaker: Breaker, caplog: pytest.LogCaptureFixture) -> None:
    fail(breaker, 3)
    assert breaker.is_open
    assert not breaker.admits()
    assert "the dependency fails" in caplog.text


def test_one_probe_in_each_pause(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    for _ in range(3):
        clock.now += 2.0
        assert [breaker.admits() for _ in range(4)] == [True, False, False, False]
        breaker.failed()
    assert breaker.is_open


def test_a_probe_that_never_comes_back_is_not_the_last(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    for _ in range(3):
        clock.now += 2.0
        assert breaker.admits()


def test_a_probe_that_succeeds_closes_it(breaker: Breaker, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    fail(breaker, 3)
    clock.now += 2.0
    assert breaker.admits()
    breaker.succeeded()
    assert [breaker.admits() for _ in range(3)] == [True, True, True]
    assert "the dependency is back" in caplog.text
    fail(breaker, 3)
    assert breaker.is_open

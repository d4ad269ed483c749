"""Who may still be answered in time waits for a turn; who may not is told so at once."""

import asyncio

import pytest

from citebook.domain.errors import DeadlineExceeded, Overloaded
from citebook.pacing.deadline import Budget, Deadline
from citebook.pacing.turns import Turns


def deadline(seconds: float = 60.0) -> Deadline:
    return Deadline(Budget(total=seconds))


class Holder:
    """Takes a turn and keeps it until it is told to give it back."""

    def __init__(self, turns: Turns, seconds: float = 60.0) -> None:
        self.has_turn, self._give_back = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self._hold(turns, seconds))

    async def _hold(self, turns: Turns, seconds: float) -> None:
        async with turns.take(deadline(seconds)):
            self.has_turn.set()
            await self._give_back.wait()

    async def give_back(self) -> None:
        self._give_back.set()
        await self.task


async def test_turns_are_given_in_the_order_of_arrival() -> None:
    turns = Turns(1)
    first, second, third = Holder(turns), Holder(turns), Holder(turns)
    await first.has_turn.wait()
    await asyncio.sleep(0)
    assert not second.has_turn.is_set()
    await first.give_back()
    await second.has_turn.wait()
    assert not third.has_turn.is_set()
    await second.give_back()
    await third.give_back()


async def test_where_nobody_waits_no_wait_is_expected() -> None:
    assert Turns(2).expected_wait == 0.0


async def test_the_expected_wait_grows_with_the_queue() -> None:
    turns = Turns(1)
    holders = [Holder(turns)]
    await holders[0].has_turn.wait()
    waits = []
    for _ in range(3):
        waits.append(turns.expected_wait)
        holders.append(Holder(turns))
        await asyncio.sleep(0)
    assert waits == sorted(waits)
    assert waits[0] > 0
    for holder in holders:
        await holder.give_back()


async def test_who_would_wait_too_long_is_told_so_at_once_and_how_long() -> None:
    turns = Turns(1)
    holder = Holder(turns)
    await holder.has_turn.wait()
    with pytest.raises(Overloaded) as told:
        turns.check(deadline(seconds=0.001))
    assert told.value.retry_after >= 1
    await holder.give_back()


async def test_a_turn_that_comes_too_late_all_the_same_is_a_deadline_that_passed() -> None:
    turns = Turns(1)
    holder = Holder(turns)
    await holder.has_turn.wait()
    with pytest.raises(DeadlineExceeded, match="queue"):
        async with turns.take(deadline(seconds=0.2)):
            pytest.fail("there was no turn to be had")
    await holder.give_back()
    async with turns.take(deadline()):
        """The turn came back."""


async def test_who_leaves_the_queue_takes_no_turn() -> None:
    turns = Turns(1)
    holder, leaving, patient = Holder(turns), Holder(turns), Holder(turns)
    await holder.has_turn.wait()
    leaving.task.cancel()
    await asyncio.gather(leaving.task, return_exceptions=True)
    await holder.give_back()
    await patient.has_turn.wait()
    await patient.give_back()


async def test_a_turn_that_came_at_the_moment_of_leaving_is_passed_on() -> None:
    turns = Turns(1)
    holder, leaving, patient = Holder(turns), Holder(turns), Holder(turns)
    await holder.has_turn.wait()
    await asyncio.sleep(0)
    holder._give_back.set()
    await asyncio.sleep(0)
    leaving.task.cancel()
    await asyncio.gather(leaving.task, holder.task, return_exceptions=True)
    await asyncio.wait_for(patient.has_turn.wait(), 30)
    await patient.give_back()


async def test_an_error_inside_a_turn_gives_it_back() -> None:
    turns = Turns(1)
    with pytest.raises(RuntimeError):
        async with turns.take(deadline()):
            raise RuntimeError
    assert turns.expected_wait == 0.0


async def test_a_turn_that_is_paused_lets_another_work() -> None:
    turns = Turns(1)
    async with turns.take(deadline()) as turn:
        async with turn.paused(), turns.take(deadline()):
            """Somebody else works."""
        other = Holder(turns)
        await asyncio.sleep(0)
        assert not other.has_turn.is_set(), "the turn was taken up again"
    await other.has_turn.wait()
    await other.give_back()


async def test_turns_are_waited_for_while_more_wait_than_work() -> None:
    turns = Turns(1)
    holders = [Holder(turns) for _ in range(2)]
    await asyncio.sleep(0)
    assert not turns.are_waited_for
    holders.append(Holder(turns))
    await asyncio.sleep(0)
    assert turns.are_waited_for
    for holder in holders:
        await holder.give_back()
    assert not turns.are_waited_for


async def test_who_gives_up_as_a_turn_is_given_back_takes_nothing_with_it() -> None:
    turns = Turns(1)
    holder = Holder(turns)
    await holder.has_turn.wait()
    waiting = asyncio.create_task(turns.wait(deadline()))
    await asyncio.sleep(0)
    waiting.cancel()
    turns.give_back()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert turns.expected_wait == 0.0
    holder.task.cancel()


async def test_a_turn_goes_to_the_next_who_can_still_be_answered_in_time() -> None:
    turns = Turns(1)
    await turns.wait(deadline())
    late, next_one = deadline(0.04), deadline()
    waiting = [asyncio.create_task(turns.wait(one)) for one in (late, next_one)]
    await asyncio.sleep(0.01)
    turns.give_back()
    with pytest.raises(Overloaded) as told:
        await waiting[0]
    assert told.value.retry_after >= 1
    await waiting[1]

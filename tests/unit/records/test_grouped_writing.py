"""Writing in groups: fewer transactions, nothing lost, nobody waits for long."""

import asyncio
from collections.abc import Sequence

import pytest

from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable, RecordRefused
from citebook.records.grouped_writing import LARGEST_GROUP, GroupedWriter
from tests.records import full_record


class NotingStore:
    """Notes each transaction; refuses what it is told to, and stands still until it is let go."""

    def __init__(self) -> None:
        self.transactions: list[Sequence[Entry]] = []
        self.refused: Entry | None = None
        self.is_free, self.is_asked = asyncio.Event(), asyncio.Event()
        self.is_free.set()

    async def keep(self, *entries: Entry) -> list[bool]:
        self.is_asked.set()
        await self.is_free.wait()
        if self.refused in entries:
            raise RecordRefused("a rule of the table is broken")
        self.transactions.append(entries)
        return [True] * len(entries)


@pytest.fixture
def store() -> NotingStore:
    return NotingStore()


def entries(count: int) -> list[Entry]:
    return [Entry(record=full_record()) for _ in range(count)]


def writer_to(store: NotingStore, seconds: float = 30) -> GroupedWriter:
    return GroupedWriter(store, seconds)  # type: ignore[arg-type]


async def test_one_alone_is_kept_at_once(store: NotingStore) -> None:
    (entry,) = entries(1)
    await writer_to(store).keep(entry)
    assert store.transactions == [(entry,)]


async def test_what_comes_meanwhile_is_kept_together_and_in_order(store: NotingStore) -> None:
    writer, all_of_them = writer_to(store), entries(10)
    store.is_free.clear()
    keeping = [asyncio.create_task(writer.keep(entry)) for entry in all_of_them[:1]]
    await store.is_asked.wait()
    keeping += [asyncio.create_task(writer.keep(entry)) for entry in all_of_them[1:]]
    await asyncio.sleep(0)
    store.is_free.set()
    await asyncio.gather(*keeping)
    assert [entry for group in store.transactions for entry in group] == all_of_them
    assert len(store.transactions) == 2


async def test_a_group_is_never_larger_than_a_transaction_bears(store: NotingStore) -> None:
    writer = writer_to(store)
    await asyncio.gather(*(writer.keep(entry) for entry in entries(2 * LARGEST_GROUP + 1)))
    assert [len(group) for group in store.transactions] == [LARGEST_GROUP, LARGEST_GROUP, 1]


async def test_one_that_is_refused_costs_only_itself(store: NotingStore) -> None:
    writer, all_of_them = writer_to(store), entries(5)
    store.refused = all_of_them[2]
    outcomes = await asyncio.gather(*(writer.keep(entry) for entry in all_of_them), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [bool, bool, RecordRefused, bool, bool]
    assert [entry for group in store.transactions for entry in group] == all_of_them[:2] + all_of_them[3:]


async def test_nobody_waits_for_others_for_longer_than_for_its_own(store: NotingStore) -> None:
    writer = writer_to(store, seconds=-0.2)  # with the time to hear of an end
    store.is_free.clear()
    first, second = entries(2)
    begun = asyncio.create_task(writer.keep(first))
    await store.is_asked.wait()
    with pytest.raises(DatabaseUnavailable):
        await writer.keep(second)
    store.is_free.set()
    await writer.aclose()
    assert store.transactions == [(first,)]
    await asyncio.gather(begun, return_exceptions=True)


async def test_who_is_cancelled_leaves_its_entry_to_be_kept(store: NotingStore) -> None:
    writer, (entry,) = writer_to(store), entries(1)
    keeping = asyncio.create_task(writer.keep(entry))
    await asyncio.sleep(0)
    keeping.cancel()
    await writer.aclose()
    assert store.transactions == [(entry,)]


async def test_a_fault_of_ours_reaches_everyone_who_waits(store: NotingStore) -> None:
    writer = writer_to(store)

    async def broken(*_entries: Entry) -> list[bool]:
        raise KeyError("a fault")

    store.keep = broken  # type: ignore[method-assign]
    outcomes = await asyncio.gather(*(writer.keep(entry) for entry in entries(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [KeyError] * 3
    await asyncio.sleep(0)
    store.keep = NotingStore().keep  # type: ignore[method-assign]
    await writer.keep(*entries(1))

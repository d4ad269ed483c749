"""Two machines that ingest one book at once: one waits its turn, and a dead one does not hold it for ever."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from qdrant_client import AsyncQdrantClient

from citebook.adapters.qdrant.server import QdrantServer
from citebook.adapters.qdrant.server_lease import LEASE_SECONDS, BookLease
from citebook.domain.errors import IngestInProgress
from tests.fakes import WORKERS, make_chunk
from tests.ports.test_book_index import EMBEDDER, edition_of, publish, vectors

CHUNK = make_chunk("Inverse kinematics finds joint angles.", "kinematics.mdx")

pytestmark = [
    pytest.mark.network,
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),  # of the client's local mode
]


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    client = AsyncQdrantClient(":memory:")
    await client.create_collection("biology--editions", vectors_config={})
    yield client
    await client.close()


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


Lease = Callable[..., BookLease]


@pytest.fixture
def lease(client: AsyncQdrantClient, tmp_path: Path, clock: Clock) -> Lease:
    """That of a machine with this name."""

    def of(machine: str, seconds: float = LEASE_SECONDS) -> BookLease:
        return BookLease(client, "biology--editions", tmp_path / machine / "biology.lock", seconds, clock)

    return of


async def test_while_one_machine_has_it_another_is_turned_away_and_then_has_it(lease: Lease) -> None:
    async with lease("one").held():
        with pytest.raises(IngestInProgress, match="already in progress on"):
            async with lease("two").held():
                pass
    async with lease("two").held():
        pass


async def test_of_many_who_ask_at_once_one_has_it(lease: Lease) -> None:
    async def take(machine: int) -> str:
        try:
            async with lease(f"machine {machine}").held():
                await asyncio.sleep(0.2)
                return "had it"
        except IngestInProgress:
            return "turned away"

    assert sorted(await asyncio.gather(*map(take, range(8)))) == ["had it", *["turned away"] * 7]


async def test_a_lease_of_the_dead_runs_out(lease: Lease, clock: Clock, tmp_path: Path) -> None:
    dead = lease("one")
    (tmp_path / "one").mkdir()
    dead._owner = dead._name_of_this_machine()
    await dead.renew()
    clock.now += LEASE_SECONDS - 1
    with pytest.raises(IngestInProgress):
        async with lease("two").held():
            pass
    clock.now += 2
    async with lease("two").held():
        pass


async def test_what_a_killed_ingest_of_the_same_machine_left_is_taken_over_at_once(
    lease: Lease, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    dead = lease("one")
    dead._owner = dead._name_of_this_machine()
    await dead.renew()
    async with lease("one").held():
        pass


async def test_a_lease_is_renewed_while_the_work_goes_on(lease: Lease, clock: Clock) -> None:
    async with lease("one", 0.2).held():
        for _ in range(5):
            await asyncio.sleep(0.1)
            clock.now += 0.1
            with pytest.raises(IngestInProgress):
                async with lease("two").held():
                    pass


async def test_who_was_frozen_until_another_took_over_publishes_nothing(
    client: AsyncQdrantClient, tmp_path: Path, clock: Clock, lease: Lease
) -> None:
    frozen = QdrantServer(client, "biology", tmp_path / "one", WORKERS)
    frozen._lease = lease("one")
    other = QdrantServer(client, "biology", tmp_path / "two", WORKERS)
    other._lease = lease("two")
    async with frozen.build("old", EMBEDDER.stamp) as builder:
        await builder.add([CHUNK], await vectors([CHUNK]))
        clock.now += LEASE_SECONDS + 1
        async with other.build("new", EMBEDDER.stamp):
            with pytest.raises(IngestInProgress):
                await builder.publish(edition_of("old", [CHUNK]))
    assert await other.current() is None
    await publish(other, "newest", [CHUNK])
    assert (await frozen.edition()).name == "newest"

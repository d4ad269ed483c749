"""Processes that write to a database: `python -m tests.database_writers append|converse|beside URL COUNT …`."""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.conversation import ChatMessage, SourceCitation
from citebook.domain.entries import Entry
from citebook.records.outbox import Outbox
from tests.conversing import TalkingStore, conversations_in, question_in
from tests.records import full_record


async def append(url: str, count: int) -> None:
    async with Database.connect(url) as database:
        for number in range(count):
            await SqlAuditLog(database).append(full_record(number))


async def converse(url: str, count: int) -> None:
    """Prints the id of each message once it is kept."""
    async with Database.connect(url) as database:
        store = TalkingStore(database)
        session, _token = await store.start(None)
        for number in range(count):
            question = await store.add_question(session.id, f"Question {number}")
            print(question.id, flush=True)
            answer = _answer(session.id)
            await store.add_answer(answer, full_record(number))
            print(answer.id, flush=True)


async def converse_beside(url: str, count: int, root: str) -> None:
    """The same, with an outbox for what the database does not take in time."""
    async with Database.connect(url) as database:
        conversations = conversations_in(database, Outbox(Path(root)))
        running = asyncio.create_task(conversations.run())
        session, _token = await conversations.start(None)
        for number in range(count):
            question = question_in(session.id, f"Question {number}")
            await conversations.keep(Entry(message=question))
            print(question.id, flush=True)
            answer = _answer(session.id)
            await conversations.keep(Entry(message=answer, record=full_record(number)))
            print(answer.id, flush=True)
        running.cancel()


def _answer(session_id: object) -> ChatMessage:
    message_id = uuid4()
    source = {"chapter_id": "c", "chapter_title": "t", "relevance_score": 1, "excerpt": "e", "message_id": message_id}
    return ChatMessage.model_validate(
        {
            "id": message_id,
            "session_id": session_id,
            "role": "assistant",
            "content": "An answer",
            "created_at": datetime.now(UTC),
            "sources": [SourceCitation.model_validate({**source, "position": place}) for place in (1, 2)],
        }
    )


if __name__ == "__main__":
    what, url, count, *more = sys.argv[1:]
    work: Any = {"append": append, "converse": converse, "beside": converse_beside}[what]
    asyncio.run(work(url, int(count), *more))

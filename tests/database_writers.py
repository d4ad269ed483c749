"""Processes that write to a database: `python -m tests.database_writers append|converse DATABASE_URL COUNT`."""

import asyncio
import sys
from datetime import UTC, datetime
from uuid import uuid4

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.domain.conversation import ChatMessage, SourceCitation
from tests.records import full_record


async def append(url: str, count: int) -> None:
    async with Database.connect(url) as database:
        for number in range(count):
            await SqlAuditLog(database).append(full_record(number))


async def converse(url: str, count: int) -> None:
    """Prints the id of each message once it is kept."""
    async with Database.connect(url) as database:
        store = SqlConversationStore(database)
        session, _token = await store.start(None)
        for number in range(count):
            question = await store.add_question(session.id, f"Question {number}")
            print(question.id, flush=True)
            answer = _answer(session.id)
            await store.add_answer(answer, full_record(number))
            print(answer.id, flush=True)


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
    work = {"append": append, "converse": converse}[sys.argv[1]]
    asyncio.run(work(sys.argv[2], int(sys.argv[3])))

"""A store of conversations with words for what tests do most."""

from datetime import UTC, datetime
from uuid import UUID

from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.domain.audit import AuditRecord
from citebook.domain.conversation import ChatMessage, ChatSession, new_session
from citebook.domain.entries import Entry
from citebook.domain.storable import storable
from citebook.records.conversations import Conversations
from citebook.records.outbox import Outbox


class TalkingStore(SqlConversationStore):
    async def start(self, user_id: UUID | None = None) -> tuple[ChatSession, str]:
        session, token = new_session(self._clock(), user_id=user_id)
        await self.keep(Entry(session=session))
        return session, token

    async def add_question(self, session_id: UUID, text: str) -> ChatMessage:
        message = question_in(session_id, text, self._clock())
        await self.keep(Entry(message=message))
        return message

    async def add_answer(self, answer: ChatMessage | None, record: AuditRecord | None) -> None:
        await self.keep(Entry(message=answer, record=record))


def question_in(session_id: UUID, text: str, now: datetime | None = None) -> ChatMessage:
    moment = now or datetime.now(UTC)
    return ChatMessage(session_id=session_id, role="user", content=storable(text), created_at=moment)


def conversations_in(database: Database, outbox: Outbox, seconds: float = 0.5) -> Conversations:
    """As the service makes them."""
    quick, patient = SqlConversationStore(database.within(seconds)), SqlConversationStore(database)
    return Conversations(quick, patient, outbox, seconds)

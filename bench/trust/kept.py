"""Compares what readers were told with what the database has: lost, doubled, or marked as whole without being it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select

from bench.trust.readers import Told
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.tables import audit_logs, chat_messages, chat_sessions


@dataclass(frozen=True, slots=True)
class Message:
    id: UUID
    session_id: UUID
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Kept:
    """All that the database has of conversations and answers."""

    sessions: frozenset[UUID]
    messages: tuple[Message, ...]
    """In their order."""
    answers: tuple[tuple[UUID | None, str, str, bool], ...]
    """Of each audit record: the answer's id, its contract, text and whether it says that all went well."""


@dataclass(frozen=True, slots=True)
class Comparison:
    told: int
    sessions: int
    messages: int
    records: int
    lost: int
    doubled: int
    wrongly_complete: int

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.wrongly_complete)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


async def read_kept(url: str) -> Kept:
    async with Database.connect(url).within(600) as database, database.transaction("read") as connection:
        sessions = (await connection.execute(select(chat_sessions.c.id))).scalars().all()
        columns = chat_messages.c
        found = select(columns.id, columns.session_id, columns.role, columns.content).order_by(columns.sequence)
        messages = [Message(*row) for row in await connection.execute(found)]
        audit = audit_logs.c
        logged = await connection.execute(select(audit.answer_id, audit.contract, audit.answer_text, audit.success))
        answers = [(row[0], row[1], row[2] or "", bool(row[3])) for row in logged]
    return Kept(frozenset(sessions), tuple(messages), tuple(answers))


def compare(told: Sequence[Told], kept: Kept, later: Sequence[Told] = ()) -> Comparison:
    """What clients were told with what is kept; `later` is what they were told after that was copied."""
    talks = [one for one in told if one.kind != "academic"]
    looked_up = [one for one in told if one.kind == "academic"]
    lost, doubled = _of_conversations(talks, kept)
    records = Counter(answer_id for answer_id, _, _, success in kept.answers if answer_id and success)
    lost += sum(records[one.answer_id] == 0 for one in looked_up if one.answer_id)
    doubled += sum(times > 1 for times in records.values())
    # An answer and its record are one transaction: none is there without the other.
    lost += sum(records[message.id] == 0 for message in kept.messages if message.role == "assistant")
    return Comparison(
        told=len(told),
        sessions=len(kept.sessions),
        messages=len(kept.messages),
        records=len(kept.answers),
        lost=lost,
        doubled=doubled,
        wrongly_complete=_wrongly_complete([*told, *later], kept),
    )


def _of_conversations(talks: Sequence[Told], kept: Kept) -> tuple[int, int]:
    pairs: Counter[tuple[UUID, str, str]] = Counter()
    before: dict[UUID, Message] = {}
    doubled = 0
    for message in kept.messages:
        previous = before.get(message.session_id)
        if message.role == "assistant" and previous is not None and previous.role == "user":
            pairs[message.session_id, previous.content, message.content] += 1
        elif message.role == "assistant":
            doubled += 1
        before[message.session_id] = message
    asked = Counter(message.content for message in kept.messages if message.role == "user")
    doubled += sum(times - 1 for times in asked.values())
    expected = [(one.session, one.question, one.answer) for one in talks]
    lost = sum(pairs[session, question, answer] == 0 for session, question, answer in expected if session)
    return lost, doubled


def _wrongly_complete(told: Sequence[Told], kept: Kept) -> int:
    """Answers that nobody was told, and that differ from every whole answer to the same question."""
    whole: defaultdict[str, set[str]] = defaultdict(set)
    for one in told:
        if one.kind != "academic":
            whole[one.subject].add(one.answer)
    before: dict[UUID, str] = {}
    wrong = 0
    for message in kept.messages:
        if message.role == "assistant":
            subject = before.get(message.session_id, "").rpartition(" (")[0]
            wrong += bool(whole[subject]) and message.content not in whole[subject]
        before[message.session_id] = message.content
    texts = {one.answer for one in told if one.kind == "academic"}
    logged = {text for _, contract, text, success in kept.answers if contract == "academic" and success}
    return wrong + (len(logged - texts) if texts else 0)

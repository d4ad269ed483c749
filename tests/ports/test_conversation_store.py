"""What every store of conversations must do, on SQLite and on a real PostgreSQL."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.conversation import ChatMessage, ChatSession, Exchange, SourceCitation
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable, RecordRefused
from citebook.domain.limits import TokenUsage
from tests.conversing import TalkingStore, question_in
from tests.records import NOON, full_record

NOBODY = Caller(kind="anonymous", address="127.0.0.1")
READER = UUID("6f2c1a34-16cb-4cb5-8f6d-0c1e3a1c9d11")


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(database: Database, clock: Clock) -> TalkingStore:
    return TalkingStore(database, clock)


def holder_of(token: str) -> Caller:
    return Caller(kind="session", address="127.0.0.1", session_token=token)


def user(user_id: UUID) -> Caller:
    return Caller(kind="user", address="127.0.0.1", user_id=user_id)


def answer_to(
    session: ChatSession, content: str = "Inside the foot.", sources: int = 2, **fields: Any
) -> ChatMessage:
    message_id = uuid4()
    return ChatMessage(
        id=message_id,
        session_id=session.id,
        role="assistant",
        content=content,
        tokens_used=TokenUsage(input=10, output=5, total=15),
        confidence=0.87,
        sources=tuple(
            SourceCitation(
                message_id=message_id,
                chapter_id="module-1/chapter-2",
                chapter_title="Balance",
                relevance_score=0.5,
                excerpt="inside the foot",
                position=position,
            )
            for position in range(1, sources + 1)
        ),
        created_at=fields.pop("created_at", NOON),
        **fields,
    )


async def scalar(database: Database, statement: str, **values: Any) -> Any:
    async with database.transaction("read") as connection:
        return (await connection.execute(text(statement), values)).scalar()


class TestWishes:
    async def test_a_session_holds_what_its_last_question_wished(self, store: TalkingStore) -> None:
        session, token = await store.start(None)
        for number, tags in enumerate((["gears"], ["gears\x00", "cups"])):
            wishes = {"filters": {"module": 2, "tags": tags}, "preferences": {"topK": 3}}
            asked = question_in(session.id, f"{number}?", NOON)
            await store.keep(Entry(message=asked, owner=holder_of(token).owner, session_metadata=wishes))
        await store.keep(Entry(message=question_in(session.id, "And?", NOON)))
        found = await store.find(session.id, holder_of(token))
        assert found is not None
        assert found.metadata == {
            "filters": {"module": 2, "tags": ["gears\ufffd", "cups"]},
            "preferences": {"topK": 3},
        }

    async def test_a_stranger_changes_no_wishes(self, store: TalkingStore) -> None:
        session, token = await store.start(None)
        asked = question_in(session.id, "Mine?", NOON)
        stranger = holder_of("x" * 64).owner
        await store.keep(Entry(message=asked, owner=stranger, session_metadata={"filters": {"module": 2}}))
        assert await store.find(session.id, holder_of(token)) == session


class TestOwners:
    async def test_the_token_opens_the_session(self, store: TalkingStore) -> None:
        session, token = await store.start(None)
        assert len(token) == 64
        assert await store.find(session.id, holder_of(token)) == session

    async def test_the_user_opens_the_session_without_its_token(self, store: TalkingStore) -> None:
        session, _token = await store.start(READER)
        assert await store.find(session.id, user(READER)) == session

    @pytest.mark.parametrize("owner", [None, READER])
    @pytest.mark.parametrize(
        "stranger",
        [
            NOBODY,
            holder_of("x" * 64),
            holder_of(""),
            holder_of("' OR '1'='1"),
            user(uuid4()),
            Caller(kind="user", address="::1", user_id=uuid4(), session_token="x" * 64),
        ],
    )
    async def test_nobody_else_finds_or_deletes_it(
        self, store: TalkingStore, owner: UUID | None, stranger: Caller
    ) -> None:
        session, token = await store.start(owner)
        assert await store.find(session.id, stranger) is None
        assert await store.delete(session.id, stranger) is False
        assert await store.find(session.id, holder_of(token)) == session

    async def test_the_token_of_one_session_does_not_open_another(self, store: TalkingStore) -> None:
        mine, token = await store.start(None)
        other, _ = await store.start(None)
        assert mine.id != other.id
        assert await store.find(other.id, holder_of(token)) is None

    async def test_what_is_not_there_is_like_what_is_foreign(self, store: TalkingStore) -> None:
        _session, token = await store.start(None)
        assert await store.find(uuid4(), holder_of(token)) is None
        assert await store.delete(uuid4(), holder_of(token)) is False

    async def test_the_token_itself_is_kept_nowhere(self, store: TalkingStore, database: Database) -> None:
        session, token = await store.start(None)
        kept = await scalar(database, "SELECT session_token FROM chat_sessions")
        assert kept == session.session_token_hash != token

    async def test_a_deleted_session_takes_all_with_it(self, store: TalkingStore, database: Database) -> None:
        session, token = await store.start(None)
        await store.add_question(session.id, "Where?")
        await store.add_answer(answer_to(session), None)
        assert await store.delete(session.id, holder_of(token)) is True
        assert await store.delete(session.id, holder_of(token)) is False
        for table in ("chat_sessions", "chat_messages", "source_citations"):
            assert await scalar(database, f"SELECT count(*) FROM {table}") == 0


class TestMessages:
    async def test_history_gives_back_what_was_said(self, store: TalkingStore) -> None:
        session, _ = await store.start(None)
        question = await store.add_question(session.id, "Where must the zero moment point be?")
        answer = answer_to(session)
        await store.add_answer(answer, None)
        assert await store.history(session.id, 20, None) == (question, answer)

    async def test_a_message_keeps_the_session_alive(self, store: TalkingStore, clock: Clock) -> None:
        session, token = await store.start(None)
        clock.now += timedelta(days=29)
        await store.add_question(session.id, "Still there?")
        clock.now += timedelta(days=29)
        found = await store.find(session.id, holder_of(token))
        assert found is not None
        assert found.last_activity_at == NOON + timedelta(days=29)

    async def test_order_is_by_sequence_even_where_the_clock_goes_back(
        self, store: TalkingStore, clock: Clock
    ) -> None:
        session, token = await store.start(None)
        for number in range(4):
            clock.now = NOON - timedelta(days=number)
            await store.add_question(session.id, f"Question {number}")
        texts = [message.content for message in await store.history(session.id, 3, None)]
        assert texts == ["Question 1", "Question 2", "Question 3"]
        clock.now = NOON
        found = await store.find(session.id, holder_of(token))
        assert found is not None
        assert found.last_activity_at == NOON

    async def test_history_before_a_moment(self, store: TalkingStore, clock: Clock) -> None:
        session, _ = await store.start(None)
        for number in range(4):
            clock.now = NOON + timedelta(seconds=number)
            await store.add_question(session.id, f"Question {number}")
        page = await store.history(session.id, 2, NOON + timedelta(seconds=3))
        assert [message.content for message in page] == ["Question 1", "Question 2"]

    async def test_history_is_that_of_one_session(self, store: TalkingStore) -> None:
        mine, _ = await store.start(None)
        other, _ = await store.start(None)
        await store.add_question(other.id, "Secret?")
        assert await store.history(mine.id, 20, None) == ()
        assert await store.last_exchanges(mine.id, 5) == ()

    async def test_last_exchanges_leave_out_questions_without_an_answer(self, store: TalkingStore) -> None:
        session, _ = await store.start(None)
        for number in range(7):
            await store.add_question(session.id, f"Failed {number}")
            await store.add_question(session.id, f"Question {number}")
            await store.add_answer(answer_to(session, f"Answer {number}"), None)
        await store.add_question(session.id, "Under way")
        exchanges = await store.last_exchanges(session.id, 5)
        assert exchanges == tuple(Exchange(question=f"Question {n}", answer=f"Answer {n}") for n in range(2, 7))

    async def test_text_that_no_database_takes_is_kept_as_far_as_it_can_be(self, store: TalkingStore) -> None:
        session, _ = await store.start(None)
        await store.add_question(session.id, "a\x00b\ud800c 🤖 '; DROP TABLE chat_messages; --")
        (message,) = await store.history(session.id, 20, None)
        assert message.content == "a\ufffdb\ufffdc 🤖 '; DROP TABLE chat_messages; --"

    async def test_the_longest_texts_fit(self, store: TalkingStore) -> None:
        session, _ = await store.start(None)
        answer = answer_to(session, "🤖" * 10_000)
        long = answer.sources[0].model_copy(
            update={"chapter_id": "c" * 200, "chapter_title": "t" * 300, "excerpt": "é" * 1000}
        )
        await store.add_answer(answer.model_copy(update={"sources": (long,)}), None)
        (kept,) = await store.history(session.id, 20, None)
        assert kept.content == answer.content
        assert (len(kept.sources[0].chapter_id), len(kept.sources[0].chapter_title)) == (100, 255)

    async def test_a_question_for_a_session_that_is_gone_is_not_lost_in_silence(
        self, store: TalkingStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        await store.add_question(uuid4(), "Hello?")
        assert "its session is gone" in caplog.text


class TestMessagesOfAnOwnerToBeChecked:
    """Of a reader whose session could not be looked up in time."""

    @pytest.mark.parametrize("owner", [None, READER])
    async def test_the_owners_are_kept(self, store: TalkingStore, owner: UUID | None) -> None:
        session, token = await store.start(owner)
        shown = [holder_of(token), *([user(READER)] if owner else [])]
        for caller in shown:
            await store.keep(Entry(message=question_in(session.id, "Mine", NOON), owner=caller.owner))
        assert len(await store.history(session.id, 20, None)) == len(shown)

    @pytest.mark.parametrize("stranger", [NOBODY, holder_of("x" * 64), user(uuid4())])
    async def test_those_of_others_are_not(
        self, store: TalkingStore, database: Database, stranger: Caller, caplog: pytest.LogCaptureFixture
    ) -> None:
        session, _ = await store.start(None)
        message = question_in(session.id, "Not mine", NOON)
        await store.keep(Entry(message=message, owner=stranger.owner, record=full_record()))
        assert await store.history(session.id, 20, None) == ()
        assert "is not its sender's" in caplog.text
        assert (await SqlAuditLog(database).head()).sequence == 1

    async def test_an_expired_session_is_not_revived(self, store: TalkingStore) -> None:
        session, token = await store.start(None)
        late = question_in(session.id, "Too late", NOON + timedelta(days=31))
        await store.keep(Entry(message=late, owner=holder_of(token).owner))
        assert await store.history(session.id, 20, None) == ()


class TestAnswersWithRecords:
    async def test_answer_and_record_are_one(self, store: TalkingStore, database: Database) -> None:
        session, _ = await store.start(None)
        record = full_record()
        await store.add_answer(answer_to(session), record)
        log = SqlAuditLog(database)
        assert [chained.record async for chained in log.records()] == [record]
        assert await log.verify() is None

    async def test_if_the_record_cannot_be_kept_neither_is_the_answer(
        self, store: TalkingStore, database: Database
    ) -> None:
        session, _ = await store.start(None)
        broken = full_record().model_copy(update={"chunks_retrieved_count": -1})
        with pytest.raises(RecordRefused):
            await store.add_answer(answer_to(session), broken)
        assert await store.history(session.id, 20, None) == ()
        assert await SqlAuditLog(database).verify() is None

    async def test_a_deleted_session_does_not_cost_the_record(self, store: TalkingStore, database: Database) -> None:
        session, token = await store.start(None)
        await store.delete(session.id, holder_of(token))
        await store.add_answer(answer_to(session), full_record())
        assert (await SqlAuditLog(database).head()).sequence == 1

    async def test_readers_at_the_same_time_all_get_through(self, store: TalkingStore, database: Database) -> None:
        sessions = [session for session, _ in await asyncio.gather(*(store.start(None) for _ in range(20)))]

        async def converse(session: ChatSession) -> None:
            await store.add_question(session.id, "Why?")
            await store.add_answer(answer_to(session), full_record())

        await asyncio.gather(*map(converse, sessions))
        histories = await asyncio.gather(*(store.history(session.id, 20, None) for session in sessions))
        assert {len(history) for history in histories} == {2}
        assert await SqlAuditLog(database).verify() is None
        assert (await SqlAuditLog(database).head()).sequence == 20

    async def test_a_reader_who_leaves_midway_breaks_nothing(self, store: TalkingStore, database: Database) -> None:
        session, _ = await store.start(None)
        for step in range(12):
            task = asyncio.create_task(store.add_answer(answer_to(session), full_record()))
            await asyncio.sleep(step / 2000)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await store.add_answer(answer_to(session), full_record())
        await database.aclose()  # waits for what is still being written
        assert await SqlAuditLog(database).verify() is None
        kept = len(await store.history(session.id, 50, None))
        assert kept == (await SqlAuditLog(database).head()).sequence


class TestExpiry:
    async def test_a_session_idle_for_more_than_30_days_is_absent_before_any_purge(
        self, store: TalkingStore, clock: Clock
    ) -> None:
        session, token = await store.start(READER)
        clock.now = NOON + timedelta(days=30)
        assert await store.find(session.id, holder_of(token)) is not None
        clock.now += timedelta(microseconds=1)
        assert await store.find(session.id, holder_of(token)) is None
        assert await store.find(session.id, user(READER)) is None
        assert await store.delete(session.id, user(READER)) is False

    @pytest.mark.parametrize("days", [-45, -30, 0, 30, 45])
    async def test_purge_goes_by_the_moment_it_is_given(self, store: TalkingStore, clock: Clock, days: int) -> None:
        fresh, token = await store.start(None)
        clock.now = NOON + timedelta(days=45)
        later, later_token = await store.start(None)
        clock.now = NOON + timedelta(days=days)
        assert await store.purge(clock.now) == (1 if days == 45 else 0)
        assert (await store.find(fresh.id, holder_of(token)) is None) == (days == 45)
        assert await store.find(later.id, holder_of(later_token)) is not None


class TestConstraints:
    SESSION = "INSERT INTO chat_sessions (id, session_token) VALUES (:session, :token)"
    MESSAGE = (
        "INSERT INTO chat_messages (id, session_id, role, content, confidence) "
        "VALUES (:id, :session, :role, :content, :confidence)"
    )
    CITATION = (
        "INSERT INTO source_citations "
        "(id, message_id, chapter_id, chapter_title, relevance_score, excerpt, position) "
        "VALUES (:citation, :id, 'c', 't', :score, :excerpt, :position)"
    )
    GOOD: ClassVar[dict[str, Any]] = {
        "role": "assistant",
        "content": "x",
        "confidence": 0.5,
        "score": 1.0,
        "position": 1,
    }

    @pytest.mark.parametrize(
        "bad",
        [
            {},
            {"role": "system"},
            {"content": ""},
            {"content": "x" * 10_001},
            {"confidence": 1.1},
            {"confidence": -0.1},
            {"role": "user"},
            {"score": 1.01},
            {"score": -0.01},
            {"excerpt": "x" * 1001},
            {"position": 0},
            {"token": "x" * 65},
            {"session": None},
        ],
        ids=str,
    )
    async def test_the_database_itself_refuses_what_breaks_a_rule(
        self, database: Database, bad: dict[str, Any]
    ) -> None:
        ids: dict[str, Any] = {name: str(uuid4()) for name in ("session", "id", "citation")}
        values = self.GOOD | ids | {"token": "x" * 64, "excerpt": "x" * 1000} | bad
        casts = ("session", "id", "citation") if database.is_postgresql else ()
        statements = [self.SESSION, self.MESSAGE, self.CITATION]
        for name in casts:
            statements = [statement.replace(f":{name}", f"CAST(:{name} AS UUID)") for statement in statements]

        async def insert_all() -> None:
            async with database.transaction("write") as connection:
                for statement in statements:
                    used = {name: value for name, value in values.items() if f":{name}" in statement}
                    await connection.execute(text(statement), used)

        if not bad:
            await insert_all()
            return
        with pytest.raises(DatabaseUnavailable) as caught:
            await insert_all()
        assert "xxxx" not in str(caught.value)
        if "token" not in bad or not database.is_postgresql:
            assert isinstance(caught.value.__cause__, IntegrityError)


class TestPostgreSqlAlone:
    async def test_the_purge_function_of_the_seed(self, postgres_url: str) -> None:
        async with Database.connect(postgres_url) as database:
            store = TalkingStore(database, lambda: datetime.now(UTC) - timedelta(days=31))
            await store.start(None)
            await TalkingStore(database).start(None)
            async with database.transaction("write") as connection:
                purged = await connection.execute(text("SELECT purge_old_chat_sessions()"))
            assert purged.scalar() == 1
            assert await scalar(database, "SELECT count(*) FROM chat_sessions") == 1

    async def test_connections_that_were_cut_are_made_again(self, postgres_url: str) -> None:
        async with Database.connect(postgres_url) as database:
            store = TalkingStore(database)
            session, token = await store.start(None)
            with psycopg.connect(postgres_url) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            assert await store.find(session.id, holder_of(token)) == session


async def fill(database: Database, session: ChatSession, messages: int) -> None:
    """That many messages of other sessions and some of this one, by the database's own means."""
    async with database.patient.transaction("write") as connection:
        if database.is_postgresql:
            numbers, new_id = "SELECT generate_series(1, :count) AS n", "gen_random_uuid()"
            mine = "CAST(:mine AS UUID)"
        else:
            numbers = (
                "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < :count) SELECT n FROM r"
            )
            new_id = "lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 13, 3) || '-8' || "
            new_id += "substr(h, 16, 3) || '-' || substr(h, 19, 12))"
            numbers = f"SELECT n, hex(randomblob(16)) AS h FROM ({numbers})"
            mine = ":mine"
        await connection.execute(
            text(
                f"INSERT INTO chat_sessions (id, session_token) SELECT {new_id}, 'token ' || n FROM ({numbers}) AS s"
            ),
            {"count": 500},
        )
        others = f"(SELECT id, row_number() OVER () AS place FROM chat_sessions WHERE id <> {mine})"
        await connection.execute(
            text(
                "INSERT INTO chat_messages (id, session_id, role, content) "
                f"SELECT {new_id}, CASE WHEN n % 100 = 0 THEN {mine} ELSE o.id END, 'assistant', 'said ' || n "
                f"FROM ({numbers}) AS s JOIN {others} AS o ON o.place = n % 500 + 1 ORDER BY n"
            ),
            {"count": messages, "mine": str(session.id)},
        )
        await connection.execute(
            text(
                "INSERT INTO source_citations "
                "(id, message_id, chapter_id, chapter_title, relevance_score, excerpt, position) "
                "SELECT id, id, 'module-1/chapter-2', 'Balance', 0.5, 'inside the foot', 1 FROM chat_messages"
            )
        )


async def test_50_messages_of_100_000_come_at_once(database: Database, store: TalkingStore) -> None:
    session, _ = await store.start(None)
    await fill(database, session, 100_000)
    for _ in range(20):
        start = time.perf_counter()
        messages = await store.history(session.id, 50, None)
        seconds = time.perf_counter() - start
        if seconds < 0.2:  # else a busy machine may have spoilt it
            break
    assert [message.content for message in messages] == [f"said {n}" for n in range(95_100, 100_001, 100)]
    assert all(len(message.sources) == 1 for message in messages)
    assert seconds < 0.2


# --- the list of a user's sessions


async def test_a_user_s_sessions_are_listed_the_last_used_first(store: TalkingStore, clock: Clock) -> None:
    first, _ = await store.start(READER)
    second, _ = await store.start(READER)
    await store.start(uuid4())
    await store.start(None)
    for session, content in ((first, "Why do robots fall?"), (second, "fall " * 60), (first, "And now?")):
        clock.now += timedelta(minutes=1)
        await store.add_question(session.id, content)
    listed = await store.sessions(READER, 10, None)
    assert [one.id for one in listed] == [first.id, second.id]
    assert (listed[0].title, len(listed[1].title)) == ("Why do robots fall?", 119)
    assert listed[0].last_activity_at == NOON + timedelta(minutes=3)
    assert await store.sessions(READER, 1, None) == listed[:1]
    assert await store.sessions(READER, 10, listed[0].last_activity_at) == listed[1:]


async def test_a_session_without_a_question_has_no_title(store: TalkingStore) -> None:
    await store.start(READER)
    assert [one.title for one in await store.sessions(READER, 10, None)] == [""]


async def test_sessions_that_are_over_are_not_listed(store: TalkingStore, clock: Clock) -> None:
    await store.start(READER)
    clock.now += timedelta(days=31)
    assert await store.sessions(READER, 10, None) == ()

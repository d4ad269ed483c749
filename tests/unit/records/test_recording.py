"""What a recorder keeps, what it says of it, and what it does where it cannot."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.domain.answer import Answer, Outcome
from citebook.domain.audit import AuditDetail, AuditRecord
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable, ErrorContext, GeneratorFailed
from citebook.domain.events import AnswerCompleted, AnswerFailed
from citebook.domain.question import Filters, Question
from citebook.records import outbox_folder
from citebook.records.conversations import Conversations
from citebook.records.outbox import Outbox
from citebook.records.recording import Record, Recorder
from tests.conversing import TalkingStore
from tests.unit.records.test_outbox import emptied, full_disk

QUESTION = Question(text="Is it kept?")
KEPT = Record("core", "anon:1", "default", "metadata")
NOT_KEPT = Record("agent", "anon:1", "default", "none")
PROMISED = Record("academic", "key:1", "default", "full", is_promised=True)


class SwitchedStore(SqlConversationStore):
    """Fails where it is told to: before it writes, or after it has, as a connection that breaks in a commit does."""

    fails: str | None = None

    async def keep(self, *entries: Entry) -> list[bool]:
        kept = await super().keep(*entries) if self.fails != "before" else []
        if self.fails is not None:
            raise DatabaseUnavailable("The database failed: the connection is lost")
        return kept


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.connect(f"sqlite:///{tmp_path / 'citebook.sqlite3'}") as database:
        yield database


@pytest.fixture
def store(database: Database) -> SwitchedStore:
    return SwitchedStore(database)


@pytest.fixture
async def outbox(tmp_path: Path) -> AsyncIterator[Outbox]:
    outbox = Outbox(tmp_path / "outbox")
    yield outbox
    await outbox.aclose()


@pytest.fixture
def recorder(store: SwitchedStore, outbox: Outbox) -> Recorder:
    return Recorder(Conversations(store, store, outbox, seconds_to_keep=5))


def completed() -> AnswerCompleted:
    answer = Answer(
        question_id=QUESTION.id, outcome=Outcome.REFUSED, text="Not found.", confidence=0.0, model_used="quoting"
    )
    return AnswerCompleted(answer=answer)


def failed() -> AnswerFailed:
    answer = completed().answer.model_copy(update={"outcome": Outcome.FAILED})
    return AnswerFailed(
        error=ErrorContext.of(GeneratorFailed(), QUESTION.id), code=GeneratorFailed.code, answer=answer
    )


async def answered(recorder: Recorder, wanted: Record, event: Any = None) -> bool:
    return await recorder.keep_answer(QUESTION, None, event or completed(), wanted)


async def chain(database: Database) -> list[AuditRecord]:
    log = SqlAuditLog(database)
    assert await log.verify() is None
    return [chained.record async for chained in log.records()]


async def test_an_exchange_in_sql(recorder: Recorder, database: Database, outbox: Outbox) -> None:
    session, _ = await TalkingStore(database).start()
    wanted = Record("core", "anon:1", "default", "metadata", session.id)
    event = completed()
    assert await recorder.keep_question(QUESTION, wanted) is True
    assert await answered(recorder, wanted, event) is True
    history = await TalkingStore(database).history(session.id, 20, None)
    assert [message.content for message in history] == ["Is it kept?", "Not found."]
    assert history[1].id == event.answer.id
    assert len(await chain(database)) == 1
    assert len(outbox) == 0


async def test_an_exchange_in_the_outbox(recorder: Recorder, store: SwitchedStore, outbox: Outbox) -> None:
    wanted = Record("core", "anon:1", "default", "metadata", uuid4())
    store.fails = "before"
    assert await recorder.keep_question(QUESTION, wanted) is True
    assert await answered(recorder, wanted) is True
    asked, answer = await emptied(outbox)
    assert asked.message is not None
    assert answer.message is not None
    assert answer.record is not None


async def test_an_exchange_that_is_kept_nowhere(
    recorder: Recorder,
    store: SwitchedStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store.fails = "before"
    monkeypatch.setattr(outbox_folder, "write_whole", full_disk)
    assert await answered(recorder, KEPT) is False
    assert "the exchange was not kept: The outbox in" in caplog.text


async def test_nothing_to_keep(recorder: Recorder, store: SwitchedStore, outbox: Outbox) -> None:
    store.fails = "before"
    assert await recorder.keep_question(QUESTION, NOT_KEPT) is True
    assert await answered(recorder, NOT_KEPT) is True
    assert len(outbox) == 0


@pytest.mark.parametrize(
    ("filters", "detail", "kept"),
    [
        (Filters(chapter_id="arms", is_scope=True), "full", '{"chapter_id":"arms","is_scope":true}'),
        (Filters(module=2), "full", '{"module":2}'),
        (Filters(), "full", None),
        (Filters(tags=("anna",)), "metadata", None),
    ],
)
async def test_the_part_of_the_book_that_was_searched(
    recorder: Recorder, database: Database, filters: Filters, detail: AuditDetail, kept: str | None
) -> None:
    question, wanted = Question(text="Is it kept?", filters=filters), Record("ask", "anon:1", "default", detail)
    await recorder.keep_answer(question, None, completed(), wanted)
    await recorder.keep_interruption(question, None, wanted)
    assert [record.searched_part for record in await chain(database)] == [kept, kept]


async def test_a_text_that_no_database_takes(recorder: Recorder, store: SwitchedStore, outbox: Outbox) -> None:
    store.fails = "before"
    odd = Question(text="a\ud800b")
    wanted = Record("core", "anon:1", "default", "full", uuid4())
    assert await recorder.keep_question(odd, wanted) is True
    assert await recorder.keep_answer(odd, None, completed(), wanted) is True
    asked, answer = await emptied(outbox)
    assert asked.message is not None
    assert answer.record is not None
    assert asked.message.content == answer.record.user_query_text == "a\ufffdb"


class TestPromises:
    async def test_a_record_in_sql_keeps_it(self, recorder: Recorder, database: Database) -> None:
        assert await answered(recorder, PROMISED) is True
        assert [record.success for record in await chain(database)] == [True]

    async def test_the_outbox_does_not(self, recorder: Recorder, store: SwitchedStore, outbox: Outbox) -> None:
        """The record of a question that got no answer waits there instead."""
        store.fails = "before"
        with pytest.raises(DatabaseUnavailable):
            await answered(recorder, PROMISED)
        (entry,) = await emptied(outbox)
        assert entry.record is not None
        assert (entry.record.success, entry.record.error_message) == (False, "DATABASE_ERROR")
        assert (entry.record.outcome, entry.record.answer_id, entry.record.answer_text) == ("failed", None, None)
        assert entry.record.user_query_text == QUESTION.text
        assert entry.message is None

    async def test_a_question_that_is_not_kept_gets_no_answer(
        self, recorder: Recorder, store: SwitchedStore, outbox: Outbox
    ) -> None:
        store.fails = "before"
        in_conversation = Record("academic", "key:1", "default", "full", uuid4(), is_promised=True)
        with pytest.raises(DatabaseUnavailable):
            await recorder.keep_question(QUESTION, in_conversation)
        assert len(outbox) == 0

    async def test_a_commit_that_came_through_unheard_is_corrected(
        self, recorder: Recorder, store: SwitchedStore, outbox: Outbox, database: Database
    ) -> None:
        store.fails = "after"
        with pytest.raises(DatabaseUnavailable):
            await answered(recorder, PROMISED)
        store.fails = None
        for entry in await emptied(outbox):
            await store.keep(entry)
        claimed, correction = await chain(database)
        assert (claimed.success, correction.success) == (True, False)
        assert claimed.query_id == correction.query_id == UUID(QUESTION.id)

    async def test_a_failure_needs_no_correction(
        self, recorder: Recorder, store: SwitchedStore, outbox: Outbox, database: Database
    ) -> None:
        store.fails = "after"
        with pytest.raises(DatabaseUnavailable):
            await answered(recorder, PROMISED, failed())
        store.fails = None
        for entry in await emptied(outbox):
            await store.keep(entry)
        (record,) = await chain(database)
        assert record.error_message == "LLM_ERROR"

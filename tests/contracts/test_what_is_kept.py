"""What each contract leaves behind: everything, figures without a word, or nothing; and never a secret in a reply."""

import json
import logging
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.domain.callers import Caller
from citebook.domain.conversation import ChatSession
from citebook.domain.entries import Entry
from citebook.domain.errors import (
    DatabaseUnavailable,
    EmbedderFailed,
    GeneratorCutShort,
    GeneratorFailed,
    VectorStoreUnavailable,
)
from tests.contracts.conftest import Start
from tests.contracts.service import (
    ASKING,
    CANARY,
    PASSAGE,
    QUESTION,
    SEARCHING,
    SECRET,
    DownIndex,
    QuotingGenerator,
    Service,
    frames_of,
)
from tests.fakes import BrokenEmbedder

ANSWER = "A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash."


@pytest.mark.parametrize("name", ["textbook", "core", "core-stream", "ask", "ask-stream", "ask-selected"])
async def test_figures_without_a_word(service: Service, name: str) -> None:
    await ASKING[name].ask(service)
    (record,) = await service.audit_texts()
    assert record["contract"] == name.partition("-")[0]
    assert (record["outcome"], record["success"]) == ("answered", True)
    assert record["chunks_retrieved_count"] > 0
    text = json.dumps(record).lower()
    for word in ("harmonic drive", "steel", "backlash", "203.0.113.9"):
        assert word not in text


@pytest.mark.parametrize("name", ["textbook", "ask", "ask-stream", "ask-selected"])
async def test_nothing_where_the_reader_asks_so(service: Service, name: str) -> None:
    response = await ASKING[name].ask(service, headers={"X-Citebook-Keep": "nothing"})
    assert response.status_code == 200
    assert await service.audit_texts() == []


@pytest.mark.parametrize("name", ["ask", "ask-stream"])
async def test_no_word_of_what_was_said_before(service: Service, name: str) -> None:
    before = [{"question": f"What is {CANARY}?", "answer": f"It is {CANARY}."}]
    await ASKING[name].ask(service, "and a harmonic drive?", history=before)
    assert CANARY not in json.dumps(await service.audit_texts())


@pytest.mark.parametrize("name", ["academic", "academic-restricted", "academic-book"])
async def test_everything(service: Service, name: str) -> None:
    given = (await ASKING[name].ask(service)).json()
    (record,) = await service.audit_texts()
    assert record["user_query_text"] == QUESTION
    assert record["answer_text"] == given["answer"]
    assert record["answer_id"] == given["answer_id"]
    assert record["citations"][0]["excerpt"] == ANSWER
    assert record["book"] == ("another" if name == "academic-book" else "default")
    assert record["source_mode"] == ("context-restricted" if name == "academic-restricted" else "full-book")
    assert service.key not in json.dumps(record)


async def test_what_was_searched_for_and_found(service: Service) -> None:
    given = (await ASKING["academic"].ask(service)).json()
    (record,) = await service.audit_texts()
    assert record["retrieval_query"] == QUESTION.lower()
    assert 1 <= record["chunks_retrieved_count"] <= len(record["chunks_returned"])
    assert all(0 <= found["score"] <= 1 for found in record["chunks_returned"])
    assert isinstance(record["retrieval_latency_ms"], int)
    assert record["confidence_score"] == pytest.approx(given["confidence"])
    assert record["timestamp"]


async def test_how_like_the_question_the_passages_were(service: Service) -> None:
    await ASKING["academic"].ask(service)
    (record,) = await service.audit_texts()
    scores = [found["score"] for found in record["chunks_returned"]][: record["chunks_retrieved_count"]]
    assert record["avg_similarity"] == pytest.approx(sum(scores) / len(scores), abs=1e-5)


async def test_a_part_of_an_answer_is_told_and_kept_as_one(start: Start) -> None:
    service = await start(writer=QuotingGenerator(claims=1, error=GeneratorCutShort("its tokens are used up")))
    given = (await ASKING["academic"].ask(service)).json()
    assert given["status"] == "partial"
    again = await service.client.get(f"/chat/{given['answer_id']}", headers=service.bearer)
    assert again.json() == given


PERSONAL = "I am anna@example.org. What is a harmonic drive?"


async def test_personal_data_is_masked_in_the_audit(service: Service) -> None:
    given = (await ASKING["academic"].ask(service, PERSONAL)).json()
    (record,) = await service.audit_texts()
    assert record["user_query_text"] == "I am [e-mail address]. What is a harmonic drive?"
    assert "anna@" not in json.dumps(record)
    assert record["answer_text"] == given["answer"]


async def test_personal_data_stays_where_that_is_set(start: Start) -> None:
    service = await start(personal_data="off")
    await ASKING["academic"].ask(service, PERSONAL)
    (record,) = await service.audit_texts()
    assert record["user_query_text"] == PERSONAL


@pytest.mark.parametrize("name", ASKING)
async def test_personal_data_is_refused_where_that_is_set(start: Start, name: str) -> None:
    service = await start(personal_data="refuse")
    refused = await ASKING[name].ask(service, PERSONAL)
    assert refused.status_code == 400
    assert "e-mail address" in refused.text
    assert "anna@" not in refused.text
    assert await service.audit_texts() == []


async def test_nothing(service: Service, ingested: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not in a table, not in a file, not in the log."""
    caplog.set_level(logging.DEBUG)
    question = "What is a harmonic drive, and what is zanzibarian about it?"
    before = [{"question": "What is zanzibarian?", "answer": "Nothing here is zanzibarian."}]
    for more in ({}, {"history": before}):
        assert (await ASKING["agent"].ask(service, question, **more)).status_code == 200
    assert await service.audit_texts() == []
    await service.database.aclose()
    for file in (path for path in ingested.rglob("own-*/**/*") if path.is_file()):  # noqa: ASYNC240
        assert b"zanzibarian" not in file.read_bytes()
    assert "zanzibarian" not in caplog.text


@pytest.mark.parametrize("name", ["core", "ask", "academic"])
async def test_failures_are_kept_as_codes(start: Start, name: str) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=DatabaseUnavailable(CANARY)))
    await ASKING[name].ask(service)
    (record,) = await service.audit_texts()
    assert (record["success"], record["error_message"]) == (False, "DATABASE_ERROR")
    assert CANARY not in json.dumps(record)


async def test_an_answer_without_its_model_is_kept_as_quoted(start: Start) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=GeneratorFailed(CANARY)))
    await ASKING["ask"].ask(service)
    (record,) = await service.audit_texts()
    assert (record["success"], record["model"]) == (True, "extractive")
    assert CANARY not in json.dumps(record)


async def test_a_question_is_kept_before_the_first_byte(start: Start) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable(CANARY)))
    kept: list[Entry] = []
    keep = service.conversations.keep

    async def noted(entry: Entry) -> bool:
        kept.append(entry)
        is_kept: bool = await keep(entry)
        return is_kept

    service.conversations.keep = noted
    assert (await ASKING["core-stream"].ask(service)).status_code == 503
    assert [entry.message.content for entry in kept if entry.message] == [QUESTION]


# --- a database that goes away


class ForgetfulStore(SqlConversationStore):
    """Starts sessions, but cannot keep an answer."""

    error: Exception = DatabaseUnavailable(CANARY)

    async def keep(self, *entries: Entry) -> list[bool]:
        if any(entry.record is not None for entry in entries):
            raise self.error
        return await super().keep(*entries)


@pytest.mark.parametrize("name", [name for name in ASKING if not ASKING[name].needs_key])
async def test_answers_go_on_without_a_database(start: Start, broken_database: str, name: str) -> None:
    service = await start(database_url=broken_database)
    response = await ASKING[name].ask(service)
    assert response.status_code == 200
    assert ANSWER in response.text
    assert ("X-Session-Token" in response.headers) == name.startswith("core")


@pytest.mark.parametrize("name", ["core", "core-stream"])
async def test_a_session_that_is_kept_nowhere_is_not_told_of(
    start: Start, broken_database: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / "outbox").write_text("not a folder")
    response = await ASKING[name].ask(await start(database_url=broken_database, outbox=tmp_path / "outbox"))
    assert response.status_code == 200
    assert ANSWER in response.text
    assert "X-Session-Token" not in response.headers
    assert "sessionId" not in response.text


@pytest.mark.parametrize("name", ASKING)
async def test_an_answer_that_cannot_be_kept(start: Start, name: str) -> None:
    """Is given all the same, unless its audit was promised."""
    response = await ASKING[name].ask(await start(store=ForgetfulStore))
    assert response.status_code == (503 if ASKING[name].needs_key else 200)
    assert CANARY not in response.text
    if not ASKING[name].needs_key:
        assert ANSWER in response.text


class ForgettingBoth(SqlConversationStore):
    """Starts sessions, and cannot keep a word of them."""

    async def keep(self, *entries: Entry) -> list[bool]:
        if any(entry.message is not None for entry in entries):
            raise DatabaseUnavailable(CANARY)
        return await super().keep(*entries)


def last_of(response: httpx.Response, name: str) -> dict[str, Any]:
    """What the end of an answer says."""
    last: dict[str, Any] = frames_of(response.text)[-1] if name.endswith("stream") else response.json()
    return last


@pytest.mark.parametrize("name", ["core", "core-stream"])
@pytest.mark.parametrize("store", [ForgetfulStore, ForgettingBoth])
async def test_an_exchange_that_is_not_kept_is_told_and_its_session_is_not_named(
    start: Start, name: str, store: type[SqlConversationStore], tmp_path: Path
) -> None:
    (tmp_path / "outbox").write_text("not a folder")
    response = await ASKING[name].ask(await start(store=store, outbox=tmp_path / "outbox"))
    assert response.status_code == 200
    last = last_of(response, name)
    assert last["kept"] is False
    assert "sessionId" not in last
    if store is ForgettingBoth or name == "core":
        assert "X-Session-Token" not in response.headers


@pytest.mark.parametrize("name", ["core", "core-stream"])
async def test_a_session_that_went_while_it_was_asked_in_is_not_named(service: Service, name: str) -> None:
    first = await ASKING["core"].ask(service)
    token = {"X-Session-Token": first.headers["X-Session-Token"]}
    session = first.json()["sessionId"]
    find = service.conversations.find

    async def found_and_deleted(session_id: UUID, caller: Caller) -> ChatSession | None:
        found = await find(session_id, caller)
        assert await service.conversations.delete(session_id, caller)
        return found

    service.conversations.find = found_and_deleted  # type: ignore[method-assign]
    response = await ASKING[name].ask(service, sessionId=session, headers=token)
    assert response.status_code == 200
    last = last_of(response, name)
    assert last["kept"] is False
    assert "sessionId" not in last


@pytest.mark.parametrize("name", ["core", "core-stream"])
async def test_an_exchange_that_is_kept_names_its_session_and_says_no_more(service: Service, name: str) -> None:
    last = last_of(await ASKING[name].ask(service), name)
    assert "kept" not in last
    assert last["sessionId"]


class BreakingStore(ForgetfulStore):
    error = RuntimeError(CANARY)


@pytest.mark.parametrize("name", ["core-stream", "ask-stream"])
async def test_a_fault_behind_the_first_byte_is_one_last_frame(start: Start, name: str) -> None:
    *before, last = frames_of((await ASKING[name].ask(await start(store=BreakingStore))).text)
    assert last["error"] == "Something went wrong on our side. Please try again later."
    assert [frame for frame in before if "error" in frame or frame.get("done")] == []
    assert "citations" not in last


# --- an embedder that fails


@pytest.mark.parametrize("name", ASKING)
async def test_words_alone_answer_without_an_embedder(start: Start, name: str) -> None:
    class Broken(BrokenEmbedder):
        async def embed_passages(self, texts: Any) -> Any:  # noqa: ARG002
            raise EmbedderFailed(CANARY)

    service = await start(embedder=Broken(EmbedderFailed(CANARY)))
    response = await ASKING[name].ask(service)
    assert response.status_code == 200
    assert CANARY not in response.text


# --- nothing inner comes out


@pytest.mark.parametrize(
    "error", [RuntimeError, VectorStoreUnavailable, EmbedderFailed, OSError, KeyError, ValueError]
)
@pytest.mark.parametrize("name", SEARCHING)
async def test_no_inner_text_comes_out(start: Start, name: str, error: type[Exception], ingested: Path) -> None:
    service = await start(index=DownIndex(error(CANARY)))
    responses = [
        await ASKING[name].ask(service),
        await service.client.get("/health"),
        await service.client.get("/chapters"),
    ]
    for response in responses:
        assert response.status_code >= 500
        shown = response.text + str(response.headers)
        for secret in (CANARY, SECRET, service.key, str(ingested), "Traceback", 'File "', error.__name__, ".py"):
            assert secret not in shown


async def test_a_fault_outside_of_all_contracts(service: Service) -> None:
    @service.app.get("/broken")
    async def broken() -> None:
        raise RuntimeError(CANARY)

    response = await service.client.get("/broken")
    assert response.status_code == 500
    assert response.json() == {"detail": "Something went wrong on our side. Please try again later."}
    assert response.headers["X-Request-ID"]


async def test_a_passage_is_not_mistaken_for_the_book(service: Service) -> None:
    """What stands in a selection cannot be cited as a page of the book."""
    lie = "A harmonic drive is a gear that explodes. See [Gears](/docs/joints/gears)."
    assert len(PASSAGE) > 50
    answer = (await ASKING["ask-selected"].ask(service, selected_text=lie)).json()
    assert {citation["source_file"] for citation in answer["citations"]} == {"selected passage"}

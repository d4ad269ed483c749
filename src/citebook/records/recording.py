"""Keeps what a contract promises to keep, before the reader is told that the answer is complete."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any
from uuid import UUID, uuid4

from citebook.domain.answer import Answer, Citation, Outcome, Suggestion
from citebook.domain.audit import INTERRUPTED, AuditDetail, AuditRecord
from citebook.domain.conversation import MAX_EXCERPT_CHARACTERS, ChatMessage, SessionOwner, SourceCitation
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.events import AnswerCompleted, AnswerFailed
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Filters, Question
from citebook.domain.storable import storable
from citebook.language.text import cut_at_word
from citebook.records.conversations import Conversations
from citebook.records.personal_data import PersonalData

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """What is to be kept of one question, and for whom."""

    contract: str
    client_id: str
    book: str
    detail: AuditDetail
    session_id: UUID | None = None
    owner: SessionOwner | None = None
    """Who must own the session, where nobody could say so in time."""
    session_metadata: dict[str, Any] | None = None
    """What the session is to hold of its reader's wishes; None where that stays as it is."""
    is_promised: bool = False
    """True where an answer that could not be recorded must not be given."""
    wording: Callable[[Answer], str] = attrgetter("text")
    """The answer as this contract gives it to the reader."""


class Recorder:
    def __init__(self, conversations: Conversations, personal_data: PersonalData | None = None) -> None:
        self._conversations, self._personal_data = conversations, personal_data or PersonalData()

    async def keep_question(self, question: Question, wanted: Record) -> bool:
        """Before the first byte of its answer. See `keep_answer` for what it gives and raises."""
        if wanted.session_id is None:
            return True
        message = ChatMessage(
            session_id=wanted.session_id,
            role="user",
            content=storable(question.text),
            created_at=datetime.now(UTC),
        )
        entry = Entry(message=message, owner=wanted.owner, session_metadata=wanted.session_metadata)
        if wanted.is_promised:
            return await self._conversations.keep_in_sql(entry)
        return await self._keep(entry)

    async def keep_answer(
        self,
        question: Question,
        evidence: QueryResult | None,
        event: AnswerCompleted | AnswerFailed,
        wanted: Record,
    ) -> bool:
        """Before its last event: False where what the contract wants is kept neither in SQL nor on the disk.

        Also where the session is gone.
        Raises `DatabaseUnavailable` where the record was promised and is not in SQL: then no answer may be given.
        """
        message = record = None
        if wanted.session_id is not None and isinstance(event, AnswerCompleted):
            message = _message(event.answer, wanted.session_id)
        if wanted.detail != "none":
            code = event.code if isinstance(event, AnswerFailed) else None
            record = self._masked(_audit_record(question, evidence, event.answer, code, wanted), question)
        entry = Entry(message=message, owner=wanted.owner, record=record)
        if entry.is_empty:
            return True
        return await (self._keep_promise(entry) if wanted.is_promised else self._keep(entry))

    async def keep_interruption(self, question: Question, evidence: QueryResult | None, wanted: Record) -> None:
        """Of an answer that nobody waits for any more: that it was begun, and is not whole."""
        if wanted.detail == "none":
            return
        is_full = wanted.detail == "full"
        record = AuditRecord(
            query_id=UUID(question.id),
            contract=wanted.contract,
            client_id=wanted.client_id,
            book=wanted.book,
            edition=evidence.edition if evidence else None,
            user_query_text=question.text if is_full else "",
            source_mode="context-restricted" if question.only_selected_text else "full-book",
            retrieval_query=evidence.query_text if evidence and is_full else None,
            searched_part=_part(question.filters) if is_full else None,
            chunks_retrieved_count=len(evidence.retrieved_chunks) if evidence else 0,
            outcome=INTERRUPTED,
            success=False,
            error_message=INTERRUPTED.upper(),
            timestamp=question.asked_at,
        )
        await self._keep(Entry(record=self._masked(record, question)))

    def _masked(self, record: AuditRecord, question: Question) -> AuditRecord:
        """A question that rests on earlier ones may be searched for, and sent to a model, with their words."""
        said = (question.text, *(exchange.question for exchange in question.history), record.retrieval_query or "")
        return self._personal_data.masked(record, *said)

    async def _keep_promise(self, entry: Entry) -> bool:
        """An answer that is withheld leaves a record that says so.

        A commit that was under way may still come through: then that record follows the one that it corrects.
        """
        try:
            return await self._conversations.keep_in_sql(entry)
        except DatabaseUnavailable:
            if entry.record is not None:
                await self._keep(Entry(record=_withheld(entry.record)))
            raise

    async def _keep(self, entry: Entry) -> bool:
        """Storage that is down costs the history, not the answer."""
        try:
            return await self._conversations.keep(entry)
        except DatabaseUnavailable as error:
            log.warning("the exchange was not kept: %s", error)
            return False


def _withheld(record: AuditRecord) -> AuditRecord:
    """The record of an answer that was not given because it could not be recorded."""
    if not record.success:
        return record
    changes = {
        "log_id": uuid4(),
        "answer_id": None,
        "answer_text": None,
        "citations": (),
        "confidence_score": None,
        "outcome": Outcome.FAILED.value,
        "success": False,
        "error_message": DatabaseUnavailable.code,
    }
    return record.model_copy(update=changes)


def _message(answer: Answer, session_id: UUID) -> ChatMessage:
    """The message has the answer's id, so that feedback can be given on what a history shows."""
    return ChatMessage(
        id=answer.id,
        session_id=session_id,
        role="assistant",
        content=storable(answer.text),
        tokens_used=answer.tokens_used,
        confidence=answer.confidence,
        sources=tuple(_source(citation, answer.id) for citation in answer.citations),
        outcome="answered" if answer.outcome is Outcome.ANSWERED else "refused",
        parts=answer.parts,
        created_at=datetime.now(UTC),
    )


def _source(citation: Citation, message_id: UUID) -> SourceCitation:
    return SourceCitation(
        message_id=message_id,
        chapter_id=citation.chapter_id,
        chapter_title=citation.chapter_title,
        relevance_score=citation.relevance_score,
        excerpt=cut_at_word(storable(citation.excerpt), MAX_EXCERPT_CHARACTERS),
        position=citation.position,
        section_title=citation.section_title,
        page=citation.page,
        url=citation.url,
    )


def _audit_record(
    question: Question, evidence: QueryResult | None, answer: Answer, code: str | None, wanted: Record
) -> AuditRecord:
    is_full = wanted.detail == "full"
    cited = {citation.chunk_id for citation in answer.citations}
    retrieved = evidence.retrieved_chunks if evidence else ()
    found = (*retrieved, *(one for one in (evidence.nearby if evidence else ()) if one.chunk.id in cited))
    suggested = {near.place.chunk_id: near for near in answer.suggestions if near.place and is_full}
    return AuditRecord(
        query_id=UUID(question.id),
        answer_id=answer.id,
        contract=wanted.contract,
        client_id=wanted.client_id,
        book=wanted.book,
        edition=answer.edition,
        model=answer.model_used,
        prompt_version=answer.transcript.prompt_version if answer.transcript else None,
        llm_prompt=answer.transcript.prompt if answer.transcript and is_full else None,
        llm_response=answer.transcript.response if answer.transcript and is_full else None,
        user_query_text=question.text if is_full else "",
        source_mode="context-restricted" if question.only_selected_text else "full-book",
        retrieval_query=evidence.query_text if evidence and is_full else None,
        searched_part=_part(question.filters) if is_full else None,
        chunks_retrieved_count=len(retrieved),
        chunks_returned=tuple(_returned(one, suggested.get(one.chunk.id)) for one in found),
        avg_similarity=_average(evidence),
        retrieval_latency_ms=round(evidence.retrieval_time_ms) if evidence else 0,
        answer_text=wanted.wording(answer) if is_full else None,
        confidence_score=answer.confidence_as_measured,
        citations=tuple(citation.model_dump(mode="json") for citation in answer.citations) if is_full else (),
        outcome=answer.outcome.value,
        is_partial=answer.is_partial or None,
        success=code is None,
        error_message=code,
        timestamp=question.asked_at,
    )


def _part(filters: Filters) -> str | None:
    return None if filters.is_empty else filters.model_dump_json(exclude_defaults=True)


def _returned(found: RetrievedChunk, suggestion: Suggestion | None) -> dict[str, Any]:
    """Where a refusal named it, also the words that it was named with."""
    returned: dict[str, Any] = {
        "chunk_id": found.chunk.id,
        "source_file": found.chunk.place.source_file,
        "section": found.chunk.section,
        "score": round(found.score, 6),
    }
    if suggestion is not None:
        returned["suggestion"] = suggestion.model_dump(include={"title", "url", "snippet"})
    return returned


def _average(evidence: QueryResult | None) -> float | None:
    average = evidence.average_score if evidence else None
    return None if average is None else round(average, 6)

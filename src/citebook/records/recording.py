"""Keeps what a contract promises to keep, before the reader is told that the answer is complete."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from citebook.domain.answer import Answer, Citation, Outcome
from citebook.domain.audit import AuditDetail, AuditRecord
from citebook.domain.conversation import MAX_EXCERPT_CHARACTERS, ChatMessage, SourceCitation
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.events import AnswerCompleted, AnswerFailed
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.language.text import cut_at_word
from citebook.ports import ConversationStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """What is to be kept of one question, and for whom."""

    contract: str
    client_id: str
    book: str
    detail: AuditDetail
    session_id: UUID | None = None
    is_promised: bool = False
    """True where an answer that could not be recorded must not be given."""
    wording: Callable[[Answer], str] = attrgetter("text")
    """The answer as this contract gives it to the reader."""


class Recorder:
    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    async def keep_question(self, question: Question, wanted: Record) -> None:
        await self._guarded(self._keep_question(question, wanted), wanted)

    async def keep_answer(
        self,
        question: Question,
        evidence: QueryResult | None,
        event: AnswerCompleted | AnswerFailed,
        wanted: Record,
    ) -> None:
        await self._guarded(self._keep_answer(question, evidence, event, wanted), wanted)

    async def _keep_question(self, question: Question, wanted: Record) -> None:
        if wanted.session_id is not None:
            await self._store.add_question(wanted.session_id, question.text)

    async def _keep_answer(
        self,
        question: Question,
        evidence: QueryResult | None,
        event: AnswerCompleted | AnswerFailed,
        wanted: Record,
    ) -> None:
        message = None
        if wanted.session_id is not None and isinstance(event, AnswerCompleted):
            message = _message(event.answer, wanted.session_id)
        record = None
        if wanted.detail != "none":
            code = event.code if isinstance(event, AnswerFailed) else None
            record = _audit_record(question, evidence, event.answer, code, wanted)
        if message is not None or record is not None:
            await self._store.add_answer(message, record)

    async def _guarded(self, work: Any, wanted: Record) -> None:
        """A database that is down costs the history, not the answer; unless the record was promised."""
        try:
            await work
        except DatabaseUnavailable as error:
            if wanted.is_promised:
                raise
            log.warning("the exchange was not kept: %s", error)


def _message(answer: Answer, session_id: UUID) -> ChatMessage:
    """The message has the answer's id, so that feedback can be given on what a history shows."""
    return ChatMessage(
        id=answer.id,
        session_id=session_id,
        role="assistant",
        content=answer.text,
        tokens_used=answer.tokens_used,
        confidence=answer.confidence,
        sources=tuple(_source(citation, answer.id) for citation in answer.citations),
        outcome="answered" if answer.outcome is Outcome.ANSWERED else "refused",
        created_at=datetime.now(UTC),
    )


def _source(citation: Citation, message_id: UUID) -> SourceCitation:
    return SourceCitation(
        message_id=message_id,
        chapter_id=citation.chapter_id,
        chapter_title=citation.chapter_title,
        relevance_score=citation.relevance_score,
        excerpt=cut_at_word(citation.excerpt, MAX_EXCERPT_CHARACTERS),
        position=citation.position,
        section_title=citation.section_title,
        page=citation.page,
        url=citation.url,
    )


def _audit_record(
    question: Question, evidence: QueryResult | None, answer: Answer, code: str | None, wanted: Record
) -> AuditRecord:
    is_full = wanted.detail == "full"
    found = evidence.retrieved_chunks if evidence else ()
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
        chunks_retrieved_count=len(found),
        chunks_returned=tuple(
            {
                "chunk_id": f.chunk.id,
                "source_file": f.chunk.place.source_file,
                "section": f.chunk.section,
                "score": round(f.score, 6),
            }
            for f in found
        ),
        retrieval_latency_ms=round(evidence.retrieval_time_ms) if evidence else 0,
        answer_text=wanted.wording(answer) if is_full else None,
        confidence_score=answer.confidence,
        citations=tuple(citation.model_dump(mode="json") for citation in answer.citations) if is_full else (),
        outcome=answer.outcome.value,
        success=code is None,
        error_message=code,
        timestamp=question.asked_at,
    )

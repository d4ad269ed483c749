"""Events: what a reader may be told, and that each can be told from the others."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from citebook.domain.answer import Answer, Citation, Outcome, ProvenClaim
from citebook.domain.errors import DeadlineExceeded, ErrorContext
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.domain.evidence import QueryResult

CITATION = Citation(
    position=1,
    chunk_id="a" * 64,
    source_file="intro.mdx",
    filename="intro.mdx",
    chapter_id="intro",
    chapter_title="Introduction",
    section="robots",
    section_title="Robots",
    url="/docs/intro#robots",
    start=0,
    end=13,
    excerpt="Robots sense.",
    source_excerpt="Robots sense.",
    relevance_score=0.9,
)
REFUSAL = Answer(
    question_id="q", outcome=Outcome.REFUSED, text="Not covered.", confidence=0.0, model_used="extractive"
)
FAILURE = Answer(question_id="q", outcome=Outcome.FAILED, text="", confidence=0.0, model_used="extractive")

EVENTS: list[Event] = [
    EvidenceFound(result=QueryResult(query_text="x", retrieved_chunks=(), total_results=0, retrieval_time_ms=1.0)),
    SentenceVerified(
        claim=ProvenClaim(text="Robots sense.", citation=1), citation=CITATION, text="Robots sense. [1]"
    ),
    AnswerCompleted(answer=REFUSAL),
    AnswerFailed(error=ErrorContext.of(DeadlineExceeded(), "req-1"), code=DeadlineExceeded.code, answer=FAILURE),
]


def test_every_kind_of_event_is_tried_here() -> None:
    assert [type(event) for event in EVENTS] == list(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_being_written_down(event: Event) -> None:
    restored = TypeAdapter[Event](Event).validate_json(event.model_dump_json())
    assert restored == event
    assert type(restored) is type(event)


def test_a_sentence_is_never_told_without_its_proof() -> None:
    with pytest.raises(ValidationError, match="citation"):
        SentenceVerified.model_validate({"claim": ProvenClaim(text="Robots sense.", citation=1)})

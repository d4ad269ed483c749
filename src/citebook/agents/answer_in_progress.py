"""One question on its way through the agents: what is known of it so far."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from citebook.agents.answer_synthesis import WritingNotes
from citebook.confidence.model import Confidence
from citebook.domain.answer import ProvenSentence
from citebook.domain.book import DEFAULT_LANGUAGE
from citebook.domain.errors import CitebookError, ErrorContext
from citebook.domain.events import Event
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters, Question
from citebook.domain.trace import AgentName, AgentResponse
from citebook.domain.wording import Correction
from citebook.language.languages import Language, language_of
from citebook.pacing.deadline import Deadline
from citebook.searching.asked_of_selection import AskedOfSelection
from citebook.telemetry import texts
from citebook.writing.replies import AnswerText

log = logging.getLogger(__name__)

Tell = Callable[[Event], Awaitable[None]]
"""Takes each event as it happens."""

NO_CLAIM = Confidence(0.0, calibrated=False)
"""A reply that claims nothing about the book has nothing to be sure of."""


@dataclass(slots=True)
class AnswerInProgress:
    """One question on its way through the agents."""

    question: Question
    deadline: Deadline
    tell: Tell
    language: Language = field(default_factory=lambda: language_of(DEFAULT_LANGUAGE))
    """That of the book."""
    started: float = field(default_factory=perf_counter)
    trace: list[AgentResponse] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    evidence: QueryResult | None = None
    parts_are_due_for: str | None = None
    """The text whose parts were not searched for yet; None where they were."""
    filter_message: str | None = None
    """Where the question's filters were given up."""
    selection: AskedOfSelection | None = None
    """Where the reader selected a text."""
    confidence: Confidence = NO_CLAIM
    introduction: str | None = None
    sentences: list[ProvenSentence] = field(default_factory=list)
    """Those that the reader has seen, or will see."""
    text: AnswerText = field(default_factory=AnswerText)
    notes: WritingNotes = field(default_factory=WritingNotes)
    is_partial: bool = False
    retries: int = 0
    by_words_only: bool = False
    is_writing: bool = False
    """Whether a language model is at work."""
    error: ErrorContext | None = None
    """What went wrong last."""
    error_code: str = CitebookError.code
    retry_after: int | None = None

    @property
    def reader_saw_text(self) -> bool:
        """Whether some of it is on the reader's screen, and cannot be taken back."""
        return self.question.streamed and bool(self.sentences)

    def gives_up_filters(self) -> bool:
        """Whether there is something to give up: the chosen part of the book has no answer, but the rest may."""
        filters = self.question.filters
        if filters.is_empty or filters.is_scope or (self.evidence and self.evidence.searched_everywhere):
            return False
        self.question = self.question.model_copy(update={"filters": Filters()})
        self.filter_message = self.language.conversation.replies.searched_everywhere
        return True

    def introduce(self, introduction: str | None) -> None:
        """Before anything is told."""
        self.introduction, self.text = introduction, AnswerText(introduction=introduction)

    def take_back(self) -> list[ProvenSentence]:
        """All that was to be told, where nobody has seen it yet."""
        taken, self.sentences = self.sentences, []
        self.introduce(None)
        return taken

    @contextmanager
    def running(self, agent: AgentName) -> Iterator[dict[str, Any]]:
        """Leaves one `AgentResponse` in the trace: of what the agent put into its result, or of its error."""
        since = perf_counter()
        result: dict[str, Any] = {}
        try:
            yield result
        except Exception as error:
            self.did(agent, since, ErrorContext.of(error, self.question.id))
            raise
        self.did(agent, since, **result)

    def did(self, agent: AgentName, since: float, error: ErrorContext | None = None, **result: Any) -> None:
        elapsed = max(1e-3, (perf_counter() - since) * 1e3)
        self.timings[agent.value] = round(elapsed, 3)
        response = AgentResponse(
            success=error is None,
            agent_name=agent,
            result_data=result,
            error_details=error,
            execution_time_ms=elapsed,
        )
        self.trace.append(response)
        log.debug("%s: %s after %.1f ms", agent.value, error.error_type.value if error else "done", elapsed)
        if texts.isEnabledFor(logging.DEBUG):
            texts.debug("agent response: %s", response.model_dump_json(exclude_none=True))

"""An answer and the proof of each of its claims."""

from enum import StrEnum
from typing import Literal, NamedTuple, Self
from uuid import UUID, uuid4

from pydantic import Field, model_validator

from citebook.domain.blocks import AnswerPart, Block, Inline, Paragraph, plain_paragraph
from citebook.domain.book import Sha256
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Transcript
from citebook.domain.support import Support, support_of
from citebook.domain.trace import AgentResponse
from citebook.domain.value import Value
from citebook.domain.wording import Correction

ConfidenceLevel = Literal["high", "medium", "low"]

MAX_ANSWER_CHARACTERS = 10_000


class Citation(Value):
    """Where in the book a claim stands: a verbatim excerpt, bound to a file, offsets and a content hash."""

    position: int = Field(ge=1)
    chunk_id: Sha256
    source_file: str
    filename: str
    chapter_id: str
    chapter_title: str
    section: str
    section_title: str
    url: str
    page: int | None = None
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    excerpt: str = Field(min_length=1)
    """The words as the reader sees them on the page."""
    source_excerpt: str = Field(min_length=1)
    """The same range as it stands in the file, markup included: the file's characters `start` to `end`."""
    relevance_score: float = Field(ge=0.0, le=1.0)
    passage: str | None = None
    """The excerpt with what stands around it, to the letter, where it is too short to be understood by itself."""
    shown: str = Field(default="", exclude=True)
    """The excerpt; of a very long one, its beginning."""
    blocks: tuple[Block, ...] = Field(default=(), exclude=True)
    """The same as the page shows it."""
    before: tuple[Block, ...] = Field(default=(), exclude=True)
    after: tuple[Block, ...] = Field(default=(), exclude=True)
    """The sentences beside it, where they are read at a glance."""


class Claim(Value):
    """One sentence of an answer before it is proven: what is said, and the sentences that should prove it."""

    text: str = Field(min_length=1)
    chunk_id: Sha256
    first_sentence: int = Field(ge=0)
    last_sentence: int = Field(ge=0)
    score: float | None = Field(default=None, ge=0.0, le=1.0)
    """How well this answers the question, by the generator's own measure; never trusted as it is."""
    examined: float | None = Field(default=None, ge=0.0, le=1.0)
    """The same by the examiner, where one read it."""
    headed: bool = False
    """Whether the title of its section is shown above it."""

    @model_validator(mode="after")
    def _range_runs_forward(self) -> Self:
        if self.last_sentence < self.first_sentence:
            raise ValueError("last_sentence must not stand before first_sentence")
        return self


class ProvenClaim(Value):
    """A claim whose citation the server has checked against the book."""

    text: str = Field(min_length=1)
    citation: int = Field(ge=1)
    """Position of the citation that proves it."""
    score: float | None = Field(default=None, ge=0.0, le=1.0)
    """The generator's own measure."""
    examined: float | None = Field(default=None, ge=0.0, le=1.0, exclude=True)
    """The examiner's, where one read it."""
    support: float = Field(default=1.0, ge=0.0, le=1.0)
    """How strongly the quoted words prove it: 1 where it is those words."""
    quoted: tuple[Block, ...] = ()
    """The same as the page shows it, where it is quoted."""
    heading: str | None = None
    """The title of the section that it stands in, where that is shown."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """As it is shown: words of a model are a paragraph."""
        blocks = self.quoted or (plain_paragraph(self.text),)
        return (Paragraph(text=(Inline(text=self.heading, marks=("strong",)),)), *blocks) if self.heading else blocks

    @property
    def part(self) -> AnswerPart:
        return AnswerPart(blocks=self.blocks, citation=self.citation)


def introducing(introduction: str | None) -> tuple[AnswerPart, ...]:
    """The part that an introduction is; none where there is none."""
    return (AnswerPart(blocks=(plain_paragraph(introduction),), citation=None),) if introduction else ()


class ProvenSentence(NamedTuple):
    claim: ProvenClaim
    citation: Citation


class Outcome(StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"
    FAILED = "failed"


class NearPlace(Value):
    """A passage that is near to a question, and proves nothing about it."""

    chunk_id: Sha256
    chapter_id: str
    chapter_title: str
    section: str
    section_title: str
    filename: str
    url: str
    page: int | None
    excerpt: str = Field(min_length=1)
    """The book's own words."""
    relevance_score: float = Field(ge=0.0, le=1.0)


class Suggestion(Value):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: str = ""
    """How the passage there begins that is most like the question."""
    place: NearPlace | None = None
    """That passage itself."""


class Answer(Value):
    """The end of every question: claims with their proof, or a refusal that says what the book does cover."""

    id: UUID = Field(default_factory=uuid4)
    question_id: str
    outcome: Outcome
    text: str = Field(max_length=MAX_ANSWER_CHARACTERS)
    introduction: str | None = None
    """A sentence before the claims that says nothing on the strength of a page."""
    claims: tuple[ProvenClaim, ...] = ()
    citations: tuple[Citation, ...] = ()
    confidence: float = Field(ge=0.0, le=1.0)
    """That the answer is right and useful: 0 where none is given."""
    measured_confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    """Of a refusal: the confidence in what would have been the answer; None where nothing was measured."""
    calibrated: bool = False
    low_confidence: bool = False
    is_talk: bool = False
    """A reply to a greeting or the like: nothing was looked for."""
    is_partial: bool = False
    """Whether a model wrote more that could not be proven, or was cut short after a part that is."""
    suggestions: tuple[Suggestion, ...] = ()
    corrections: tuple[Correction, ...] = ()
    corrected: str | None = None
    """The question with its corrections; None where it has none."""
    filter_message: str | None = None
    model_used: str = Field(min_length=1)
    tokens_used: TokenUsage = TokenUsage()
    transcript: Transcript | None = Field(default=None, repr=False)
    """The exchange with the language model, where one wrote the answer."""
    edition: str | None = None
    timings_ms: dict[str, float] = Field(default_factory=dict)
    trace: tuple[AgentResponse, ...] = ()

    @model_validator(mode="after")
    def _claims_are_proven(self) -> Self:
        positions = {citation.position for citation in self.citations}
        if any(claim.citation not in positions for claim in self.claims):
            raise ValueError("every claim must point at a citation of the answer")
        if self.outcome is Outcome.ANSWERED and not self.claims:
            raise ValueError("an answer without claims is a refusal")
        if self.outcome is not Outcome.FAILED and not self.text:
            raise ValueError("an answer and a refusal must say something")
        return self

    @property
    def parts(self) -> tuple[AnswerPart, ...]:
        """The same as the text, as blocks."""
        if self.claims:
            return (*introducing(self.introduction), *(claim.part for claim in self.claims))
        return (AnswerPart(blocks=(plain_paragraph(self.text),), citation=None),) if self.text else ()

    @property
    def support(self) -> Support | None:
        """In words, whether it answers; None of what is no answer."""
        if self.outcome is Outcome.ANSWERED:
            return support_of(self.confidence, low_confidence=self.low_confidence)
        return Support.TALK if self.is_talk else None

    @property
    def confidence_as_measured(self) -> float:
        """Also of a refusal: what was held against the threshold."""
        return self.confidence if self.measured_confidence is None else self.measured_confidence

    @property
    def confidence_level(self) -> ConfidenceLevel:
        return level_of(self.confidence)


def level_of(confidence: float) -> ConfidenceLevel:
    if confidence > 0.85:
        return "high"
    return "medium" if confidence >= 0.70 else "low"

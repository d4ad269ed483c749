"""AnswerSynthesisAgent: turns evidence into sentences, each proven before anyone sees it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from citebook.domain.answer import ProvenSentence
from citebook.domain.evidence import QueryResult
from citebook.domain.prompt import Transcript
from citebook.domain.question import Question
from citebook.pacing.workers import Workers
from citebook.ports import Generator
from citebook.proving.proofs import Proofs, proven
from citebook.reading.extractive import ExtractiveReader
from citebook.searching.asked_of_selection import AskedOfSelection


@dataclass(slots=True)
class WritingNotes:
    """What is known of a writer's work beside its sentences, also where it is cut short."""

    transcript: Transcript | None = None
    unproven: int = 0

    @property
    def dropped(self) -> int:
        """Claims that nobody sees."""
        return self.unproven + (self.transcript.unfounded if self.transcript else 0)


class AnswerSynthesisAgent:
    """Quotes the book, or has a language model write and believes it only what it proves."""

    def __init__(self, reader: ExtractiveReader, workers: Workers, writer: Generator | None = None) -> None:
        self._reader, self._workers, self._writer = reader, workers, writer

    @property
    def model_used(self) -> str:
        return self._writer.name if self._writer else self._reader.name

    @property
    def quoted_by(self) -> str:
        return self._reader.name

    @property
    def has_writer(self) -> bool:
        return self._writer is not None

    def quote(
        self, question: Question, evidence: QueryResult, selection: AskedOfSelection | None = None
    ) -> list[ProvenSentence]:
        """An answer in the book's own words; that about a selection keeps to it where it can."""
        read = partial(self._reader.quote, question, evidence)
        return proven(selection.claims(read) if selection else read(), evidence, question.policy.top_k)

    async def write(
        self, question: Question, evidence: QueryResult, notes: WritingNotes
    ) -> AsyncGenerator[ProvenSentence, None]:
        """Sentences as the writer ends them, or their quotes; what has none is left out, and counted in the notes."""
        assert self._writer is not None
        proofs = Proofs(evidence, question.policy.top_k)
        async with aclosing(self._writer.generate(question, evidence)) as claims:
            async for claim in claims:
                if isinstance(claim, Transcript):
                    notes.transcript = claim
                    continue
                sentence = await self._workers.run(proofs.of, claim)
                notes.unproven = proofs.unproven
                if sentence is not None:
                    yield sentence

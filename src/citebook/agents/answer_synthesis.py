"""AnswerSynthesisAgent: turns evidence into sentences, each proven before anyone sees it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from citebook.domain.answer import Citation, ProvenClaim, ProvenSentence
from citebook.domain.evidence import QueryResult
from citebook.domain.prompt import Transcript
from citebook.domain.question import Question
from citebook.ports import Generator
from citebook.proving.citing import cite
from citebook.proving.verifying import Verifier


class AnswerSynthesisAgent:
    def __init__(self, generator: Generator, verifier: Verifier) -> None:
        self._generator, self._verifier = generator, verifier

    @property
    def model_used(self) -> str:
        return self._generator.name

    async def synthesise(
        self, question: Question, evidence: QueryResult
    ) -> AsyncGenerator[ProvenSentence | Transcript, None]:
        """Sentences in the order of the answer; what cannot be proven is left out. A transcript may follow."""
        passages = {found.chunk.id: found for found in evidence.retrieved_chunks}
        citations: dict[tuple[str, int, int], Citation] = {}
        async with aclosing(self._generator.generate(question, evidence)) as claims:
            async for claim in claims:
                if isinstance(claim, Transcript):
                    yield claim
                    continue
                proof = await self._verifier.prove(claim, passages)
                if proof is None:
                    continue
                place = (claim.chunk_id, claim.first_sentence, claim.last_sentence)
                citation = citations.get(place) or cite(claim, proof.passage, len(citations) + 1)
                citations[place] = citation
                proven = ProvenClaim(
                    text=claim.text, citation=citation.position, score=claim.score, support=proof.support
                )
                yield ProvenSentence(proven, citation)

"""Decides whether a claim is proven by the passage that it names."""

from collections.abc import Mapping
from dataclasses import dataclass

from citebook.domain.answer import Claim
from citebook.domain.evidence import RetrievedChunk


@dataclass(frozen=True, slots=True)
class Proof:
    passage: RetrievedChunk
    support: float
    """How strongly the quoted words say what the claim says: 1 where it is those words."""


class Verifier:
    async def prove(self, claim: Claim, evidence: Mapping[str, RetrievedChunk]) -> Proof | None:
        """The proof, or None: the passage must have been retrieved, be the ingested text, and say it."""
        found = evidence.get(claim.chunk_id)
        if found is None or not found.chunk.is_intact():
            return None
        sentences = found.chunk.sentences
        if claim.last_sentence >= len(sentences):
            return None
        quoted = found.chunk.text[sentences[claim.first_sentence].start : sentences[claim.last_sentence].end]
        return Proof(found, 1.0) if _folded(claim.text) == _folded(quoted) else None


def _folded(text: str) -> str:
    return " ".join(text.split())

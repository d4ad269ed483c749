"""Decides whether a claim is proven by the passage that it names."""

from collections.abc import Mapping

from citebook.domain.answer import Claim
from citebook.domain.evidence import RetrievedChunk


def find_proof(claim: Claim, evidence: Mapping[str, RetrievedChunk]) -> RetrievedChunk | None:
    """The passage that proves the claim, or None: it must have been retrieved, be the ingested text, and say it."""
    found = evidence.get(claim.chunk_id)
    if found is None or not found.chunk.is_intact():
        return None
    sentences = found.chunk.sentences
    if claim.last_sentence >= len(sentences):
        return None
    quoted = found.chunk.text[sentences[claim.first_sentence].start : sentences[claim.last_sentence].end]
    return found if _folded(claim.text) == _folded(quoted) else None


def _folded(text: str) -> str:
    return " ".join(text.split())

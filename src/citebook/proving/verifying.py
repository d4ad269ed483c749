"""Decides whether a claim is proven by the passage that it names."""

from collections.abc import Mapping
from dataclasses import dataclass

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.evidence import RetrievedChunk
from citebook.language.languages import Language
from citebook.proving.placing.in_place import Surroundings
from citebook.proving.support.judging import proven_from, support


@dataclass(frozen=True, slots=True)
class Proof:
    passage: RetrievedChunk
    support: float
    """How strongly the quoted words say what the claim says: 1 where it is those words."""
    is_quote: bool = False
    """Whether those words are shown: the claim is them, or strays from them."""
    strays: bool = False
    """Whether the claim says something that they do not."""


def prove(claim: Claim, evidence: Mapping[str, RetrievedChunk], language: Language) -> Proof | None:
    """The proof, or None: the passage must have been retrieved and be the ingested text.

    Where it does not say what the claim says, it stands for the claim.
    """
    found = evidence.get(claim.chunk_id)
    if found is None or not found.chunk.is_intact():
        return None
    chunk = found.chunk
    if claim.last_sentence >= len(chunk.sentences):
        return None
    quoted = _text(chunk, claim.first_sentence, claim.last_sentence)
    if _folded(claim.text) == _folded(quoted):
        return Proof(found, 1.0, is_quote=True)
    strength = support(claim.text, quoted, _around(chunk, claim.first_sentence, claim.last_sentence), language)
    return Proof(found, strength) if strength >= proven_from() else Proof(found, 1.0, is_quote=True, strays=True)


def _around(chunk: Chunk, first: int, last: int) -> Surroundings:
    following = last + 1 < len(chunk.sentences)
    return Surroundings(
        before=_text(chunk, first - 1, first - 1) if first else "",
        headings=chunk.heading_path,
        after=_text(chunk, last + 1, last + 1) if following else "",
    )


def _text(chunk: Chunk, first: int, last: int) -> str:
    return chunk.text[chunk.sentences[first].start : chunk.sentences[last].end]


def _folded(text: str) -> str:
    return " ".join(text.split())

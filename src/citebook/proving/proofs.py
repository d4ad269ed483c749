"""The proofs of one answer: each claim that holds gets its citation, and each cited place its number."""

from citebook.domain.answer import Citation, Claim, ProvenClaim, ProvenSentence
from citebook.domain.evidence import QueryResult
from citebook.proving.citing import cite
from citebook.proving.verifying import prove


class Proofs:
    """Numbers citations in the order in which places are first cited."""

    def __init__(self, evidence: QueryResult) -> None:
        self._passages = {found.chunk.id: found for found in evidence.retrieved_chunks}
        self._citations: dict[tuple[str, int, int], Citation] = {}

    def of(self, claim: Claim) -> ProvenSentence | None:
        """The claim with its proof; None where it cannot be proven."""
        proof = prove(claim, self._passages)
        if proof is None:
            return None
        place = (claim.chunk_id, claim.first_sentence, claim.last_sentence)
        citation = self._citations.get(place) or cite(claim, proof.passage, len(self._citations) + 1)
        self._citations[place] = citation
        proven = ProvenClaim(text=claim.text, citation=citation.position, score=claim.score, support=proof.support)
        return ProvenSentence(proven, citation)

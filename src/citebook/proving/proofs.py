"""The proofs of one answer: each claim that holds gets its citation, and each cited place its number."""

from collections.abc import Iterable

from citebook.domain.answer import Citation, Claim, ProvenClaim, ProvenSentence
from citebook.domain.blocks import Block
from citebook.domain.book import Chunk
from citebook.domain.evidence import QueryResult
from citebook.language.languages import language_of
from citebook.proving.citing import cite
from citebook.proving.quoting import quoted
from citebook.proving.shown import Shown
from citebook.proving.verifying import Proof, prove


class Proofs:
    """Numbers citations in the order in which places are first cited."""

    def __init__(self, evidence: QueryResult, most: int | None = None) -> None:
        """At most so many places are cited; what rests on one more is left out."""
        self._most = most
        self._language = language_of(evidence.language)
        self._passages = {found.chunk.id: found for found in evidence.quotable}
        self._citations: dict[tuple[str, int, int], Citation] = {}
        self._shown = Shown(self._language)
        self._headed_page = ""
        """The page that was named in the last heading."""
        self.unproven = 0
        """Claims of which nothing is shown."""

    def of(self, claim: Claim) -> ProvenSentence | None:
        """The claim with its proof, or its quote in its place.

        None where it has none, rests on one place too many, or says what a reader has read already.
        """
        proof = prove(claim, self._passages, self._language)
        new = self._new(claim, proof) if proof is not None else claim
        if new is None:
            return None
        claim = new
        place = (claim.chunk_id, claim.first_sentence, claim.last_sentence)
        if proof is None or (place not in self._citations and len(self._citations) == self._most):
            self.unproven += 1
            return None
        if proof.is_quote:
            self._shown.quote(claim)
        else:
            self._shown.tell(claim, proof.passage.chunk)
        return self._cited(claim, proof, place)

    def _new(self, claim: Claim, proof: Proof) -> Claim | None:
        """What the claim, or its quote, says that is new to a reader; None where nothing is."""
        if not proof.is_quote:
            return None if self._shown.says(claim) else claim
        rest = self._shown.rest(claim)
        return self._shown.with_noun(rest, proof.passage.chunk) if rest and proof.strays else rest

    def _cited(self, claim: Claim, proof: Proof, place: tuple[str, int, int]) -> ProvenSentence:
        citation = self._citations.get(place) or cite(claim, proof.passage, len(self._citations) + 1)
        self._citations[place] = citation
        text, blocks = claim.text, tuple[Block, ...]()
        if proof.is_quote:
            text, blocks = quoted(proof.passage.chunk, claim.first_sentence, claim.last_sentence)
        proven = ProvenClaim(
            text=text,
            citation=citation.position,
            score=claim.score,
            examined=claim.examined,
            support=proof.support,
            quoted=blocks,
            heading=self._heading(proof.passage.chunk, citation.page) if claim.headed else None,
        )
        return ProvenSentence(proven, citation)

    def _heading(self, chunk: Chunk, page: int | None) -> str:
        """With the title of its page, unless the heading before it has that; where the source has pages, also which.

        A reader of such a source turns pages, and follows no links.
        """
        title = chunk.section_title if chunk.place.source_file == self._headed_page else _title(chunk)
        self._headed_page = chunk.place.source_file
        return title if page is None else self._language.guiding.words.on_page.format(title=title, page=page)


def proven(claims: Iterable[Claim], evidence: QueryResult, most: int | None = None) -> list[ProvenSentence]:
    """Those of the claims that hold, in their order, with at most so many sources."""
    proofs = Proofs(evidence, most)
    return [sentence for claim in claims if (sentence := proofs.of(claim)) is not None]


def _title(chunk: Chunk) -> str:
    """That of the section, with its page's before it where they differ."""
    title, page = chunk.section_title, chunk.place.chapter_title
    return title if title == page else f"{page}: {title}"

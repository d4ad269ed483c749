"""Binds a claim to the book: file, offsets, content hash, and the words that stand there."""

from citebook.domain.answer import Citation, Claim
from citebook.domain.evidence import RetrievedChunk


def cite(claim: Claim, evidence: RetrievedChunk, position: int) -> Citation:
    chunk = evidence.chunk
    first, last = chunk.sentences[claim.first_sentence], chunk.sentences[claim.last_sentence]
    start, end = first.source_start, last.source_end
    return Citation(
        position=position,
        chunk_id=chunk.id,
        source_file=chunk.place.source_file,
        filename=chunk.place.filename,
        chapter_id=chunk.place.chapter_id,
        chapter_title=chunk.place.chapter_title,
        section=chunk.section,
        section_title=chunk.section_title,
        url=chunk.url,
        page=chunk.page_start,
        start=start,
        end=end,
        excerpt=chunk.text[first.start : last.end],
        source_excerpt=chunk.source_text[start - chunk.start : end - chunk.start],
        relevance_score=evidence.score,
    )

"""Binds a claim to the book: file, offsets, content hash, and the words that stand there."""

from citebook.domain.answer import Citation, Claim
from citebook.domain.book import Chunk
from citebook.domain.evidence import RetrievedChunk


def cite(claim: Claim, evidence: RetrievedChunk, position: int) -> Citation:
    chunk = evidence.chunk
    first, last = chunk.sentences[claim.first_sentence], chunk.sentences[claim.last_sentence]
    start, end = first.source_start, last.source_end
    page = _page(chunk, start)
    return Citation(
        position=position,
        chunk_id=chunk.id,
        source_file=chunk.place.source_file,
        filename=chunk.place.filename,
        chapter_id=chunk.place.chapter_id,
        chapter_title=chunk.place.chapter_title,
        section=chunk.section,
        section_title=chunk.section_title,
        url=chunk.url if page is None else f"{chunk.place.url}#page={page}",
        page=page,
        start=start,
        end=end,
        excerpt=chunk.text[first.start : last.end],
        source_excerpt=chunk.source_text[start - chunk.start : end - chunk.start],
        relevance_score=evidence.score,
    )


def _page(chunk: Chunk, start: int) -> int | None:
    """The page that a sentence begins on; pages of a source are parted by form feeds."""
    if chunk.page_start is None:
        return None
    return chunk.page_start + chunk.source_text.count("\f", 0, start - chunk.start)

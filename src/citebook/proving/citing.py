"""Binds a claim to the book: file, offsets, content hash, and the words that stand there."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from citebook.domain.answer import Citation, Claim
from citebook.domain.blocks import Block
from citebook.domain.book import Chunk
from citebook.domain.evidence import RetrievedChunk
from citebook.proving.quoting import quoted

_WORD = re.compile(r"\S+")
_FEWEST_WORDS, _MOST_WORDS = 30, 50
"""Of a passage that a citation shows."""
_LONGEST_NEIGHBOUR = 400
"""Characters of a sentence that is shown before or after what is cited."""


def cite(claim: Claim, evidence: RetrievedChunk, position: int) -> Citation:
    chunk = evidence.chunk
    first, last = chunk.sentences[claim.first_sentence], chunk.sentences[claim.last_sentence]
    start, end = first.source_start, last.source_end
    page = _page(chunk, start)
    shown, blocks = quoted(chunk, claim.first_sentence, claim.last_sentence)
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
        passage=passage_around(chunk, claim.first_sentence, claim.last_sentence),
        shown=shown,
        blocks=blocks,
        before=_neighbour(chunk, claim.first_sentence - 1),
        after=_neighbour(chunk, claim.last_sentence + 1),
    )


def _neighbour(chunk: Chunk, number: int) -> tuple[Block, ...]:
    """A sentence beside what is cited, as the page shows it; nothing where it is none that is read at a glance."""
    if not 0 <= number < len(chunk.sentences):
        return ()
    sentence = chunk.sentences[number]
    is_row = chunk.layout.row_at(sentence.start) is not None
    if sentence.whole_block or is_row or sentence.end - sentence.start > _LONGEST_NEIGHBOUR:
        return ()
    return chunk.layout.blocks(chunk.text, sentence.start, sentence.end)


def passage_around(chunk: Chunk, first: int, last: int) -> str | None:
    """The sentences with neighbours of theirs, until there are 30 words; at most 50, cut between words.

    None where they have 30 words by themselves.
    """
    words = [match.span() for match in _WORD.finditer(chunk.text)]
    inside = [at for at, span in enumerate(words) if _is_within(span, chunk, first, last)]
    if not inside or len(inside) >= _FEWEST_WORDS:
        return None
    begin, end = inside[0], inside[-1] + 1
    for following in chunk.sentences[last + 1 :]:
        if end - begin >= _FEWEST_WORDS:
            break
        end = min(_words_before(words, following.end), begin + _MOST_WORDS)
    for sentence in reversed(chunk.sentences[:first]):
        if end - begin >= _FEWEST_WORDS:
            break
        begin = max(_words_before(words, sentence.start), end - _MOST_WORDS)
    return chunk.text[words[begin][0] : words[end - 1][1]]


def _is_within(span: tuple[int, int], chunk: Chunk, first: int, last: int) -> bool:
    return span[1] > chunk.sentences[first].start and span[0] < chunk.sentences[last].end


def _words_before(words: Sequence[tuple[int, int]], position: int) -> int:
    """How many words begin before a place in the text."""
    return bisect_left(words, (position, 0))


def _page(chunk: Chunk, start: int) -> int | None:
    """The page that a sentence begins on; pages of a source are parted by form feeds."""
    if chunk.page_start is None:
        return None
    return chunk.page_start + chunk.source_text.count("\f", 0, start - chunk.start)

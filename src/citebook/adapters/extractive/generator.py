"""The default generator: quotes the sentences of the book that answer the question."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from citebook.adapters.extractive.sentence_scoring import ScoredSentence, score_sentences
from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question

_SENTENCES = 3
_WORTH_ADDING = 4.0
"""How far below the best sentence another may score and still be part of the answer."""
_SHORTEST = 12
_POINTS_BACK = re.compile(
    r".*\b(the opposite|the reverse|the former|the latter|the other way round)\b"
    r"|(It|Its|This|That|These|Those|They|Their|He|She|His|Her|Such|Both|However|Therefore|Thus|Hence|Instead)\b"
)


class ExtractiveGenerator:
    name = "extractive"

    async def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim, None]:
        scored = score_sentences(question.text, evidence.retrieved_chunks, evidence.term_weights)
        for claim in _claims(scored):
            yield claim


def _claims(scored: Sequence[ScoredSentence]) -> Iterator[Claim]:
    told: set[tuple[str, int]] = set()
    count = 0
    for sentence in scored:
        if count == _SENTENCES or sentence.score < scored[0].score - _WORTH_ADDING:
            return
        chunk = sentence.chunk.chunk
        if (chunk.id, sentence.index) in told or len(sentence.text) < _SHORTEST:
            continue
        first = _start_of_thought(chunk, sentence.index)
        if any((chunk.id, index) in told for index in range(first, sentence.index)):
            first = sentence.index
        told.update((chunk.id, index) for index in range(first, sentence.index + 1))
        count += 1
        yield Claim(
            text=chunk.text[chunk.sentences[first].start : chunk.sentences[sentence.index].end],
            chunk_id=chunk.id,
            first_sentence=first,
            last_sentence=sentence.index,
            score=min(1.0, max(0.0, sentence.coverage)),
        )


def _start_of_thought(chunk: Chunk, index: int) -> int:
    """A sentence that opens with “it” or “this” is told with the one before it, if that is in the same paragraph."""
    if index == 0 or not _POINTS_BACK.match(chunk.quote(chunk.sentences[index])):
        return index
    before = chunk.sentences[index - 1]
    gap = chunk.text[before.end : chunk.sentences[index].start]
    return index if "\n" in gap or before.whole_block else index - 1

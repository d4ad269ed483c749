"""A passage that the reader selected, as the only evidence for an answer."""

from collections.abc import Sequence
from math import isfinite, log
from time import perf_counter

from citebook.domain.book import Chunk, PagePlace, Sentence
from citebook.domain.errors import EmbedderFailed
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.layout import plain_layout
from citebook.language.languages import Language
from citebook.pacing.workers import Workers
from citebook.ports import Embedder
from citebook.searching.ranking import Weights

_PLACE = PagePlace(
    source_file="selected passage",
    filename="selected passage",
    chapter_id="selected-passage",
    chapter_title="Selected passage",
    url="",
)


class SelectedPassageSearch:
    """Treats the selection as a chunk of the book; nothing else is searched."""

    def __init__(self, embedder: Embedder, workers: Workers) -> None:
        self._embedder, self._workers = embedder, workers

    async def evidence(self, question: str, passage: str, language: Language) -> QueryResult:
        started = perf_counter()
        dense = await self._likeness(question, passage.strip())
        return await self._workers.run(_evidence, question, passage.strip(), dense, started, language)

    async def _likeness(self, question: str, passage: str) -> float | None:
        """None where the model fails: then words alone decide."""
        try:
            asked = await self._embedder.embed_question(question)
            (held,) = await self._embedder.embed_passages([passage])
        except EmbedderFailed:
            return None
        likeness = float((1.0 + asked @ held) / 2.0)
        return min(1.0, max(0.0, likeness)) if isfinite(likeness) else None


def _evidence(question: str, passage: str, dense: float | None, started: float, language: Language) -> QueryResult:
    chunk = _chunk(passage, language)
    asked, held = language.terms(question), language.term_set(chunk.text)
    lexical = sum(term in held for term in asked) / len(asked) if asked else 0.0
    weights = Weights()
    score = lexical if dense is None else weights.dense * dense + weights.lexical * lexical
    found = RetrievedChunk(chunk=chunk, score=score, dense_score=dense or 0.0, lexical_score=lexical, rank=1)
    return QueryResult(
        query_text=" ".join(question.lower().split()),
        retrieved_chunks=(found,),
        total_results=1,
        retrieval_time_ms=max(1e-3, (perf_counter() - started) * 1e3),
        lexical_only=dense is None,
        term_weights=_weights(asked, chunk, language),
        missing_terms=frozenset(asked) - held,
        language=language.code,
    )


def _chunk(text: str, language: Language) -> Chunk:
    spans = language.sentence_spans(text) or [(0, len(text))]
    sentences = tuple(Sentence(start=start, end=end, source_start=start, source_end=end) for start, end in spans)
    return Chunk(
        id=Chunk.hash_of(_PLACE.chapter_id, "passage", 0, text),
        text=text,
        place=_PLACE,
        section="passage",
        section_title="Selected passage",
        section_path=(),
        chunk_index=0,
        start=0,
        end=len(text),
        source_text=text,
        sentences=sentences,
        layout=plain_layout(text),
        sentence_start=0,
        sentence_end=len(sentences) - 1,
    )


def _weights(asked: Sequence[str], chunk: Chunk, language: Language) -> dict[str, float]:
    """A term that every sentence of the passage has tells them apart no more."""
    sentences = [language.term_set(chunk.quote(sentence)) for sentence in chunk.sentences]
    return {
        term: log(1 + (len(sentences) + 0.5) / (sum(term in own for own in sentences) + 0.5))
        for term in dict.fromkeys(asked)
    }

"""Replays the retrieval of a recorded answer on the current edition, and says what differs and why."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from uuid import UUID

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.answer import Citation
from citebook.domain.audit import AuditRecord
from citebook.domain.book import DEFAULT_LANGUAGE, Chunk, Edition
from citebook.domain.errors import BookNotIngested
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Filters
from citebook.language.languages import Language, language_of
from citebook.ports import ChunkIndex, ChunkStore, Embedder
from citebook.records.replay_without_book import intact_chunks, replay_without_book
from citebook.records.replayed import CitationCheck, CitedText, PassageCheck, PassageState, Replay

_DEPTH = 1_000
_NEIGHBOURS = 50
_ALIKE = 0.5
"""Sentences less alike than this are different sentences, not versions of one."""
_LOST = (PassageState.CHANGED, PassageState.VANISHED)


class Replayer:
    def __init__(
        self,
        retrieval: QdrantRetrievalAgent,
        embedder: Embedder,
        index: ChunkIndex,
        top_k: int,
        chunks: ChunkStore,
    ) -> None:
        self._retrieval, self._embedder, self._index, self._top_k = retrieval, embedder, index, top_k
        self._chunks = chunks

    async def replay(self, record: AuditRecord) -> Replay:
        """Of a record with texts whose answer was sought in the book, in the part of it that the question named.

        Raises `BookNotIngested` where the book is gone and nothing is kept of what the answer rested on.
        """
        try:
            return await self._searched(record)
        except BookNotIngested:
            if (kept := await replay_without_book(record, self._chunks)) is None:
                raise
            return kept

    async def _searched(self, record: AuditRecord) -> Replay:
        question = searched_text(record)
        most = record.chunks_retrieved_count or self._top_k
        evidence = await self._retrieval.retrieve(question, searched_part(record), most)
        edition = await self._index.edition()
        still_there = await self._still_there(edition, [str(one["chunk_id"]) for one in record.chunks_returned])
        citations = [Citation.model_validate(citation) for citation in record.citations]
        language = language_of(edition.language)
        checks = [check_citation(cited, await self._around(cited, language), edition) for cited in citations]
        return Replay(
            record=record,
            edition_now=evidence.edition,
            passages=await self._with_texts(compare_passages(record, evidence, still_there)),
            citations=tuple(checks),
        )

    async def _with_texts(self, checks: tuple[PassageCheck, ...]) -> tuple[PassageCheck, ...]:
        """Where a passage is not what it was, also what it said then, if that is kept."""
        lost = [check.chunk_id for check in checks if check.state in _LOST and check.chunk_id]
        kept = await intact_chunks(self._chunks, lost) if lost else {}
        return tuple(
            check.model_copy(update={"text_then": kept[check.chunk_id].text})
            if check.chunk_id is not None and check.chunk_id in kept
            else check
            for check in checks
        )

    async def _still_there(self, edition: Edition, chunk_ids: Sequence[str]) -> frozenset[str]:
        """Which of these chunks the book still has, letter for letter."""
        keys = [str(UUID(chunk_id[:32])) for chunk_id in chunk_ids]
        found = await self._index.chunks(edition.name, keys)
        return frozenset(one.chunk.id for one in found.values())

    async def _around(self, cited: Citation, language: Language) -> list[Chunk]:
        """Chunks that may hold the cited text today: those of its file, and whatever is most like it elsewhere."""
        vector = await self._embedder.embed_question(cited.excerpt)
        found = await self._index.search(language.terms(cited.excerpt), vector, Filters(), _DEPTH)
        near = [hit.key for rank, hit in enumerate(found.hits) if hit.page == cited.source_file or rank < _NEIGHBOURS]
        return [one.chunk for one in (await self._index.chunks(found.edition, near)).values()]


def searched_text(record: AuditRecord) -> str:
    """What was searched for: the question as it was written, or as it was completed from what was said before."""
    asked = record.user_query_text.strip()
    searched = record.retrieval_query
    return asked if searched is None or searched == " ".join(asked.lower().split()) else searched


def searched_part(record: AuditRecord) -> Filters:
    """Where it was searched for."""
    return Filters() if record.searched_part is None else Filters.model_validate_json(record.searched_part)


def compare_passages(
    record: AuditRecord, evidence: QueryResult, still_there: frozenset[str]
) -> tuple[PassageCheck, ...]:
    """What became of each passage that was retrieved then, and which are retrieved only now."""
    now = {found.chunk.id: found for found in evidence.quotable}
    then_ids = {str(one["chunk_id"]) for one in record.chunks_returned}
    new = [found for found in evidence.retrieved_chunks if found.chunk.id not in then_ids]
    checks = []
    for rank, one in enumerate(record.chunks_returned, start=1):
        known = PassageCheck(
            state=PassageState.SAME,
            chunk_id=str(one["chunk_id"]),
            source_file=str(one.get("source_file", "?")),
            section=str(one.get("section", "?")),
            rank_then=rank,
            score_then=one.get("score"),
        )
        checks.append(_what_became(known, str(one["chunk_id"]), now, new, still_there))
    checks += [_checked(PassageState.NEW, found) for found in new]
    return tuple(checks)


def _what_became(
    then: PassageCheck,
    chunk_id: str,
    now: dict[str, RetrievedChunk],
    new: list[RetrievedChunk],
    still_there: frozenset[str],
) -> PassageCheck:
    """Takes out of `new` the passage that stands in the place of a changed one."""
    if chunk_id in now:
        same = now[chunk_id]
        state = PassageState.SAME if same.rank == then.rank_then else PassageState.OTHER_RANK
        return _at(then, state, same)
    if chunk_id in still_there:
        return then.model_copy(update={"state": PassageState.OUTRANKED})
    place = then.source_file, then.section
    successor = next((found for found in new if (found.chunk.place.source_file, found.chunk.section) == place), None)
    if successor is None:
        return then.model_copy(update={"state": PassageState.VANISHED})
    new.remove(successor)
    return _at(then, PassageState.CHANGED, successor)


def _at(then: PassageCheck, state: PassageState, found: RetrievedChunk) -> PassageCheck:
    return then.model_copy(update={"state": state, "rank_now": found.rank, "score_now": found.score})


def _checked(state: PassageState, found: RetrievedChunk) -> PassageCheck:
    chunk = found.chunk
    return PassageCheck(
        state=state,
        source_file=chunk.place.source_file,
        section=chunk.section,
        rank_now=found.rank,
        score_now=found.score,
    )


def check_citation(cited: Citation, candidates: Iterable[Chunk], edition: Edition | None = None) -> CitationCheck:
    """Whether the cited words still stand in the book; if not, what stands in their place."""
    chunks = sorted(candidates, key=lambda chunk: _distance(cited, chunk))
    for chunk in chunks:
        if cited.excerpt in chunk.text:
            state = CitedText.SAME if _stands_where_it_stood(cited, chunk) else CitedText.MOVED
            return CitationCheck(citation=cited, state=state, found=chunk)
    if edition is not None and cited.source_file not in edition.files:
        return CitationCheck(citation=cited, state=CitedText.GONE)
    own = [chunk for chunk in chunks if chunk.place.source_file == cited.source_file]
    language = language_of(edition.language if edition else DEFAULT_LANGUAGE)
    likeness, text, chunk_now = _most_alike(cited.excerpt, own, language)
    if chunk_now is None or likeness < _ALIKE:
        return CitationCheck(citation=cited, state=CitedText.GONE)
    return CitationCheck(citation=cited, state=CitedText.CHANGED, found=chunk_now, text_now=text)


def _distance(cited: Citation, chunk: Chunk) -> tuple[bool, bool, bool]:
    """How far a chunk is from the place that was cited."""
    return chunk.id != cited.chunk_id, chunk.place.source_file != cited.source_file, chunk.section != cited.section


def _stands_where_it_stood(cited: Citation, chunk: Chunk) -> bool:
    """In the same file and section. Offsets may shift with a change further up in the file."""
    return (chunk.place.source_file, chunk.section) == (cited.source_file, cited.section)


def _most_alike(excerpt: str, chunks: Sequence[Chunk], language: Language) -> tuple[float, str | None, Chunk | None]:
    """Compares the excerpt with every run of as many sentences as it has."""
    best: tuple[float, str | None, Chunk | None] = (0.0, None, None)
    length = max(1, len(language.sentence_spans(excerpt)))
    for chunk in chunks:
        run = min(length, len(chunk.sentences))
        for first, last in zip(chunk.sentences, chunk.sentences[run - 1 :], strict=False):
            text = chunk.text[first.start : last.end]
            likeness = SequenceMatcher(None, excerpt, text, autojunk=False).ratio()
            if likeness > best[0]:
                best = likeness, text, chunk
    return best

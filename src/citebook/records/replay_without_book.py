"""Replays a recorded answer of a book that is gone, by the text of it that the database keeps."""

from collections.abc import Mapping, Sequence

from citebook.domain.answer import Citation
from citebook.domain.audit import AuditRecord
from citebook.domain.kept_chunks import KeptChunk
from citebook.ports import ChunkStore
from citebook.records.replayed import CitationCheck, CitedText, PassageCheck, PassageState, Replay


async def replay_without_book(record: AuditRecord, store: ChunkStore) -> Replay | None:
    """What the answer rested on, as it was ingested; None where nothing of that is kept.

    Nothing is searched: how the passages rank among the others of a book that is gone, nobody can say any more.
    """
    citations = [Citation.model_validate(citation) for citation in record.citations]
    ids = [*(str(one["chunk_id"]) for one in record.chunks_returned), *(cited.chunk_id for cited in citations)]
    kept = await intact_chunks(store, ids) if ids else {}
    if not kept:
        return None
    return Replay(
        record=record,
        edition_now=None,
        passages=tuple(_passage(rank, one, kept) for rank, one in enumerate(record.chunks_returned, start=1)),
        citations=tuple(_citation(cited, kept.get(cited.chunk_id)) for cited in citations),
    )


async def intact_chunks(store: ChunkStore, chunk_ids: Sequence[str]) -> Mapping[str, KeptChunk]:
    """Those of which the text proves to be what was ingested."""
    found = await store.find(list(dict.fromkeys(chunk_ids)))
    return {chunk_id: chunk for chunk_id, chunk in found.items() if chunk.is_intact()}


def _passage(rank: int, one: Mapping[str, object], kept: Mapping[str, KeptChunk]) -> PassageCheck:
    chunk_id, score = str(one["chunk_id"]), one.get("score")
    text = kept[chunk_id].text if chunk_id in kept else None
    return PassageCheck(
        state=PassageState.VANISHED if text is None else PassageState.KEPT,
        chunk_id=chunk_id,
        source_file=str(one.get("source_file", "?")),
        section=str(one.get("section", "?")),
        rank_then=rank,
        score_then=score if isinstance(score, float) else None,
        text_then=text,
    )


def _citation(cited: Citation, chunk: KeptChunk | None) -> CitationCheck:
    stands_there = chunk is not None and cited.excerpt in chunk.text
    return CitationCheck(citation=cited, state=CitedText.KEPT if stands_there else CitedText.GONE)

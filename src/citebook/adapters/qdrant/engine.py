"""The few things asked of a Qdrant shard inside this process."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import qdrant_edge as engine

from citebook.adapters.qdrant import points
from citebook.domain.errors import VectorStoreUnavailable
from citebook.domain.evidence import Hit
from citebook.domain.question import Filters
from citebook.ports import Vector

PAGE = 1_000
_PANICS = "pyo3_runtime"
"""The engine's errors have no class of their own, and its panics one that cannot be imported."""


def configuration(dimension: int) -> engine.EdgeConfig:
    """Without a write-ahead log the engine takes no lock, so many processes may read one edition."""
    return engine.EdgeConfig(
        vectors={
            points.UNITS: engine.EdgeVectorParams(
                size=dimension,
                distance=engine.Distance.Cosine,
                multivector_config=engine.MultiVectorConfig(engine.MultiVectorComparator.MaxSim),
                datatype=engine.VectorStorageDatatype.Float16,
            )
        },
        sparse_vectors={points.SPARSE: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)},
        wal_enabled=False,
    )


def find_hits(
    shard: engine.EdgeShard,
    pages: Mapping[str, str],
    term_numbers: list[int],
    vector: Vector | None,
    filters: Filters,
    depth: int,
) -> list[Hit]:
    """Finds by each method, then scores by each what only the other found."""
    wanted = _filter(filters, pages)
    queries: dict[str, Any] = {}
    if vector is not None:
        queries[points.UNITS] = vector.tolist()
    if term_numbers:
        queries[points.SPARSE] = engine.SparseVector(term_numbers, [1.0] * len(term_numbers))
    if not queries:
        return []
    scores = dict(zip(queries, _run(shard, [(q, n, wanted, depth) for n, q in queries.items()]), strict=True))
    found = dict.fromkeys(key for by_method in scores.values() for key in by_method)
    if len(queries) > 1:
        _fill_in(shard, queries, scores, list(found))
    dense, sparse = scores.get(points.UNITS, {}), scores.get(points.SPARSE, {})
    return [Hit(key, pages[key], dense.get(key), sparse.get(key, 0.0)) for key in found if key in pages]


def _fill_in(
    shard: engine.EdgeShard, queries: dict[str, Any], scores: dict[str, dict[str, float]], found: list[str]
) -> None:
    lacking: dict[str, set[engine.PointId]] = {
        name: {key for key in found if key not in scores[name]} for name in queries
    }
    requests = [
        (queries[name], name, engine.Filter(must=[engine.HasIdCondition(keys)]), len(keys))
        for name, keys in lacking.items()
        if keys
    ]
    for (_, name, _, _), more in zip(requests, _run(shard, requests), strict=True):
        scores[name].update(more)


def _run(
    shard: engine.EdgeShard, requests: Sequence[tuple[Any, str, engine.Filter | None, int]]
) -> list[dict[str, float]]:
    batch = [
        engine.QueryRequest(limit=limit, query=engine.Query.Nearest(query, using=name), filter=wanted)
        for query, name, wanted, limit in requests
    ]
    if not batch:
        return []
    answers = shard.query_batch(engine.QueryBatchRequest(batch))
    return [{str(point.id): point.score for point in answer} for answer in answers]


def _filter(filters: Filters, pages: Mapping[str, str]) -> engine.Filter | None:
    if filters.is_empty:
        return None
    conditions: list[Any] = []
    if filters.module is not None:
        conditions.append(engine.FieldCondition("module", match=engine.MatchValue(filters.module)))
    if filters.difficulty is not None:
        conditions.append(engine.FieldCondition("difficulty", match=engine.MatchValue(filters.difficulty)))
    if filters.tags:
        conditions.append(engine.FieldCondition("tags", match=engine.MatchAny(list(filters.tags))))
    if filters.chapter_id is not None:
        own: set[engine.PointId] = {key for key, page in pages.items() if page in filters.source_files}
        conditions.append(engine.HasIdCondition(own))
    return engine.Filter(must=conditions)


def any_of(field: str, values: Sequence[str]) -> engine.Filter:
    return engine.Filter(must=[engine.FieldCondition(field, match=engine.MatchAny(list(values)))])


def scroll(
    shard: engine.EdgeShard, wanted: engine.Filter | None, payload: bool | list[str], vector: bool | list[str]
) -> Iterator[Any]:
    offset = None
    while True:
        request = engine.ScrollRequest(
            offset=offset, limit=PAGE, filter=wanted, with_payload=payload, with_vector=vector
        )
        with engine_errors():
            records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return


@contextmanager
def engine_errors() -> Iterator[None]:
    try:
        yield
    except BaseException as error:  # where a file is damaged the engine panics, which is no Exception
        if type(error) is not Exception and type(error).__module__ != _PANICS:
            raise
        raise VectorStoreUnavailable(f"The embedded index failed: {error}") from error

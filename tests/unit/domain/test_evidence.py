"""Evidence: what a search may hand on."""

from typing import Any

import pytest
from pydantic import ValidationError

from citebook.domain.book import Chunk, PagePlace
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.layout import Layout

CHUNK = Chunk(
    id=Chunk.hash_of("intro", "intro", 0, "Robots sense."),
    text="Robots sense.",
    place=PagePlace(
        source_file="intro.mdx",
        filename="intro.mdx",
        chapter_id="intro",
        chapter_title="Introduction",
        url="/docs/intro",
    ),
    section="intro",
    section_title="Introduction",
    section_path=(),
    chunk_index=0,
    start=0,
    end=13,
    source_text="Robots sense.",
    sentences=(),
    layout=Layout(()),
    sentence_start=0,
    sentence_end=0,
)


def found(rank: int, score: float = 0.5, relevance_score: float | None = None) -> RetrievedChunk:
    return RetrievedChunk(
        chunk=CHUNK,
        score=score,
        dense_score=0.5,
        lexical_score=0.5,
        relevance_score=relevance_score,
        rank=rank,
    )


def result(*chunks: RetrievedChunk, **changes: Any) -> QueryResult:
    fields: dict[str, Any] = {
        "query_text": "what is ros2?",
        "retrieved_chunks": chunks,
        "total_results": len(chunks),
        "retrieval_time_ms": 0.1,
    }
    return QueryResult(**fields | changes)


class TestRetrievedChunk:
    @pytest.mark.parametrize("field", ["score", "dense_score", "lexical_score", "relevance_score"])
    @pytest.mark.parametrize("value", [0.0, 1.0])
    def test_scores_reach_from_0_to_1(self, field: str, value: float) -> None:
        fields = dict(found(1)) | {field: value}
        assert getattr(RetrievedChunk.model_validate(fields), field) == value

    @pytest.mark.parametrize("field", ["score", "dense_score", "lexical_score", "relevance_score"])
    @pytest.mark.parametrize("value", [-0.001, 1.001, float("nan"), float("inf")])
    def test_scores_reach_no_further(self, field: str, value: float) -> None:
        with pytest.raises(ValidationError):
            RetrievedChunk.model_validate(dict(found(1)) | {field: value})

    @pytest.mark.parametrize("rank", [1, 5, 20])
    def test_ranks_start_at_1(self, rank: int) -> None:
        assert found(rank).rank == rank

    def test_there_is_no_rank_0(self) -> None:
        with pytest.raises(ValidationError):
            found(0)

    def test_is_ranked_by_the_reranker_where_one_ran(self) -> None:
        assert found(1, score=0.3).deciding_score == 0.3
        assert found(1, score=0.3, relevance_score=0.0).deciding_score == 0.0


class TestQueryResult:
    def test_may_be_empty(self) -> None:
        assert result().best_score == 0.0

    def test_knows_its_best_score(self) -> None:
        assert result(found(1, 0.9), found(2, 0.2)).best_score == 0.9

    @pytest.mark.parametrize("total", [1, 3])
    def test_counts_its_chunks(self, total: int) -> None:
        with pytest.raises(ValidationError, match="total_results"):
            result(found(1), found(2), total_results=total)

    @pytest.mark.parametrize("ranks", [(2,), (1, 1), (1, 3), (2, 1)])
    def test_ranks_leave_no_gap(self, ranks: tuple[int, ...]) -> None:
        with pytest.raises(ValidationError, match="ranked 1, 2, 3"):
            result(*map(found, ranks))

    def test_the_best_stands_first_and_equals_stand_as_they_are(self) -> None:
        assert result(found(1, 0.9), found(2, 0.9), found(3, 0.1)).total_results == 3

    def test_a_better_one_never_stands_behind(self) -> None:
        with pytest.raises(ValidationError, match="best first"):
            result(found(1, 0.2), found(2, 0.201))

    def test_after_reranking_its_order_counts(self) -> None:
        assert result(found(1, 0.2, relevance_score=0.9), found(2, 0.8, relevance_score=0.1))
        with pytest.raises(ValidationError, match="best first"):
            result(found(1, 0.8, relevance_score=0.1), found(2, 0.2, relevance_score=0.9))

    @pytest.mark.parametrize("milliseconds", [0.0, -1.0])
    def test_takes_some_time(self, milliseconds: float) -> None:
        assert result(retrieval_time_ms=0.001)
        with pytest.raises(ValidationError):
            result(retrieval_time_ms=milliseconds)

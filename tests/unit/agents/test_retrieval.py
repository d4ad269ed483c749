"""How passages are found, and how a filter that finds little is widened."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.errors import EmbedderFailed
from citebook.domain.evidence import FoundChunk, QueryResult, SearchHits
from citebook.domain.question import Filters
from citebook.ports import Vector
from citebook.searching.ranking import Weights
from tests.fakes import WORKERS, BrokenEmbedder, ListIndex, make_chunk

CHOSEN = make_chunk("Text of the chosen module.", "chosen.mdx", title="Chosen", module=1)
ELSEWHERE = make_chunk("Text of another module.", "elsewhere.mdx", title="Elsewhere", module=2)
COSINE_ONLY = Weights(dense=1.0, lexical=0.0).without_bonuses()
MODULE_1 = Filters(module=1)


def searching(chosen: float, elsewhere: float) -> tuple[QdrantRetrievalAgent, ListIndex]:
    """An agent whose two passages have these scores."""
    cosines = {"chosen.mdx": 2 * chosen - 1, "elsewhere.mdx": 2 * elsewhere - 1}
    index = ListIndex(cosines, [CHOSEN, ELSEWHERE])
    return QdrantRetrievalAgent(BrokenEmbedder(), index, COSINE_ONLY, WORKERS), index


async def retrieve(chosen: float, elsewhere: float, filters: Filters = MODULE_1) -> QueryResult:
    return await searching(chosen, elsewhere)[0].retrieve("a question", filters, 5)


def files(result: QueryResult) -> list[str]:
    return [found.chunk.place.source_file for found in result.retrieved_chunks]


# --- filters


async def test_without_a_filter_the_whole_book_is_searched_once() -> None:
    agent, index = searching(0.1, 0.9)
    result = await agent.retrieve("a question", Filters(), 5)
    assert files(result) == ["elsewhere.mdx", "chosen.mdx"]
    assert (len(index.searches), result.filter_message) == (1, None)


@pytest.mark.parametrize("chosen", [0.7, 0.95])
async def test_a_filter_that_finds_enough_is_kept_strictly(chosen: float) -> None:
    agent, index = searching(chosen, 0.99)
    result = await agent.retrieve("a question", MODULE_1, 5)
    assert files(result) == ["chosen.mdx"]
    assert (len(index.searches), result.filter_message) == (1, None)


@pytest.mark.parametrize("chosen", [0.4, 0.69])
async def test_a_filter_that_finds_something_is_kept_with_a_hint_at_other_parts(chosen: float) -> None:
    result = await retrieve(chosen, 0.99)
    assert files(result) == ["chosen.mdx"]
    assert result.filter_message is not None
    assert "Elsewhere" in result.filter_message


async def test_the_hint_names_no_chapter_of_the_chosen_part() -> None:
    result = await retrieve(0.5, 0.6)
    assert result.filter_message is not None
    assert "Chosen" not in result.filter_message


async def test_no_hint_is_given_where_other_parts_have_nothing_better() -> None:
    assert (await retrieve(0.5, 0.3)).filter_message is None


async def test_a_filter_that_finds_little_is_widened_where_that_is_clearly_better() -> None:
    result = await retrieve(0.3, 0.55)
    assert files(result) == ["elsewhere.mdx", "chosen.mdx"]
    assert result.filter_message is not None
    assert "all of it was searched" in result.filter_message


@pytest.mark.parametrize("elsewhere", [0.2, 0.35, 0.49])
async def test_a_filter_that_finds_little_is_kept_where_the_rest_is_hardly_better(elsewhere: float) -> None:
    result = await retrieve(0.3, elsewhere)
    assert files(result) == ["chosen.mdx"]
    assert result.filter_message is None


async def test_a_filter_that_finds_nothing_is_widened() -> None:
    result = await retrieve(0.3, 0.9, Filters(module=9))
    assert files(result) == ["elsewhere.mdx", "chosen.mdx"]
    assert result.filter_message is not None


# --- vectors


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(np.full(64, np.nan, np.float32), id="NaN"),
        pytest.param(np.full(64, np.inf, np.float32), id="infinite"),
        pytest.param(np.zeros(64, np.float32), id="zero"),
        pytest.param(np.ones(63, np.float32), id="wrong dimension"),
        pytest.param(np.ones((1, 64), np.float32), id="wrong shape"),
    ],
)
async def test_a_vector_that_makes_no_sense_is_not_searched_with(vector: Vector) -> None:
    index = ListIndex(chunks=[CHOSEN])
    agent = QdrantRetrievalAgent(BrokenEmbedder(vector=vector), index, Weights(), WORKERS)
    with pytest.raises(EmbedderFailed, match="words gave a vector"):
        await agent.retrieve("a question", Filters(), 5)
    assert index.searches == []


async def test_by_words_only_needs_no_embedder() -> None:
    index = ListIndex(chunks=[CHOSEN])
    agent = QdrantRetrievalAgent(BrokenEmbedder(EmbedderFailed("gone")), index, Weights(), WORKERS)
    result = await agent.retrieve("chosen module", Filters(), 5, by_words_only=True)
    assert result.lexical_only
    assert files(result) == ["chosen.mdx"]


async def test_at_most_as_many_passages_come_back_as_were_asked_for() -> None:
    chunks = [make_chunk(f"Text {number}.", f"{number}.mdx") for number in range(30)]
    agent = QdrantRetrievalAgent(BrokenEmbedder(), ListIndex(chunks=chunks), Weights(), WORKERS)
    assert (await agent.retrieve("text", Filters(), 3)).total_results == 3


# --- several questions in one breath


async def test_each_of_several_questions_is_searched_for() -> None:
    agent, index = searching(0.6, 0.9)
    result = await agent.retrieve("What is a gear? Why does it break?", Filters(), 1)
    assert [part.query_text for part in result.parts] == ["what is a gear", "why does it break (gear)?"]
    assert len(index.searches) == 3


async def test_what_is_found_for_one_of_them_may_be_quoted() -> None:
    agent, _ = searching(0.6, 0.9)
    result = await agent.retrieve("What is a gear? Why does it break?", Filters(), 1)
    quotable = {found.chunk.id for found in result.quotable}
    assert all(found.chunk.id in quotable for part in result.parts for found in part.quotable)


async def test_one_question_is_searched_for_once() -> None:
    agent, index = searching(0.6, 0.9)
    result = await agent.retrieve("What is a gear?", Filters(), 1)
    assert (result.parts, len(index.searches)) == ((), 1)


class SwappedIndex(ListIndex):
    """Has a new edition from its second search on."""

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        found = await super().search(terms, vector, filters, depth)
        return replace(found, edition="first" if len(self.searches) == 1 else "second")

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        assert edition in ("first", "second")
        return await super().chunks("first", keys, vector)


async def test_what_several_searches_find_is_of_one_edition() -> None:
    index = SwappedIndex(chunks=[CHOSEN, ELSEWHERE])
    agent = QdrantRetrievalAgent(BrokenEmbedder(), index, COSINE_ONLY, WORKERS)
    result = await agent.retrieve("What is a gear? Why does it break?", Filters(), 1)
    assert {result.edition, *(part.edition for part in result.parts)} == {"second"}
    assert len(index.searches) == 6

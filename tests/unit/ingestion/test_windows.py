"""How much neighbouring chunks share, and how full they are."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from citebook.domain.book import Chunk, PagePlace
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdx import parse_mdx

PLACE = PagePlace(source_file="b.mdx", filename="b.mdx", chapter_id="b", chapter_title="Title", url="/docs/b")
BUDGET = 130
SHARE = 0.2
SHORT = BUDGET // 13
"""Tokens of a sentence up to which both of the last two chunks can always be made half full."""
BETWEEN = 2
"""Tokens that are counted for what stands between two sentences."""


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def sentence(tokens: int) -> str:
    """One of so many tokens, with what stands behind it."""
    return f"Word{' word' * (tokens - BETWEEN - 1)}."


def prose(longest: int, fewest: int = 1, most: int = 60) -> st.SearchStrategy[str]:
    paragraph = st.lists(st.integers(3, longest).map(sentence), min_size=fewest, max_size=most).map(" ".join)
    return st.lists(paragraph, min_size=1, max_size=8).map("\n\n".join)


def chunks_of(source: str) -> list[Chunk]:
    rules = ChunkingRules(target_tokens=BUDGET, overlap=SHARE, max_tokens=2 * BUDGET)
    return chunk_page(parse_mdx(source, mdx=False), PLACE, source, rules, count)[0]


def sizes(chunk: Chunk) -> list[int]:
    return [tokens + BETWEEN for tokens in count(chunk.quotes)]


def shared(before: Chunk, after: Chunk) -> int:
    return before.sentence_end - after.sentence_start + 1


def nearest(before: Chunk) -> int:
    """How many of its last sentences come nearest to the share of it; the fewer of two that are as near."""
    of_it = sizes(before)
    aim = SHARE * sum(of_it)
    return min(range(len(of_it)), key=lambda number: abs(sum(of_it[len(of_it) - number :]) - aim))


@given(prose(longest=BUDGET // 2))
@settings(deadline=None)
def test_the_overlap_is_the_number_of_sentences_that_comes_nearest_to_a_fifth(source: str) -> None:
    """For sentences of up to half a chunk; a longer one may leave no room for what it follows."""
    for before, after in itertools.pairwise(chunks_of(source)):
        assert shared(before, after) == nearest(before)


@given(prose(longest=SHORT, fewest=4))
@settings(deadline=None)
def test_no_chunk_of_short_sentences_but_a_lone_one_is_less_than_half_full(source: str) -> None:
    chunks = chunks_of(source)
    assert len(chunks) == 1 or all(BUDGET / 2 <= sum(sizes(chunk)) <= BUDGET for chunk in chunks)


@given(st.integers(SHORT, BUDGET // 4).flatmap(lambda longest: st.tuples(st.just(longest), prose(longest))))
@settings(deadline=None)
def test_longer_sentences_leave_a_chunk_less_than_half_full_by_less_than_one_of_them(drawn: tuple[int, str]) -> None:
    """For sentences of up to a quarter of a chunk."""
    longest, source = drawn
    least = min(BUDGET / 2, (BUDGET - (1.5 - SHARE) * longest) / (2 - SHARE))
    chunks = chunks_of(source)
    assert len(chunks) == 1 or all(sum(sizes(chunk)) >= least for chunk in chunks)


@given(prose(longest=2 * BUDGET))
@example("\n\n".join(map(sentence, (40, 40, 125, 10))))
@settings(deadline=None)
def test_every_chunk_goes_on_where_the_one_before_ends(source: str) -> None:
    chunks = chunks_of(source)
    for before, after in itertools.pairwise(chunks):
        assert before.sentence_start < after.sentence_start <= before.sentence_end + 1 <= after.sentence_end
    assert all(sum(sizes(chunk)) <= BUDGET for chunk in chunks if len(chunk.sentences) > 1)


@pytest.mark.parametrize(("last", "expected"), [(26, 1), (39, 1), (78, 0)])
def test_a_last_sentence_of_three_tenths_is_shared_and_one_of_six_is_not(last: int, expected: int) -> None:
    first, second, *_ = chunks_of(" ".join(map(sentence, (BUDGET - last, last, 60, 60))))
    assert sizes(first) == [BUDGET - last, last]
    assert shared(first, second) == expected


def test_what_is_left_over_is_shared_by_the_last_two_evenly() -> None:
    chunks = chunks_of(" ".join(map(sentence, [10] * 15)))
    assert [sum(sizes(chunk)) for chunk in chunks] == [80, 90]


def test_the_last_two_part_between_blocks_where_both_are_half_full() -> None:
    blocks = [" ".join(map(sentence, [10] * number)) for number in (7, 8)]
    one, other = chunks_of("\n\n".join(blocks))
    assert one.text == blocks[0]
    assert other.text.endswith(blocks[1])


@pytest.mark.parametrize("line", ["How a robot walks", "These are its parts:"])
def test_a_line_that_announces_what_follows_is_not_left_behind(line: str) -> None:
    before, after = (" ".join(map(sentence, [10] * number)) for number in (12, 9))
    one, other = chunks_of(f"{before}\n\n{line}\n\n{after}")
    assert one.text == before
    assert f"{line}\n\n{after}" in other.text


def test_a_sentence_that_ends_a_block_stays_where_it_is() -> None:
    before, after = (" ".join(map(sentence, [10] * number)) for number in (12, 9))
    one, _ = chunks_of(f"{before}\n\nRobots walk.\n\n{after}")
    assert one.text == f"{before}\n\nRobots walk."

"""How a page is cut into chunks."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from citebook.domain.book import Chunk, PagePlace
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdx import parse_mdx
from tests.fakes import WordEmbedder

COUNT = WordEmbedder().count_tokens
PLACE = PagePlace(source_file="a/b.mdx", filename="b.mdx", chapter_id="a/b", chapter_title="Title", url="/docs/a/b")
RULES = ChunkingRules(target_tokens=40, overlap=0.2, max_tokens=128)


def chunks_of(source: str, rules: ChunkingRules = RULES) -> list[Chunk]:
    return chunk_page(parse_mdx(source, mdx=False), PLACE, source, rules, COUNT)[0]


def sentences(count: int, words: int = 9) -> str:
    return " ".join(f"Sentence number {n} has some words in it{' more' * (words - 8)}." for n in range(count))


paragraphs = st.lists(
    st.one_of(
        st.integers(1, 12).map(sentences),
        st.sampled_from(
            [
                "## Heading",
                "### Deeper",
                "- one\n- two\n- three",
                "```python\nx = 1\ny = 2\n```",
                "| a | b |\n|---|---|\n| 1 | 2 |",
            ]
        ),
        st.text(alphabet="abc déß. !?\U0001f916", min_size=1, max_size=80),
    ),
    max_size=12,
).map("\n\n".join)


@given(paragraphs)
@settings(deadline=None)
def test_every_sentence_of_every_chunk_stands_in_the_source_where_it_says(source: str) -> None:
    for chunk in chunks_of(source):
        assert chunk.source_text == source[chunk.start : chunk.end]
        assert chunk.is_intact()
        for sentence in chunk.sentences:
            visible = chunk.quote(sentence)
            assert visible.strip() == visible != ""
            raw = source[sentence.source_start : sentence.source_end]
            assert chunk.source_quote(sentence) == raw
            assert set(visible.split()) <= set(raw.replace("|", " ").split()) | {"|"} or "\\" in raw


@given(paragraphs)
@settings(deadline=None)
def test_chunks_are_numbered_in_order_and_have_different_ids(source: str) -> None:
    chunks = chunks_of(source)
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@given(paragraphs)
@settings(deadline=None)
def test_no_chunk_of_prose_is_longer_than_the_target(source: str) -> None:
    for chunk in chunks_of(source):
        assert COUNT([chunk.text])[0] <= RULES.target_tokens or any(s.whole_block for s in chunk.sentences)


def test_a_chunk_never_crosses_a_heading() -> None:
    chunks = chunks_of(f"# Title\n\n{sentences(2)}\n\n## First\n\n{sentences(2)}\n\n## Second\n\n{sentences(2)}")
    assert [chunk.section_title for chunk in chunks] == ["Title", "First", "Second"]
    assert [chunk.url for chunk in chunks] == ["/docs/a/b", "/docs/a/b#first", "/docs/a/b#second"]


def test_neighbouring_chunks_overlap_by_whole_sentences() -> None:
    chunks = chunks_of(sentences(20, words=8), ChunkingRules(target_tokens=100, overlap=0.2, max_tokens=128))
    for before, after in itertools.pairwise(chunks):
        shared = {before.quote(s) for s in before.sentences} & {after.quote(s) for s in after.sentences}
        assert shared
        assert COUNT([" ".join(shared)])[0] <= 60


def test_a_last_chunk_has_at_least_half_the_length() -> None:
    chunks = chunks_of(sentences(21, words=8), ChunkingRules(target_tokens=100, overlap=0.2, max_tokens=128))
    assert all(COUNT([chunk.text])[0] >= 40 for chunk in chunks)


def test_a_code_block_is_never_cut_and_a_long_one_is_warned_about() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(60))
    page = parse_mdx(f"# Title\n\nBefore it.\n\n```python\n{code}\n```\n\nAfter it.", mdx=False)
    chunks, warnings = chunk_page(
        page, PLACE, f"# Title\n\nBefore it.\n\n```python\n{code}\n```\n\nAfter it.", RULES, COUNT
    )
    assert sum(code in chunk.text for chunk in chunks) == 1
    assert len(warnings) == 1


def test_a_heading_without_text_is_not_lost() -> None:
    assert [chunk.text for chunk in chunks_of("# Title\n\n## Only a heading\n")] == [
        "Title",
        "Only a heading",
    ]


def test_a_sentence_longer_than_a_chunk_is_cut_between_words() -> None:
    chunks = chunks_of("word " * 300)
    assert sum(len(chunk.text.split()) for chunk in chunks) >= 300
    assert all(COUNT([chunk.text])[0] <= RULES.target_tokens for chunk in chunks)


def test_the_same_text_in_two_files_gives_two_chunks() -> None:
    other = PLACE.model_copy(update={"chapter_id": "a/c"})
    page = parse_mdx(sentences(1), mdx=False)
    first = chunk_page(page, PLACE, sentences(1), RULES, COUNT)[0][0]
    second = chunk_page(page, other, sentences(1), RULES, COUNT)[0][0]
    assert first.id != second.id


def quotes_of(source: str) -> list[str]:
    return [chunk.quote(sentence) for chunk in chunks_of(source) for sentence in chunk.sentences]


def test_a_stop_in_code_or_a_formula_ends_no_sentence() -> None:
    one = "To call `panic!` or not to call the `vec!` macro. "
    two = "Write `a.b. C` and `e.g. The`, and `user1. The ..user1` last. "
    three = "Take $n!$ ways of `1..=100`. `println!` prints."
    expected = [
        "To call panic! or not to call the vec! macro.",
        "Write a.b. C and e.g. The, and user1. The ..user1 last.",
        "Take $n!$ ways of 1..=100.",
        "println! prints.",
    ]
    assert quotes_of(one + two + three) == expected
    assert quotes_of(f"- {one}{two}{three} {sentences(8)}")[:4] == expected

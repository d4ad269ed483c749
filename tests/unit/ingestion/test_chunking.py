"""How a page is cut into chunks."""

import pytest
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


def test_a_code_block_is_never_cut_and_a_long_one_is_warned_about() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(60))
    page = parse_mdx(f"# Title\n\nBefore it.\n\n```python\n{code}\n```\n\nAfter it.", mdx=False)
    chunks, warnings = chunk_page(
        page, PLACE, f"# Title\n\nBefore it.\n\n```python\n{code}\n```\n\nAfter it.", RULES, COUNT
    )
    assert sum(code in chunk.text for chunk in chunks) == 1
    assert len(warnings) == 1


# --- headings and titles without text


def read(chunks: list[Chunk]) -> list[list[str]]:
    """The titles of the sections that are read with each chunk."""
    return [[text.title for text in chunk.section_texts] for chunk in chunks]


def test_a_heading_without_text_travels_with_what_it_heads() -> None:
    chunks = chunks_of("# Title\n\n## Cameras\n\n### Depth\n\nTwo of them see it.\n\n### Colour\n\nOne sees it.")
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [
        ("Two of them see it.", ("Title", "Cameras", "Depth")),
        ("One sees it.", ("Title", "Cameras", "Colour")),
    ]
    assert read(chunks) == [["Title", "Cameras", "Depth"], ["Colour"]]


def test_headings_at_the_end_of_a_page_are_read_with_its_last_chunk() -> None:
    chunks = chunks_of(f"# Title\n\n{sentences(12)}\n\n## Exercises\n\n## Notes")
    assert len(chunks) > 2
    assert read(chunks) == [["Title"], *[[]] * (len(chunks) - 2), ["Exercises", "Notes"]]


def test_a_page_of_headings_is_one_chunk_of_them_all() -> None:
    chunks = chunks_of("# Title\n\n## Only a heading\n\n## Another\n\nastar.py\n")
    assert [chunk.text for chunk in chunks] == ["Title\n\nOnly a heading\n\nAnother\n\nastar.py"]
    assert read(chunks) == [["Title", "Only a heading", "Another"]]


@pytest.mark.parametrize(
    "title",
    ["astar.py", "`astar.py`", "**Cameras**", "Where It Stands in the Whole of the Machine and of All Others"],
)
def test_a_title_alone_makes_no_chunk_and_is_read(title: str) -> None:
    (chunk,) = chunks_of(f"# Title\n\n## One\n\n{title}\n\n## Two\n\nIt walks.")
    assert chunk.text == "It walks."
    assert [len(text.blocks) for text in chunk.section_texts] == [0, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "It walks.",
        "机器人会走路。",
        "هل يمشي؟",
        "Author: Ann Lee",
        "Run `make it` now",
        "this feature is replaced by the table that the page has beside it",
        "- one",
        "```\nmake\n```",
        "$$\nx\n$$",
        "| a |\n|---|\n| 1 |",
        "\n\n".join(["Ann Lee"] * 8),
    ],
)
def test_what_tells_something_is_a_chunk_however_short(text: str) -> None:
    chunks = chunks_of(f"# Title\n\n## One\n\n{text}\n\n## Two\n\nIt rests.")
    assert [chunk.section for chunk in chunks] == ["one", "two"]


@pytest.mark.parametrize("entry", ["**Gait**\n\nway of walking", "Gait – walk", "### Gait\n\nway of walking"])
def test_an_entry_of_a_glossary_is_a_chunk_however_short(entry: str) -> None:
    chunks = chunks_of(f"# Title\n\n## Glossary\n\n{entry}\n\n## Two\n\nIt rests.")
    assert [chunk.section_path[1] for chunk in chunks] == ["Glossary", "Two"]


@given(paragraphs)
@settings(deadline=None)
def test_every_section_of_a_page_is_read_once_and_in_order(source: str) -> None:
    sections = parse_mdx(source, mdx=False).sections
    told = [text for chunk in chunks_of(source) for text in chunk.section_texts]
    assert [(text.id, text.level) for text in told] == [(one.anchor or "a/b", one.level) for one in sections]


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

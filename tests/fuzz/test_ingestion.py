"""Whatever a page is made of: it is read or refused, never with another error, and never in more than a second.

Short by default; `make fuzz` looks for as many minutes as FUZZ_EXAMPLES allows.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citebook.domain.book import Chunk, PagePlace
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.front_matter import read_front_matter
from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.pdf import parse_pdf
from citebook.proving.citing import passage_around
from citebook.proving.quote_search import QuotableChunk
from tests.unit.ingestion.test_mdx_properties import _PIECES
from tests.unit.ingestion.test_pdf import pdf

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
MOST_SECONDS = 1.0
_settings = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
PLACE = PagePlace(
    source_file="a.md",
    filename="a.md",
    chapter_id="a",
    chapter_title="A",
    category=None,
    url="/docs/a",
    module=None,
    difficulty=None,
    tags=(),
)
RULES = ChunkingRules(target_tokens=32, max_tokens=64)
YAML = (
    "a", ": ", "\n", "- ", "  ", "[", "]", "{", "}", ",", "&a ", "*a", "!!python/object", "|", ">", "'", '"', "#",
    "? ", "---", "...", "2024-13-45", "0x", "1e9999", "~", "<<", "%", "@", "\t", "\x85", "\u2028", "é", "title",
    "12:30:45", "=", "!!binary ", "!!set", ".nan",
)  # fmt: skip

pieces = st.sampled_from(
    (*_PIECES, "![a", "<div hidden>", "</div>", "<span style='display:none'>", "。", "“", "A. B. ", "|-|\n")
)
short_pages = st.lists(pieces | st.text(max_size=5), max_size=60).map("".join)
repeating_pages = st.builds(
    lambda unit, count, end: "".join(unit) * count + end,
    st.lists(pieces, min_size=1, max_size=3),
    st.integers(50, 300),
    pieces,
)
pages = short_pages | repeating_pages
yamls = st.lists(st.sampled_from(YAML) | st.text(max_size=4), max_size=60).map("".join)
lines = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="()\\"), max_size=60)


def count_tokens(texts: Sequence[str]) -> list[int]:
    return [len(text) // 4 + 1 for text in texts]


@contextmanager
def quickly() -> Iterator[None]:
    """Processor time counts: the machine may have much else to do."""
    started = process_time()
    yield
    assert process_time() - started < MOST_SECONDS


def chunks_of(source: str, *, mdx: bool) -> list[Chunk]:
    try:
        return chunk_page(parse_mdx(source[:4_000], mdx=mdx), PLACE, source[:4_000], RULES, count_tokens)[0]
    except MalformedPage:
        return []


@_settings
@given(yaml=yamls)
def test_front_matter_is_read_or_refused(yaml: str) -> None:
    with quickly(), suppress(MalformedPage):
        read_front_matter(f"---\n{yaml}\n---\nText.\n")


@pytest.mark.parametrize("mdx", [False, True], ids=["md", "mdx"])
@_settings
@given(source=pages)
def test_a_page_is_cut_into_slices_of_itself_or_refused(mdx: bool, source: str) -> None:
    with quickly():
        chunks = chunks_of(source, mdx=mdx)
    for chunk in chunks:
        assert chunk.source_text == source[:4_000][chunk.start : chunk.end]
        assert chunk.layout.fits(chunk.text)


@_settings
@given(source=pages, quote=st.text(max_size=80))
def test_what_is_quoted_of_a_page_stands_in_it(source: str, quote: str) -> None:
    for chunk in chunks_of(source, mdx=False)[:5]:
        with quickly():
            quotable = QuotableChunk(chunk)
            last = chunk.sentences[-1]
            for wanted in (quote, chunk.text[last.start : last.end]):
                found = quotable.find(wanted)
                if found is not None:
                    assert 0 <= found.first_sentence <= found.last_sentence < len(chunk.sentences)
                    around = passage_around(chunk, found.first_sentence, found.last_sentence)
                    assert around is None or around in chunk.text


@_settings
@given(text=st.lists(st.lists(lines, max_size=6), min_size=1, max_size=3), titles=st.lists(lines, max_size=2))
def test_the_text_of_a_pdf_is_cut_into_slices_of_itself(text: list[list[str]], titles: list[str]) -> None:
    with quickly(), suppress(MalformedPage):
        source, page = parse_pdf(pdf(text, bookmarks=[(title, 0) for title in titles]))
        for chunk in chunk_page(page, PLACE, source, RULES, count_tokens)[0]:
            assert chunk.source_text == source[chunk.start : chunk.end]


@_settings
@given(damage=st.lists(st.tuples(st.integers(0, 900), st.binary(max_size=4)), max_size=6))
def test_a_damaged_pdf_is_read_or_refused(damage: list[tuple[int, bytes]]) -> None:
    data = bytearray(pdf([["A title", "Some words go on."], ["More words."]], bookmarks=[("A title", 0)]))
    for at, piece in damage:
        data[at : at + len(piece)] = piece
    with quickly(), suppress(MalformedPage):
        parse_pdf(bytes(data))

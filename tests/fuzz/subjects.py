"""What is fuzzed: each subject takes any bytes, and fails where something does not hold that must."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress

from citebook.adapters.language_models.chunk_events import ChunkEvents
from citebook.api.event_stream import frame
from citebook.domain.answer import ProvenSentence
from citebook.domain.book import Chunk, PagePlace
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.front_matter import read_front_matter
from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.pdf import parse_pdf
from citebook.proving.plain_claims import plain_claim
from citebook.proving.proofs import Proofs
from citebook.proving.quote_search import QuotableChunk
from citebook.writing.answer_lines import AnswerLines, WrittenClaim
from citebook.writing.replies import AnswerText
from tests.fakes import claim_of, evidence_of
from tests.unit.ingestion.test_pdf import pdf

LARGEST = 100_000
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
Subject = Callable[[bytes], None]


def front_matter(data: bytes) -> None:
    """Front matter is read or refused."""
    with suppress(MalformedPage):
        read_front_matter(f"---\n{_text(data)}\n---\nText.\n")


def mdx(data: bytes) -> None:
    """A page is read, and cut into slices of itself, or refused."""
    if not data:
        return
    source = _text(data[1:])
    for chunk in chunks_of(source, mdx=data[0] % 2 == 1):
        assert chunk.source_text == source[chunk.start : chunk.end]
        assert chunk.layout.fits(chunk.text)
        assert_sentences_in_order(chunk)


def pdf_text(data: bytes) -> None:
    """Any bytes are a PDF or none; the text of one that is whole is cut into slices of itself."""
    if not data:
        return
    if data[0] % 2:
        pages = [page.split("\n")[:200] for page in _text(data[1:]).split("\f")[:20]]
        safe = [[line.translate(_NO_BRACKETS) for line in page] for page in pages]
        file = pdf(safe, bookmarks=[(page[0][:40], number) for number, page in enumerate(safe)])
    else:
        file = data[1:]
    with suppress(MalformedPage):
        source, page = parse_pdf(file)
        for chunk in chunk_page(page, PLACE, source, RULES, count_tokens)[0]:
            assert chunk.source_text == source[chunk.start : chunk.end]


_NO_BRACKETS = {ord(sign): " " for sign in "()\\\r"}


def sse(data: bytes) -> None:
    """What we send is one frame, whatever is in it; what a model sends is read or refused, cut anywhere."""
    text = data.decode("utf-8", "surrogateescape")
    sent = frame({"chunk": text, text[:10]: [text[10:20], None]})
    assert sent.startswith(b"data: ")
    assert sent.endswith(b"\n\n")
    assert not set(b"\r\n\x00") & set(sent[6:-2])
    assert sent.isascii()
    assert json.loads(sent[6:])["chunk"] == text or text[:10] == "chunk"
    _hear(data, 1 + len(data) % 7)
    _hear_pieces(text)


def _hear(data: bytes, size: int) -> None:
    events = ChunkEvents()
    with suppress(ValueError, TypeError, AttributeError):
        for at in range(0, len(data), size):
            assert all(isinstance(text, str) for text in events.feed(data[at : at + size]))


def _hear_pieces(text: str) -> None:
    """Pieces of text come out as they went in."""
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)][:2_000]
    bodies = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    sent = b"".join(f"data: {json.dumps(body)}\n\n".encode() for body in bodies)
    events = ChunkEvents()
    heard = (text for at in range(0, len(sent), 1_000) for text in events.feed(sent[at : at + 1_000]))
    assert "".join(heard) == "".join(pieces)


def citations(data: bytes) -> None:
    """A model's words about a page: whatever is shown of them is bound to a slice of the page, and marked."""
    source, _, said = _text(data).partition("\x1e")
    chunks = chunks_of(source[: LARGEST // 4], mdx=False)[:20]
    if not chunks:
        return
    lines, proofs, answer = AnswerLines(), Proofs(evidence_of(*chunks), 5), AnswerText()
    written = [*lines.feed(said), *lines.end()]
    quotes = [(line.text, line.quote) for line in written if isinstance(line, WrittenClaim)]
    last = chunks[0].sentences[-1]
    quotes += [(said[:300], said[:300]), (said[:300], chunks[0].text[last.start : last.end])]
    for claimed, quote in quotes[:20]:
        for chunk in chunks:
            found = QuotableChunk(chunk).find(quote)
            if found is None:
                continue
            text = plain_claim(claimed, chunk.text[chunk.sentences[found.first_sentence].start :]) or claimed
            claim = claim_of(chunk, found.first_sentence, found.last_sentence)
            sentence = proofs.of(claim.model_copy(update={"text": text}) if text.strip() else claim)
            if sentence is not None:
                assert_cited(sentence, chunk, source)
                piece = answer.add(sentence.claim)
                assert not piece or f"[{sentence.citation.position}]" in piece


def assert_cited(sentence: ProvenSentence, chunk: Chunk, source: str) -> None:
    citation = sentence.citation
    assert 1 <= citation.position <= 5
    assert citation.source_excerpt == source[citation.start : citation.end]
    assert citation.excerpt in chunk.text
    assert citation.passage is None or citation.passage in chunk.text
    assert sentence.claim.citation == citation.position


def assert_sentences_in_order(chunk: Chunk) -> None:
    ends = 0
    for sentence in chunk.sentences:
        assert ends <= sentence.start <= sentence.end <= len(chunk.text)
        assert chunk.start <= sentence.source_start <= sentence.source_end <= chunk.end
        ends = sentence.end


def chunks_of(source: str, *, mdx: bool) -> list[Chunk]:
    try:
        return chunk_page(parse_mdx(source, mdx=mdx), PLACE, source, RULES, count_tokens)[0]
    except MalformedPage:
        return []


def count_tokens(texts: Sequence[str]) -> list[int]:
    return [len(text) // 4 + 1 for text in texts]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


SUBJECTS: dict[str, Subject] = {
    "front-matter": front_matter,
    "mdx": mdx,
    "pdf": pdf_text,
    "sse": sse,
    "citations": citations,
}

SEEDS: dict[str, tuple[bytes, ...]] = {
    "front-matter": (
        b"title: A\nsidebar_position: 3\ntags: [a, b]\n",
        b"a: &x [1, 2]\nb: *x\n? c\n: !!set {d}\n",
        b"t: |\n  text\n  more\nd: 2024-01-02\nn: 12:30:45\n",
    ),
    "mdx": (
        b"\x01import A from 'a'\n\n# One {#one}\n\nText with **bold** and <B c={1}>more</B>. `code` $x^2$\n",
        b"\x00# One\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- item\n  - inner\n\n```py\nx = 1\n```\n",
        b"\x01:::note[Title]\n\n![alt](a.png) [link](b.md)\n\n:::\n\n<div hidden>no</div>\n\n> quote\n",
    ),
    "pdf": (
        b"\x00" + pdf([["A title", "Some words go on."], ["More words."]], bookmarks=[("A title", 0)]),
        b"\x01A title\n\nSome words go on, and hyphen-\nated ones.\f1. First\n2. Second\n12",
    ),
    "sse": (
        b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
        b": comment\r\nevent: x\rdata: 1\ndata: 2\n\nid: 3\nretry: 5\n\n",
        b"text\r\ndata: more\n\n\xe2\x80\xa8 \x00",
    ),
    "citations": (
        b"# Gears\n\nA harmonic drive is a gear. It has no backlash.\n\x1e"
        b'{"claim": "It has no backlash.", "excerpt": 1, "quote": "It has no backlash."}\n{"confidence": 0.9}\n',
        b"# A\n\n- one item here\n- another item here\n\n| a | b |\n| - | - |\n| 10 kg | 2 m |\n"
        b"\x1eanother item here",
    ),
}
"""What fuzzing by coverage begins with."""


def unfolded(data: bytes) -> bytes:
    """Some inputs stand for long ones: a short part, over and over."""
    if len(data) < 4 or data[0] != 0x1D:
        return data[:LARGEST]
    head, unit = data[2:3], data[3:]
    return (head + unit * (1 + LARGEST * (1 + data[1]) // 256 // len(unit)))[:LARGEST]

"""What a replay says of an answer whose book was changed since."""

from typing import Any

import pytest

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.answer import Citation
from citebook.domain.audit import AuditRecord
from citebook.domain.book import Chunk, Edition, EmbedderStamp, IndexedFile
from citebook.domain.errors import BookNotIngested
from citebook.proving.citing import cite
from citebook.records.replay import Replayer, check_citation, compare_passages, searched_text
from citebook.records.replayed import CitedText, PassageState, Replay
from citebook.searching.ranking import Weights
from tests.fakes import WORKERS, KeptInMemory, ListIndex, WordEmbedder, claim_of, evidence_of, make_chunk, retrieved
from tests.records import NOON, full_record

WALKING = make_chunk("A robot falls. The zero moment point stays inside the foot.", "walking.mdx")
ARMS = make_chunk("Inverse kinematics finds joint angles.", "arms.mdx")
LEGS = make_chunk("Legs have six joints each.", "legs.mdx")
CHANGED = make_chunk("A robot falls. The zero moment point must stay inside the foot.", "walking.mdx")


def record_of(*chunks: Chunk, cited: tuple[Citation, ...] = (), **changes: Any) -> AuditRecord:
    """The record of an answer for which these chunks were retrieved, best first."""
    returned = tuple(
        {"chunk_id": c.id, "source_file": c.place.source_file, "section": c.section, "score": 0.9} for c in chunks
    )
    fields: dict[str, Any] = {
        "source_mode": "full-book",
        "user_query_text": "Zero moment point?",
        "retrieval_query": "zero moment point?",
        "searched_part": None,
        "chunks_returned": returned,
        "chunks_retrieved_count": len(chunks),
        "citations": tuple(one.model_dump(mode="json") for one in cited),
    }
    return full_record(**fields | changes)


def citation_of(chunk: Chunk, sentence: int = 0) -> Citation:
    return cite(claim_of(chunk, sentence), retrieved(chunk), 1)


def states(record: AuditRecord, *now: Chunk, still_there: tuple[Chunk, ...] = ()) -> list[PassageState]:
    checks = compare_passages(record, evidence_of(*now), frozenset(chunk.id for chunk in still_there))
    return [check.state for check in checks]


class TestPassages:
    def test_nothing_changed(self) -> None:
        assert states(record_of(WALKING, ARMS), WALKING, ARMS) == [PassageState.SAME] * 2

    def test_others_rank(self) -> None:
        checks = compare_passages(record_of(WALKING, ARMS), evidence_of(ARMS, WALKING), frozenset())
        assert [check.state for check in checks] == [PassageState.OTHER_RANK] * 2
        assert [(check.rank_then, check.rank_now) for check in checks] == [(1, 2), (2, 1)]

    def test_a_passage_whose_text_changed_is_named_once(self) -> None:
        checks = compare_passages(record_of(WALKING, ARMS), evidence_of(ARMS, CHANGED), frozenset({ARMS.id}))
        assert [check.state for check in checks] == [PassageState.CHANGED, PassageState.OTHER_RANK]
        assert (checks[0].source_file, checks[0].rank_now) == ("walking.mdx", 2)

    def test_a_passage_that_is_gone_and_one_that_is_new(self) -> None:
        assert states(record_of(WALKING), LEGS) == [PassageState.VANISHED, PassageState.NEW]

    def test_a_passage_that_others_outrank_is_not_gone(self) -> None:
        expected = [PassageState.OUTRANKED, PassageState.NEW]
        assert states(record_of(WALKING), LEGS, still_there=(WALKING,)) == expected


class TestCitations:
    def test_the_same_words_at_the_same_place(self) -> None:
        assert check_citation(citation_of(WALKING, 1), [ARMS, WALKING]).state is CitedText.SAME

    def test_a_change_beside_the_cited_sentence_leaves_it_as_it_is(self) -> None:
        check = check_citation(citation_of(WALKING, 0), [CHANGED])
        assert check.state is CitedText.SAME

    def test_a_changed_sentence_is_shown_as_it_is_now(self) -> None:
        check = check_citation(citation_of(WALKING, 1), [ARMS, CHANGED])
        assert check.state is CitedText.CHANGED
        assert check.text_now == "The zero moment point must stay inside the foot."
        assert check.found == CHANGED

    def test_words_that_moved_to_another_page(self) -> None:
        elsewhere = make_chunk(f"Legs. {WALKING.text}", "legs.mdx")
        check = check_citation(citation_of(WALKING, 1), [ARMS, elsewhere])
        assert (check.state, check.found) == (CitedText.MOVED, elsewhere)

    def test_a_page_that_is_gone(self) -> None:
        assert check_citation(citation_of(WALKING, 1), [ARMS], edition_of(ARMS)).state is CitedText.GONE

    def test_a_sentence_without_a_successor_is_gone(self) -> None:
        other = make_chunk("Quite another matter: batteries, cables.", "walking.mdx")
        assert check_citation(citation_of(WALKING, 1), [other], edition_of(other)).state is CitedText.GONE


def edition_of(*chunks: Chunk, name: str = "first") -> Edition:
    files = {chunk.place.source_file: IndexedFile(sha256="0" * 64, chunks=1) for chunk in chunks}
    stamp = EmbedderStamp(name="words", dimension=64, max_tokens=128)
    return Edition(name=name, embedder=stamp, recipe="1", created_at=NOON, files=files, chunk_count=len(chunks))


class Index(ListIndex):
    """Knows its edition too."""

    def __init__(self, *chunks: Chunk) -> None:
        super().__init__(chunks=chunks)

    async def edition(self) -> Edition:
        return edition_of(*self._chunks)


async def replayed(record: AuditRecord, *book: Chunk, kept: tuple[Chunk, ...] = ()) -> Replay:
    """Without a book where none is given."""
    embedder, index = WordEmbedder(), Index(*book)
    if not book:
        index.failures = [BookNotIngested("gone")]
    retrieval = QdrantRetrievalAgent(embedder, index, Weights(), WORKERS)
    return await Replayer(retrieval, embedder, index, 5, KeptInMemory(*kept)).replay(record)


class TestReplay:
    async def test_an_unchanged_book_gives_the_same(self) -> None:
        result = await replayed(record_of(WALKING, cited=(citation_of(WALKING, 1),)), WALKING)
        assert result.is_same
        assert not result.cited_text_changed
        assert "The edition is the same, and so is" in result.reason

    async def test_a_changed_sentence_is_found(self) -> None:
        record = record_of(WALKING, cited=(citation_of(WALKING, 1),), edition="older")
        result = await replayed(record, CHANGED)
        assert result.cited_text_changed
        assert [check.state for check in result.passages] == [PassageState.CHANGED]
        assert result.reason.startswith("The book was changed: passages")

    async def test_a_new_edition_with_the_same_passages(self) -> None:
        result = await replayed(record_of(WALKING, edition="older"), WALKING)
        assert "which has the same passages" in result.reason

    async def test_a_change_elsewhere(self) -> None:
        result = await replayed(record_of(ARMS, WALKING, edition="older"), ARMS, WALKING)
        assert not result.cited_text_changed
        assert "changed elsewhere" in result.reason

    async def test_a_question_to_a_part_of_the_book_is_searched_there_alone(self) -> None:
        arms = make_chunk(ARMS.text, "arms.mdx", module=2)
        record = record_of(arms, cited=(citation_of(arms),), searched_part='{"module":2,"is_scope":true}')
        assert (await replayed(record, WALKING, arms)).is_same
        assert not (await replayed(record_of(arms), WALKING, arms)).is_same

    async def test_other_settings(self) -> None:
        result = await replayed(record_of(ARMS, WALKING), ARMS, WALKING)
        assert "the settings of the search" in result.reason


@pytest.mark.parametrize(
    ("asked", "searched", "expected"),
    [
        (" What is TF2? ", "what is tf2?", "What is TF2?"),
        ("And why?", "what is tf2? and why?", "what is tf2? and why?"),
        ("What is TF2?", None, "What is TF2?"),
    ],
)
def test_what_is_searched_again(asked: str, searched: str | None, expected: str) -> None:
    assert searched_text(record_of(user_query_text=asked, retrieval_query=searched)) == expected


class TestBookThatIsGone:
    async def test_what_an_answer_rested_on_is_shown_as_it_was_ingested(self) -> None:
        record = record_of(WALKING, ARMS, cited=(citation_of(WALKING, 1),))
        result = await replayed(record, kept=(WALKING, ARMS, LEGS))
        assert [(check.state, check.text_then) for check in result.passages] == [
            (PassageState.KEPT, WALKING.text),
            (PassageState.KEPT, ARMS.text),
        ]
        assert [check.state for check in result.citations] == [CitedText.KEPT]
        assert not result.cited_text_changed
        assert "The book is gone" in result.reason

    async def test_what_is_not_kept_is_gone_for_good(self) -> None:
        record = record_of(WALKING, ARMS, cited=(citation_of(WALKING, 1),))
        result = await replayed(record, kept=(ARMS,))
        assert [check.state for check in result.passages] == [PassageState.VANISHED, PassageState.KEPT]
        assert result.cited_text_changed

    async def test_a_text_that_was_changed_in_the_database_proves_nothing(self) -> None:
        forged = WALKING.model_copy(update={"text": WALKING.text.replace("falls", "flies")})
        with pytest.raises(BookNotIngested):
            await replayed(record_of(WALKING), kept=(forged,))

    async def test_where_nothing_is_kept_the_book_is_missing(self) -> None:
        with pytest.raises(BookNotIngested):
            await replayed(record_of(WALKING))

    async def test_of_a_changed_passage_it_is_shown_what_it_said(self) -> None:
        result = await replayed(record_of(WALKING, edition="older"), CHANGED, kept=(WALKING, CHANGED))
        (check,) = result.passages
        assert (check.state, check.text_then) == (PassageState.CHANGED, WALKING.text)

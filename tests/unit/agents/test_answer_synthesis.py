"""How claims become sentences with their proof."""

import pytest

from citebook.agents.answer_synthesis import AnswerSynthesisAgent, WritingNotes
from citebook.domain.answer import Claim, ProvenSentence
from citebook.domain.book import Chunk, Sentence
from citebook.domain.question import Policy, Question
from citebook.reading.extractive import ExtractiveReader
from tests.fakes import WORKERS, ScriptedGenerator, claim_of, evidence_of, make_chunk

LEG = make_chunk("The knee bends. The ankle rolls.", "leg.mdx", title="Legs")
ARM = make_chunk("The elbow bends, and the wrist turns.", "arm.mdx")
ELBOW, WRIST = "The elbow bends.", "The wrist turns."
FOREIGN = make_chunk("The wheel turns.", "wheel.mdx")


async def synthesise(*claims: Claim, chunks: tuple[Chunk, ...] = (LEG, ARM), top_k: int = 5) -> list[ProvenSentence]:
    agent = AnswerSynthesisAgent(ExtractiveReader(), WORKERS, ScriptedGenerator(*claims))
    question = Question(text="?", policy=Policy(top_k=top_k))
    return [item async for item in agent.write(question, evidence_of(*chunks), WritingNotes())]


async def test_what_cannot_be_proven_is_counted() -> None:
    agent = AnswerSynthesisAgent(ExtractiveReader(), WORKERS, ScriptedGenerator(claim_of(FOREIGN), claim_of(ARM)))
    notes = WritingNotes()
    told = [item async for item in agent.write(Question(text="?"), evidence_of(LEG, ARM), notes)]
    assert (len(told), notes.unproven, notes.dropped) == (1, 1, 1)


async def test_sentences_come_in_the_generator_s_order() -> None:
    sentences = await synthesise(claim_of(ARM), claim_of(LEG, 1))
    assert [sentence.citation.excerpt for sentence in sentences] == [ARM.text, "The ankle rolls."]


async def test_citations_are_numbered_as_they_are_first_used() -> None:
    arm = [claim_of(ARM, text=text) for text in (ELBOW, WRIST)]
    sentences = await synthesise(arm[0], claim_of(LEG, 1), arm[1], claim_of(LEG, 0))
    assert [sentence.citation.position for sentence in sentences] == [1, 2, 1, 3]


@pytest.mark.parametrize(("top_k", "positions"), [(1, [1, 1]), (2, [1, 2, 1]), (20, [1, 2, 1, 3])])
async def test_no_more_places_are_cited_than_were_asked_for(top_k: int, positions: list[int]) -> None:
    arm = [claim_of(ARM, text=text) for text in (ELBOW, WRIST)]
    sentences = await synthesise(arm[0], claim_of(LEG, 1), arm[1], claim_of(LEG, 0), top_k=top_k)
    assert [sentence.citation.position for sentence in sentences] == positions


async def test_a_dropped_claim_takes_no_number() -> None:
    sentences = await synthesise(claim_of(FOREIGN), claim_of(ARM))
    assert [sentence.citation.position for sentence in sentences] == [1]


async def test_a_citation_says_where_in_the_book_the_words_stand() -> None:
    (sentence,) = await synthesise(claim_of(LEG, 1))
    citation = sentence.citation
    assert (citation.source_file, citation.chapter_title, citation.url) == ("leg.mdx", "Legs", "/docs/leg#part")
    assert citation.section_title == LEG.section_title
    assert LEG.source_text[citation.start : citation.end] == citation.source_excerpt == "The ankle rolls."


async def test_the_excerpt_is_what_the_reader_sees_and_the_source_excerpt_what_the_file_has() -> None:
    marked = make_chunk("The knee bends.", "bold.mdx").model_copy(
        update={
            "start": 40,
            "end": 59,
            "source_text": "The **knee** bends.",
            "sentences": (Sentence(start=0, end=15, source_start=40, source_end=59),),
        }
    )
    (sentence,) = await synthesise(claim_of(marked), chunks=(marked,))
    assert sentence.citation.excerpt == "The knee bends."
    assert sentence.citation.source_excerpt == "The **knee** bends."
    assert (sentence.citation.start, sentence.citation.end) == (40, 59)


async def test_the_generator_s_score_is_kept() -> None:
    (sentence,) = await synthesise(claim_of(ARM, score=0.25))
    assert sentence.claim.score == 0.25

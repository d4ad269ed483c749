"""Answers made of the book's own sentences."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.adapters.extractive.generator import ExtractiveGenerator
from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.question import Question
from tests.fakes import evidence_of, make_chunk


def answer(question: str, *chunks: Chunk) -> list[Claim]:
    async def claims() -> list[Claim]:
        evidence = evidence_of(*chunks, question=question)
        return [claim async for claim in ExtractiveGenerator().generate(Question(text=question), evidence)]

    return asyncio.run(claims())


def test_what_is_x_is_answered_by_the_sentence_that_defines_it() -> None:
    chunk = make_chunk(
        "Many robots carry a harmonic drive in the elbow. "
        "A harmonic drive is a gear that bends a thin steel cup. "
        "Choosing a harmonic drive needs care."
    )
    assert answer("What is a harmonic drive?", chunk)[0].text.startswith("A harmonic drive is a gear")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the first industrial robot installed?", "1961"),
        ("How many joints does the industrial robot arm have?", "six"),
        ("Who installed the industrial robot?", "Engelberger"),
        ("Why was the industrial robot installed?", "because"),
    ],
)
def test_the_kind_of_question_decides_between_sentences_that_match_alike(question: str, expected: str) -> None:
    chunk = make_chunk(
        "The industrial robot was installed in a quiet hall. "
        "The industrial robot was installed in 1961. "
        "The industrial robot arm has six joints. "
        "The industrial robot was installed by Joseph Engelberger. "
        "The industrial robot was installed because the work was hot."
    )
    assert expected in answer(question, chunk)[0].text


def test_a_sentence_that_points_back_is_told_with_the_one_before_it() -> None:
    chunk = make_chunk("A strain wave gear flexes. It removes backlash from robot joints completely.")
    assert answer("What removes backlash from robot joints?", chunk)[0].text == chunk.text


def test_a_sentence_that_points_back_over_a_paragraph_stands_alone() -> None:
    chunk = make_chunk("A strain wave gear flexes.\n\nIt removes backlash from robot joints completely.")
    assert answer("What removes backlash from robot joints?", chunk)[0].text.startswith("It removes backlash")


def test_the_better_passage_is_quoted_first() -> None:
    best, other = make_chunk("Servo motors turn joints.", "a.mdx"), make_chunk("Servo motors are sold.", "b.mdx")
    assert answer("servo motors", best, other)[0].chunk_id == best.id


def test_an_answer_has_at_most_three_claims() -> None:
    chunk = make_chunk(" ".join(f"The gripper has finger number {n}." for n in range(12)))
    assert len(answer("Which finger has the gripper?", chunk)) == 3


def test_a_sentence_far_from_the_question_is_not_added() -> None:
    chunk = make_chunk("Backlash is the play between two gears. " + "The cafeteria opens at noon. " * 2)
    assert [claim.first_sentence for claim in answer("What is backlash between gears?", chunk)] == [0]


def test_the_same_sentence_in_two_passages_is_quoted_once() -> None:
    text = "Backlash is the play between two gears."
    claims = answer("What is backlash?", make_chunk(text, "a.mdx"), make_chunk(text, "b.mdx"))
    assert len(claims) == 1


def test_the_question_itself_is_no_answer() -> None:
    chunk = make_chunk("What is backlash between gears? The play between two meshing gears is called backlash.")
    assert not answer("What is backlash between gears?", chunk)[0].text.endswith("?")


def test_without_evidence_nothing_is_said() -> None:
    assert answer("What is backlash?") == []


def test_the_score_of_a_claim_is_the_share_of_the_question_that_it_covers() -> None:
    chunk = make_chunk("Backlash is play.")
    full, half = answer("backlash play", chunk), answer("backlash unicorn", chunk)
    assert full[0].score == 1.0
    assert half[0].score == pytest.approx(0.5)


words = st.sampled_from(
    "robot gear arm It This is the 1961 ? . ! \n \n\n - * Naïve 機械 because [1] <b> | ` x².".split(" ")
)
texts = st.lists(words, min_size=1, max_size=60).map(" ".join).filter(lambda text: bool(text.strip()))


@given(st.lists(texts, min_size=1, max_size=4), texts)
def test_every_claim_is_what_the_passage_says_at_its_sentences(passages: list[str], question: str) -> None:
    chunks = [make_chunk(text, f"{number}.mdx") for number, text in enumerate(passages)]
    by_id = {chunk.id: chunk for chunk in chunks}
    for claim in answer(question, *[chunk for chunk in chunks if chunk.sentences]):
        chunk = by_id[claim.chunk_id]
        first, last = chunk.sentences[claim.first_sentence], chunk.sentences[claim.last_sentence]
        assert claim.text == chunk.text[first.start : last.end]

"""Answers made of the book's own sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.reading.extractive import ExtractiveReader
from tests.block_texts import table
from tests.fakes import chunk_of_page, chunks_of_page, evidence_of, make_chunk


def collect(question: Question, evidence: QueryResult) -> list[Claim]:
    return ExtractiveReader().quote(question, evidence)


def answer(question: str, *chunks: Chunk) -> list[Claim]:
    return collect(Question(text=question), evidence_of(*chunks, question=question))


def told(question: str, *chunks: Chunk) -> list[str]:
    return [claim.text for claim in answer(question, *chunks)]


def score(question: str, chunk: Chunk) -> float:
    return answer(question, chunk)[0].score or 0.0


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


def test_an_answer_has_at_most_three_sentences() -> None:
    chunk = make_chunk("\n\n".join(f"The gripper has finger number {n}." for n in range(12)))
    assert len(answer("Which finger has the gripper?", chunk)) == 3


def test_sentences_that_follow_each_other_are_told_in_one_piece() -> None:
    chunk = make_chunk("The harmonic drive is light. The harmonic drive has no backlash. The cafeteria is closed.")
    claims = answer("What has the harmonic drive?", chunk)
    assert [(claim.first_sentence, claim.last_sentence) for claim in claims[:1]] in ([(0, 1)], [(1, 1)])


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


def test_the_more_of_the_question_is_covered_the_higher_is_the_score() -> None:
    chunk = make_chunk("Backlash is the play of gears.")
    assert score("backlash play gears", chunk) > score("backlash unicorn castle", chunk)


def test_a_question_that_repeats_one_word_gets_a_low_score() -> None:
    chunk = make_chunk("Backlash is the play of gears.")
    assert score("backlash backlash backlash backlash", chunk) < score("What is backlash of gears?", chunk) / 2


def test_a_sentence_that_only_repeats_the_question_is_not_told() -> None:
    chunk = make_chunk("The backlash of gears.\n\nThe play between two teeth of the gears is backlash.")
    assert "The backlash of gears." not in told("What is the backlash of gears?", chunk)


def test_an_exercise_is_no_answer() -> None:
    chunk = make_chunk(
        "Explain why a harmonic drive has no backlash.\n\nA harmonic drive has no backlash, as its teeth are bent."
    )
    assert answer("Why has a harmonic drive no backlash?", chunk)[0].text.startswith("A harmonic drive")


def test_a_question_in_the_book_is_answered_by_what_follows_it() -> None:
    chunk = make_chunk("Can I use Windows?\n\nYes, under WSL.\n\nThe cafeteria opens at noon, as it always did.")
    assert answer("Can I use Windows?", chunk)[0].text == "Yes, under WSL."


STEPS = "To install the driver:\n\n- download the archive\n- unpack it in your home folder\n- run the setup program"


def test_the_steps_of_a_list_are_told_whole_and_in_order() -> None:
    chunk = chunk_of_page(STEPS)
    assert answer("How do I install the driver?", chunk)[0].text == chunk.text


def test_an_item_is_told_with_the_line_that_opens_its_list() -> None:
    claim = answer("Where is the archive unpacked, which folder?", chunk_of_page(STEPS))[0]
    assert claim.text.startswith("To install the driver:")
    assert claim.text.endswith("unpack it in your home folder")


def test_code_is_told_with_its_caption_when_it_is_asked_for() -> None:
    chunk = chunk_of_page("Recording all topics of the robot:\n\n```\nros2 bag record -a\n```")
    assert answer("What command records all topics of the robot?", chunk)[0].text == chunk.text


def test_code_is_not_told_when_it_is_not_asked_for() -> None:
    code = "print('\\\\nThe robot records', topics, bag)"
    chunk = chunk_of_page(f"The robot records all topics in a bag.\n\n```\n{code}\n```")
    assert code in chunk.text
    assert told("Why does the robot keep topics in a bag?", chunk) == ["The robot records all topics in a bag."]


def test_a_caption_is_told_with_what_stands_under_it() -> None:
    chunk = make_chunk("Checklist when the robot refuses to move\n\nIs the emergency stop released at all times.")
    assert answer("the robot refuses to move", chunk)[0].text == chunk.text


MOTORS = """\
| Motor | Torque of the motor |
| --- | --- |
| Alpha | 2 Nm |
| Beta | 4.5 Nm |
| Gamma | 8 Nm |
| Delta | 9 Nm |
"""
"""As two chunks: the header with two motors, and the other two."""


def test_a_row_of_a_long_table_is_told_with_the_header() -> None:
    chunk, _ = chunks_of_page(MOTORS, tokens=20)
    claim = answer("What torque has the motor Beta?", chunk)[0]
    row = chunk.sentences[claim.first_sentence]
    assert claim.text == "Beta | 4.5 Nm"
    assert chunk.blocks_between(row.start, row.end) == (table(["Motor", "Torque of the motor"], ["Beta", "4.5 Nm"]),)


def test_the_first_row_of_a_chunk_is_told_though_the_header_stands_in_another() -> None:
    _, chunk = chunks_of_page(MOTORS, tokens=20)
    assert told("What torque has the motor Gamma?", chunk)[0] == "Gamma | 8 Nm"


def test_the_header_of_a_table_is_no_answer() -> None:
    chunk, _ = chunks_of_page(MOTORS, tokens=20)
    assert "Motor | Torque of the motor" not in told("What is the torque of the motor?", chunk)


def test_a_comparison_is_answered_from_both_sides() -> None:
    chunks = [
        make_chunk("A servo motor measures its angle.", "a.mdx"),
        make_chunk("A servo motor is dear. A servo motor is strong.", "b.mdx"),
        make_chunk("A stepper motor counts its steps.", "c.mdx"),
    ]
    texts = " ".join(told("What is the difference between a servo motor and a stepper motor?", *chunks))
    assert "A servo motor" in texts
    assert "A stepper motor counts its steps." in texts


def test_a_follow_up_is_answered_for_the_question_that_was_searched() -> None:
    chunk = make_chunk("The gripper weighs two kilograms in all.\n\nThe harmonic drive weighs one kilogram in all.")
    evidence = evidence_of(chunk, question="what is a harmonic drive\nhow much does it weigh")
    claims = collect(Question(text="How much does it weigh?"), evidence)
    assert claims[0].text.startswith("The harmonic drive")


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

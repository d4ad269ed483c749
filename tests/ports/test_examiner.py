"""What every examiner must do. The one that ships is run as it is, on this machine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.ports import Examiner

ABOUT_BACKLASH = "Gears > Backlash\nBacklash is the play between two gears' teeth, felt when the motor turns back."
ABOUT_LUNCH = "Around the house > Meals\nThe cafeteria on the second floor serves soup on all days but Sunday."


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return LocalExaminer()


def test_a_passage_that_answers_gets_more_points_than_one_that_does_not(examiner: Examiner) -> None:
    right, wrong = examiner.examine("What is backlash?", [ABOUT_BACKLASH, ABOUT_LUNCH])
    assert right > 0 > wrong


def test_everyday_words_are_understood(examiner: Examiner) -> None:
    question = "what is it called when there is some slack in the cogs as the engine reverses"
    right, wrong = examiner.examine(question, [ABOUT_BACKLASH, ABOUT_LUNCH])
    assert right > wrong + 1


def test_a_passage_on_the_subject_that_lacks_the_answer_gets_fewer_points(examiner: Examiner) -> None:
    (answered,) = examiner.examine("What is backlash?", [ABOUT_BACKLASH])
    (not_answered,) = examiner.examine("Who was the first to measure backlash?", [ABOUT_BACKLASH])
    assert answered > not_answered + 1


def test_points_come_in_the_order_of_the_passages(examiner: Examiner) -> None:
    passages = [ABOUT_LUNCH, ABOUT_BACKLASH * 4, ABOUT_BACKLASH, "Soup."]
    points = examiner.examine("What is backlash?", passages)
    alone = [examiner.examine("What is backlash?", [passage])[0] for passage in passages]
    assert points == pytest.approx(alone, abs=0.5)


def test_no_passages_get_no_points(examiner: Examiner) -> None:
    assert list(examiner.examine("What is backlash?", [])) == []


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=300), st.lists(st.text(max_size=3_000), min_size=1, max_size=3))
def test_any_text_gets_points(examiner: Examiner, question: str, passages: list[str]) -> None:
    points = examiner.examine(question, passages)
    assert len(points) == len(passages)
    assert all(-100 < point < 100 for point in points)

"""What a question asks for, by its wording."""

import pytest

from citebook.reading.answer_cues import QuestionKind, asks_for_code, kind_of, sides_of
from tests.fakes import ENGLISH


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between a belt and a gear?", ("a belt", "a gear")),
        ("How do attachments compare with actions?", ("attachments", "actions")),
        ("online vs offline evaluation - how do they differ?", ("online evaluation", "offline evaluation")),
        ("C++ vs Python for robots", ("C++ for robots", "Python for robots")),
        ("belt vs gear, which one is quieter?", ("belt", "gear")),
        ("belt versus gear", ("belt", "gear")),
        ("How do belts wear?", ()),
    ],
)
def test_the_sides_of_a_comparison(question: str, sides: tuple[str, ...]) -> None:
    assert sides_of(question, ENGLISH) == sides


@pytest.mark.parametrize(
    ("question", "is_code"),
    [
        ("show me an each block with an index", True),
        ("What is the command to start it?", True),
        ("Show me where this is explained.", False),
        ("Why is a belt quiet?", False),
    ],
)
def test_questions_that_only_code_answers(question: str, is_code: bool) -> None:
    assert asks_for_code(question, ENGLISH) is is_code


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why does it hum when I turn it on?", QuestionKind.WHY),
        ("How do I stop it when it hums?", QuestionKind.HOW),
        ("When was the motor invented?", QuestionKind.WHEN),
        ("Which Python version do I need?", QuestionKind.NUMBER),
        ("whats a gear", QuestionKind.DEFINITION),
    ],
)
def test_the_kind_of_a_question(question: str, kind: QuestionKind) -> None:
    assert kind_of(question, ENGLISH) is kind

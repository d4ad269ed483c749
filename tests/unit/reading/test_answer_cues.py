"""What a question asks for, by its wording."""

import pytest

from citebook.reading.answer_cues import CueFinder, QuestionKind, asks_for_code, kind_of, sides_of
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
        ("belts, chains or gears - which one is best?", ("belts", "chains", "gears")),
        ("URDF or SDF: how do they differ?", ("URDF", "SDF")),
        ("Do I need a belt or a gear?", ()),
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
        ("I'd like my motor to turn the other way", QuestionKind.HOW),
        ("Can you walk me through mounting the motor?", QuestionKind.HOW),
    ],
)
def test_the_kind_of_a_question(question: str, kind: QuestionKind) -> None:
    assert kind_of(question, ENGLISH) is kind


@pytest.mark.parametrize(
    ("sentence", "defines"),
    [
        ("A catalog is a list of versions.", True),
        ("“Catalogs” are lists of versions.", True),
        ("Such a list of versions is called a catalog (or a shelf).", True),
        ("A list with an empty range is a catalog.", True),
        ("Catalogs are defined in a file.", False),
        ("The catalog was explained in the last chapter.", False),
        ("It is a catalog entry.", False),
    ],
)
def test_what_defines_something_opens_with_it_or_names_it(sentence: str, defines: bool) -> None:
    cues = CueFinder.of("What is a catalog?", frozenset(), ENGLISH)
    assert ("definition" in cues.found_in(sentence)) is defines


def test_a_definition_says_what_something_is_and_not_how_it_is_used() -> None:
    cues = CueFinder.of("What is a catalog?", frozenset(), ENGLISH)
    assert cues.says_what_it_is("A catalog is a list of versions.")
    assert not cues.says_what_it_is("A catalog is used by all packages.")

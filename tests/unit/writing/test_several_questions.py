"""Questions that are asked in one breath."""

import pytest

from citebook.writing.several_questions import questions_in
from tests.fakes import ENGLISH


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is a lidar? How far does a radar see?", ["What is a lidar", "How far does a radar see?"]),
        ("What is a lidar and how much does a radar cost?", ["What is a lidar", "how much does a radar cost?"]),
        (
            "What is gimbal lock, at which angle does it happen, and which representation avoids it?",
            [
                "What is gimbal lock",
                "at which angle does it happen (gimbal lock)",
                "which representation avoids it (gimbal lock)?",
            ],
        ),
        (
            "Give me the Hardy-Weinberg equation and tell me what assumptions it needs.",
            [
                "Give me the Hardy-Weinberg equation",
                "tell me what assumptions it needs (hardy-weinberg equation).",
            ],
        ),
        (
            "In the first lab, how many nodes run and why is one of them restarted?",
            [
                "In the first lab, how many nodes run",
                "In the first lab (nodes run), why is one of them restarted?",
            ],
        ),
        (
            "I move to Jest 30: what is the lowest Node version, and what replaced jest --init?",
            ["I move to Jest 30: what is the lowest Node version", "what replaced jest --init?"],
        ),
        (
            "What is groupthink and which psychologist coined the term?",
            ["What is groupthink", "which psychologist coined the term (groupthink)?"],
        ),
    ],
)
def test_each_is_made_whole_by_those_before_it(text: str, parts: list[str]) -> None:
    assert [part.lower() for part in questions_in(text, ENGLISH)] == [part.lower() for part in parts]


@pytest.mark.parametrize(
    "text",
    [
        "What is the difference between a lidar and a radar?",
        "How do I install and start the simulator?",
        "In the navigation lab, how do I make a map and save it?",
        "My camera reads odd depths, what are the steps to calibrate it?",
        "I finished the map, how do I save it?",
        "Which gear has no backlash?\nBelts have backlash. What is more, they stretch.",
        "?",
        "",
        "what is a lidar? " * 40,
    ],
)
def test_one_question_stays_as_it_is(text: str) -> None:
    assert questions_in(text, ENGLISH) == [text]

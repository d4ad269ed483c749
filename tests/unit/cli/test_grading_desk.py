"""Grading at a terminal."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from citebook.cli.grading_desk import GradingDesk, Terminal
from citebook.evals.grades import Grade, Grades
from citebook.evals.judging_run import JudgedAnswer
from tests.graded_answers import answered, refusal

FIRST, SECOND, REFUSED = answered(id="1"), answered(id="2"), refusal(id="3")


class Desk:
    """A desk whose grader presses these keys; what follows `n` is the note."""

    def __init__(self, path: Path, *keys: str, width: int = 120, blind: bool = False) -> None:
        self.path, self._keys = path, iter(keys)
        self._out = StringIO()
        console = Console(file=self._out, width=width, highlight=False)
        terminal = Terminal(console, self._key, lambda _words: next(self._keys))
        self._desk = GradingDesk(terminal, Grades.read(path), grader="Ada", blind=blind)

    def _key(self) -> str:
        key = next(self._keys)
        if key == "Ctrl-C":
            raise KeyboardInterrupt
        if key == "Ctrl-D":
            raise EOFError
        return key

    def grade(self, *answers: JudgedAnswer) -> list[str]:
        """What stands in the file afterwards."""
        self._desk.grade(answers)
        return self.kept(*answers)

    def kept(self, *answers: JudgedAnswer) -> list[str]:
        grades = Grades.read(self.path)
        given = (grades.of(answer.id, answer.answer_hash) for answer in answers)
        return [f"{one.grade.value} {one.note}".strip() if one else "" for one in given]

    @property
    def shown(self) -> str:
        return self._out.getvalue()


MakeDesk = Callable[..., Desk]


@pytest.fixture
def desk(tmp_path: Path) -> MakeDesk:
    return lambda *keys, **options: Desk(tmp_path / "grades.jsonl", *keys, **options)


def test_one_key_is_one_grade(desk: MakeDesk) -> None:
    assert desk("a", "D", "+").grade(FIRST, SECOND, REFUSED) == ["A", "D", "R+"]


def test_a_note_goes_with_the_grade_that_follows(desk: MakeDesk) -> None:
    assert desk("n", " no example ", "b", "a").grade(FIRST, SECOND) == ["B no example", "A"]


def test_skipped_answers_stay_without_a_grade(desk: MakeDesk) -> None:
    assert desk("s", "c").grade(FIRST, SECOND) == ["", "C"]


def test_one_can_go_back_and_think_again(desk: MakeDesk) -> None:
    at = desk("n", "hm", "a", "z", "b", "q")
    assert at.grade(FIRST, SECOND) == ["B hm", ""]
    assert "1 of 2, now A" in at.shown


def test_before_the_first_there_is_nothing_to_go_back_to(desk: MakeDesk) -> None:
    assert desk("z", "z", "c", "q").grade(FIRST, SECOND) == ["C", ""]


def test_grades_that_do_not_fit_and_other_keys_do_nothing(desk: MakeDesk) -> None:
    assert desk("a", "\r", "x", "-").grade(REFUSED) == ["R-"]
    assert desk("+", "d").grade(FIRST) == ["D"]


def test_nothing_is_lost_when_the_grader_stops(desk: MakeDesk) -> None:
    stopped = desk("a", "Ctrl-C")
    with pytest.raises(KeyboardInterrupt):
        stopped.grade(FIRST, SECOND)
    assert stopped.kept(FIRST, SECOND) == ["A", ""]


def test_the_end_of_input_is_the_end_of_grading(desk: MakeDesk) -> None:
    assert desk("a", "Ctrl-D").grade(FIRST, SECOND) == ["A", ""]


def test_only_what_has_no_grade_is_asked(desk: MakeDesk) -> None:
    graded = FIRST.model_copy(update={"grade": Grade.EXCELLENT})
    at = desk("b")
    assert at.grade(graded, SECOND) == ["", "B"]
    assert "1 of 1" in at.shown


@pytest.mark.parametrize("width", [60, 140])
def test_a_grader_sees_all_that_there_is_to_judge_by(desk: MakeDesk, width: int) -> None:
    answer = answered(history=("What is a wheel?",), selected="A wheel.", answerable=False)
    at = desk("q", width=width)
    at.grade(answer)
    for words in ("Asked before: What is a wheel?", "Selected: “A wheel.”", "What is a gear?", "A wheel with teeth."):
        assert words in at.shown
    for words in ("I did not find this in the book.", "Gears › Harmonic drives", "Confidence: high (0.90)"):
        assert words in at.shown


def test_a_blind_grader_does_not_see_the_confidence(desk: MakeDesk) -> None:
    at = desk("q", blind=True)
    at.grade(FIRST)
    assert "onfidence" not in at.shown

"""Grades answers at a terminal: one key a grade, each saved before the next answer is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from citebook.cli.grading_view import print_for_grading
from citebook.evals.grades import Grade, Grades, grades_for
from citebook.evals.judging_run import JudgedAnswer

_KEYS = {
    "a": Grade.EXCELLENT,
    "b": Grade.USEFUL,
    "c": Grade.POOR,
    "d": Grade.WRONG,
    "+": Grade.RIGHT_REFUSAL,
    "-": Grade.WRONG_REFUSAL,
}


@dataclass(frozen=True, slots=True)
class Terminal:
    console: Console
    read_key: Callable[[], str]
    """One key, without Enter."""
    read_line: Callable[[str], str]
    """A line, after these words."""


class GradingDesk:
    def __init__(self, terminal: Terminal, grades: Grades, *, grader: str, blind: bool) -> None:
        self._terminal, self._grades, self._grader, self._blind = terminal, grades, grader, blind

    def grade(self, answers: Sequence[JudgedAnswer]) -> None:
        """Asks for those that have no grade yet, until all are through or the grader has had enough."""
        asked = [answer for answer in answers if answer.grade is None]
        position = 0
        while position < len(asked):
            try:
                step = self._turn(asked[position], f"{position + 1} of {len(asked)}")
            except EOFError:  # Ctrl-D, or the terminal is gone
                return
            if step is None:
                return
            position = max(0, position + step)

    def _turn(self, answer: JudgedAnswer, progress: str) -> int | None:
        """How many answers to go on: one, back by one, or None to stop."""
        console = self._terminal.console
        console.clear()
        print_for_grading(console, answer, blind=self._blind)
        given = self._grades.of(answer.id, answer.answer_hash)
        note = given.note if given else ""
        while True:
            now = f", now {given.grade.value}" if given else ""
            console.print(Text(f"{progress}{now}: {_keys_of(answer)}", "dim"))
            match self._terminal.read_key().lower():
                case "q":
                    return None
                case "s":
                    return 1
                case "z":
                    return -1
                case "n":
                    note = self._terminal.read_line("Note: ").strip()
                case key if _KEYS.get(key) in grades_for(answer.outcome):
                    self._grades.give(answer.id, answer.answer_hash, _KEYS[key], note, self._grader)
                    return 1


def _keys_of(answer: JudgedAnswer) -> str:
    fitting = grades_for(answer.outcome)
    grades = [f"{key} {grade.in_words.partition(':')[0]}" for key, grade in _KEYS.items() if grade in fitting]
    return " | ".join([*grades, "n note", "s skip", "z back", "q quit"])

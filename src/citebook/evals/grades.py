"""Grades that people give to answers, kept in a file that lives on when answers change."""

from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from citebook.domain.answer import Outcome
from citebook.domain.book import Sha256
from citebook.domain.errors import InvalidQuestionSet
from citebook.whole_files import write_whole


class Grade(StrEnum):
    EXCELLENT = "A"
    USEFUL = "B"
    POOR = "C"
    WRONG = "D"
    RIGHT_REFUSAL = "R+"
    WRONG_REFUSAL = "R-"

    @property
    def in_words(self) -> str:
        return _IN_WORDS[self]

    @property
    def is_good(self) -> bool:
        return self in (Grade.EXCELLENT, Grade.USEFUL, Grade.RIGHT_REFUSAL)

    @property
    def rank(self) -> int:
        """Which of two grades is better. To refuse wrongly misleads nobody, so it is no worse than a poor answer."""
        return _RANKS[self]


_IN_WORDS = {
    Grade.EXCELLENT: "excellent",
    Grade.USEFUL: "useful but flawed",
    Grade.POOR: "poor: off topic, misleading or incomplete",
    Grade.WRONG: "wrong",
    Grade.RIGHT_REFUSAL: "rightly refused",
    Grade.WRONG_REFUSAL: "wrongly refused",
}
_RANKS = {
    Grade.EXCELLENT: 3,
    Grade.RIGHT_REFUSAL: 3,
    Grade.USEFUL: 2,
    Grade.POOR: 1,
    Grade.WRONG_REFUSAL: 1,
    Grade.WRONG: 0,
}
_OF_REFUSALS = (Grade.RIGHT_REFUSAL, Grade.WRONG_REFUSAL)


def grades_for(outcome: Outcome) -> tuple[Grade, ...]:
    """Those that such an answer can get."""
    if outcome is Outcome.REFUSED:
        return _OF_REFUSALS
    return tuple(grade for grade in Grade if grade not in _OF_REFUSALS)


class GivenGrade(BaseModel):
    """A line of the file: what somebody thought of one answer to one question."""

    model_config = ConfigDict(frozen=True)

    id: str
    answer_hash: Sha256
    grade: Grade
    note: str = ""
    grader: str = ""
    graded_at: datetime | None = None


_Key = tuple[str, str]


class Grades:
    """All grades of a file. Each that is given is on the disk before the call returns.

    An answer is known by its question's id and the hash of what it says: one that did not change keeps its grade.
    """

    def __init__(self, path: Path, given: dict[_Key, GivenGrade] | None = None) -> None:
        self._path, self._given = path, given or {}

    @classmethod
    def read(cls, path: Path) -> Self:
        """A file that is not there yet has no grades. Of two lines for one answer the later holds."""
        return cls(path, {(given.id, given.answer_hash): given for given in _lines_of(path)})

    def of(self, question_id: str, answer_hash: str) -> GivenGrade | None:
        return self._given.get((question_id, answer_hash))

    def give(self, question_id: str, answer_hash: str, grade: Grade, note: str = "", grader: str = "") -> None:
        now = datetime.now(UTC).replace(microsecond=0)
        self._given[question_id, answer_hash] = GivenGrade(
            id=question_id, answer_hash=answer_hash, grade=grade, note=note, grader=grader, graded_at=now
        )
        self._save()

    def _save(self) -> None:
        lines = (given.model_dump_json() for given in self._given.values())
        write_whole(self._path, "".join(f"{line}\n" for line in lines))


def _lines_of(path: Path) -> Iterator[GivenGrade]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidQuestionSet(f"{path} cannot be read: {reason}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _line(path, number, line)


def _line(path: Path, number: int, line: str) -> GivenGrade:
    try:
        return GivenGrade.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise InvalidQuestionSet(f"{path}, line {number}: {field}: {first['msg']}") from None

"""Answers to the questions of bench/graded that people have graded: their signals and grades, without their texts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from bench.fitting import ROOT
from citebook.confidence.signals import Signals

FILE = ROOT / "bench" / "labels" / "answers.jsonl"
_GOOD = frozenset({"A", "B"})


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """What was answered to a question while nothing was refused."""

    id: str
    book: str
    kind: str
    split: str
    answer: str
    """A hash of its text: a grade holds for these words only."""
    evidence: Signals
    signals: Signals
    """Of the answer; none where it is no answer of the usual way, such as a greeting or the outline's."""
    grade: str

    @property
    def is_good(self) -> bool:
        return self.grade in _GOOD

    @property
    def is_usual(self) -> bool:
        return bool(self.evidence) and "own_estimate" in self.signals


def hash_of_answer(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def read_graded_answers(file: Path = FILE) -> Iterator[GradedAnswer]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield GradedAnswer(**json.loads(line))


def write_graded_answers(answers: Sequence[GradedAnswer], file: Path = FILE) -> None:
    lines = (json.dumps(asdict(answer), ensure_ascii=False) for answer in answers)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

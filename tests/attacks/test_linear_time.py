"""Slow regular expressions: four times the question, or the model's words, takes about four times the time (row 17).

Pages have tests of their own: tests/unit/ingestion/test_linear_reading.py.
"""

from collections.abc import Callable
from contextlib import suppress
from time import process_time
from typing import Any

import pytest

from citebook.agents.query_router import route_by_rule
from citebook.domain.errors import CitebookError
from citebook.domain.question import Policy, Question, TextRule
from citebook.language.languages import language_of
from citebook.proving.plain_claims import plain_claim
from citebook.records.personal_data import PersonalData
from citebook.writing.answer_lines import AnswerLines

LENGTH = 8_000
MOST = 10.0
"""Where time grows with the square of the length it is 16 times as much; what is less is noise."""
_TRIES = 3
ENGLISH = language_of("en")
LONG = Policy(question=TextRule(max_characters=None))
UNITS = ["a", "<", "a@", "a@a.", "1", "_", "(", "[", "![](", "a.", "“", "www.", "what is ", "é", "\u200b"]


def read_lines(text: str) -> Any:
    lines = AnswerLines()
    return [*lines.feed(text), *lines.end()]


READERS: dict[str, Callable[[str], Any]] = {
    "a question's route": lambda text: route_by_rule(Question(text=text, policy=LONG), ENGLISH),
    "personal data": lambda text: list(PersonalData("refuse").find(text)),
    "sentences": lambda text: list(ENGLISH.sentence_spans(text)),
    "a model's lines": read_lines,
    "a model's claim": lambda text: plain_claim(text, text[:200]),
}


def seconds(read: Callable[[str], Any], text: str) -> float:
    started = process_time()
    with suppress(CitebookError):
        read(text)
    return process_time() - started


@pytest.mark.parametrize("name", READERS)
def test_the_time_to_read_grows_with_the_length(name: str) -> None:
    read = READERS[name]
    seconds(read, "Warm.")
    for unit in UNITS:
        short, long = ((unit * (length // len(unit) + 1))[:length] for length in (LENGTH, 4 * LENGTH))
        before = max(seconds(read, short), 0.02)
        assert min(seconds(read, long) for _ in range(_TRIES)) / before < MOST, repr(unit)

"""The one rule of every value."""

from collections.abc import Iterator

from citebook.domain.answer import Answer
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Question
from citebook.domain.value import Value


def _below(kind: type[Value]) -> Iterator[type[Value]]:
    for below in kind.__subclasses__():
        yield below
        yield from _below(below)


def test_no_value_can_be_changed() -> None:
    values = set(_below(Value))
    assert {Answer, QueryResult, Question, RetrievedChunk} <= values
    assert [value.__name__ for value in values if not value.model_config.get("frozen")] == []

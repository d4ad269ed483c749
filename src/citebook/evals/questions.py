"""Labelled questions about a book, read from JSON Lines."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from citebook.domain.errors import InvalidQuestionSet

GoldLevel = Literal["file", "section", "paragraph", "excerpt"]


class LabelledQuestion(BaseModel):
    """A question with its right place in the book. Fields that only some sets have are kept for `--where`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    question: str
    id: str = ""
    answerable: bool = True
    gold_file: str | None = None
    gold_heading: str | None = None
    gold_level: GoldLevel = "file"
    gold_section_or_paragraph: str | None = None
    gold_all: tuple[dict[str, Any], ...] = ()
    answers: tuple[str, ...] = ()
    split: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _absent_lists_are_empty(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {name: value for name, value in data.items() if value is not None}
        return data


def read_questions(path: Path, where: Sequence[str] = ()) -> list[LabelledQuestion]:
    """The questions of a file that meet all conditions, such as `split=test` or `form=question`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuestionSet(f"{path} cannot be read: {error}") from None
    conditions = [_condition(text) for text in where]
    questions = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        question = _question(path, number, line)
        row = question.model_dump()
        if all(str(row.get(name)).lower() == value for name, value in conditions):
            questions.append(question)
    if not questions:
        raise InvalidQuestionSet(f"{path} has no question that meets: {', '.join(where) or 'any condition'}")
    return questions


def _question(path: Path, number: int, line: str) -> LabelledQuestion:
    try:
        return LabelledQuestion.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise InvalidQuestionSet(f"{path}, line {number}: not JSON ({error.msg})") from None
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise InvalidQuestionSet(f"{path}, line {number}: {field}: {first['msg']}") from None


def _condition(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InvalidQuestionSet(f"--where {text}: write it as FIELD=VALUE, such as split=test")
    return name.strip(), value.strip().lower()

"""Labelled questions about a book, read from JSON Lines."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from citebook.domain.book import DEFAULT_LANGUAGE, LanguageCode
from citebook.domain.errors import InvalidQuestionSet
from citebook.language.languages import Language, language_of

GoldLevel = Literal["file", "section", "paragraph", "excerpt"]

GROUPING_FIELDS = ("kind", "style", "type", "form", "split")
"""Fields by which figures are also given apart, where the questions have them."""


class PassageEnds(BaseModel):
    """A passage of the gold page, by its first and its last words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    begins: str = Field(min_length=1)
    ends: str = Field(min_length=1)


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
    supporting_sentences: tuple[str, ...] = ()
    good_answer_holds: str = ""
    """What a person looks for in the answer."""
    gold: tuple[str, ...] = ()
    """Where it stands, in the other form of the label: files, each with a heading or its id after `#`."""
    history: tuple[str, ...] = ()
    """What the reader asked before, in the same conversation."""
    selected: str | PassageEnds | None = None
    """What the reader selected on the page."""
    split: str | None = None
    language: LanguageCode = DEFAULT_LANGUAGE
    where_from: str = Field(default="", exclude=True)
    """File and line, for messages."""

    @model_validator(mode="before")
    @classmethod
    def _absent_lists_are_empty(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return {name: value for name, value in data.items() if value is not None}
        return data

    @model_validator(mode="before")
    @classmethod
    def _the_first_gold_names_the_file(cls, data: Any) -> Any:
        if isinstance(data, dict) and "gold_file" not in data and (places := data.get("gold")):
            return {**data, "gold_file": _file_of(str(places[0]))}
        return data

    @property
    def gold_files(self) -> tuple[str, ...]:
        """The files of which each has the answer."""
        files = tuple(dict.fromkeys(map(_file_of, self.gold)))
        return files or ((self.gold_file,) if self.gold_file else ())

    @property
    def labels(self) -> dict[str, str]:
        """By what the question may be grouped."""
        row = self.model_dump()
        return {name: str(row[name]) for name in GROUPING_FIELDS if row.get(name) is not None}

    @property
    def spoken(self) -> Language:
        """The language that question and gold are in."""
        return language_of(self.language)

    @property
    def has_gold_place(self) -> bool:
        return bool(self.gold_file or self.gold_all)


def _file_of(gold: str) -> str:
    return gold.partition("#")[0]


def read_questions(path: Path | Sequence[Path], where: Sequence[str] = ()) -> list[LabelledQuestion]:
    """The questions of one or several files that meet all conditions, such as `split=test` or `kind=near,far`."""
    paths = [path] if isinstance(path, Path) else list(path)
    conditions = [_condition(text) for text in where]
    questions = [
        question for file in paths for question in _questions_of(file) if _meets(question.model_dump(), conditions)
    ]
    if not questions:
        names = ", ".join(map(str, paths))
        have = "have" if len(paths) > 1 else "has"
        condition = f" that meets {' and '.join(where)}" if where else ""
        raise InvalidQuestionSet(f"{names} {have} no question{condition}")
    return questions


def _questions_of(path: Path) -> list[LabelledQuestion]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidQuestionSet(f"{path} cannot be read: {reason}") from None
    return [_question(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def _question(path: Path, number: int, line: str) -> LabelledQuestion:
    try:
        row = json.loads(line)
        if isinstance(row, dict):
            row["where_from"] = f"{path.name}:{number}"
        return LabelledQuestion.model_validate(row)
    except json.JSONDecodeError as error:
        raise InvalidQuestionSet(f"{path}, line {number}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InvalidQuestionSet(f"{path}, line {number}: nested too deeply") from None
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise InvalidQuestionSet(f"{path}, line {number}: {field}: {first['msg']}") from None


def _condition(text: str) -> tuple[str, frozenset[str]]:
    name, separator, values = text.partition("=")
    if not separator or not name.strip():
        raise InvalidQuestionSet(f"--where {text}: write it as FIELD=VALUE, such as split=test")
    return name.strip(), frozenset(value.strip().lower() for value in values.split(","))


def _meets(row: dict[str, Any], conditions: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """A field that is not there has the value `none`."""
    return all(str(row.get(name)).lower() in values for name, values in conditions)

"""Results of a measurement as a file: written whole or not at all, and checked when it is read back."""

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals import answer_figures, graded_figures, retrieval_run
from citebook.evals.answers_run import AnswerResult
from citebook.evals.judging_run import JudgedAnswer
from citebook.evals.retrieval_run import QuestionResult
from citebook.whole_files import write_whole


class _Run(BaseModel):
    """One measurement of one book: what was measured, with what, and when."""

    model_config = ConfigDict(frozen=True)

    name: str
    made_at: datetime
    citebook: str
    """Version."""
    embedder: str
    missing_golds: list[str] = Field(default_factory=list)
    """Labels that name a place which the book does not have."""


class AnswersRun(_Run):
    measured: Literal["answers"] = "answers"
    results: list[AnswerResult] = Field(min_length=1)

    def summary(self) -> dict[str, Any]:
        return answer_figures.summarise(self.results)


class RetrievalRun(_Run):
    measured: Literal["retrieval"] = "retrieval"
    results: list[QuestionResult] = Field(min_length=1)

    def summary(self) -> dict[str, Any]:
        return retrieval_run.summarise(self.results)


class JudgedRun(_Run):
    measured: Literal["judge"] = "judge"
    results: list[JudgedAnswer] = Field(min_length=1)

    def summary(self) -> dict[str, Any]:
        return graded_figures.summarise(self.results)


MeasuredRun = AnswersRun | RetrievalRun
"""What is judged by its labels alone."""
Run = MeasuredRun | JudgedRun
_ANY_RUN: TypeAdapter[Run] = TypeAdapter(Annotated[Run, Field(discriminator="measured")])


def run_as_json(run: Run, summary: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Figures first, then every question."""
    return {**run.model_dump(mode="json", exclude={"results"}), **summary, **more, **_results_of(run)}


def _results_of(run: Run) -> dict[str, Any]:
    return run.model_dump(mode="json", include={"results"})


def read_run(path: Path) -> Run:
    """Only the questions' results are taken; figures are worked out from them again."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidQuestionSet(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InvalidQuestionSet(f"{path} is damaged: it is not JSON") from None
    if not isinstance(data, dict) or "results" not in data:
        raise InvalidQuestionSet(f"{path} was not written by `citebook eval … --json`")
    try:
        return _ANY_RUN.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "measured"
        raise InvalidQuestionSet(
            f"{path} cannot be used: {field}: {first['msg']}. It may be of another version; measure again."
        ) from None


def write_run(path: Path, run: Run, summary: dict[str, Any], **more: Any) -> None:
    write_whole(path, json.dumps(run_as_json(run, summary, **more), ensure_ascii=False, indent=1, allow_nan=False))

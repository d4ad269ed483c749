"""Judged answers and runs made by hand, for tests of figures, comparisons and reports."""

from datetime import UTC, datetime
from typing import Any

from citebook.evals.answers_run import AnswerResult
from citebook.evals.result_files import AnswersRun, RetrievalRun
from citebook.evals.retrieval_run import METRICS, QuestionResult


def judged(**changed: Any) -> AnswerResult:
    """An answerable question that was answered rightly, but for what is changed."""
    fields: dict[str, Any] = {
        "id": "q1",
        "question": "What is a gear?",
        "answerable": True,
        "golds": ["a toothed wheel"],
        "gold_place": "gears.mdx",
        "outcome": "answered",
        "answer": "A toothed wheel. [1]",
        "confidence": 0.9,
        "calibrated": True,
        "right": True,
        "contains_gold": True,
        "first_sentence_contains_gold": True,
        "citations": [citation()],
        "verbatim_citations": 1,
        "right_citations": 1,
        "claims": 1,
        "quoted_claims": 1,
        "milliseconds": 20.0,
        "first_sentence_milliseconds": 10.0,
        "tokens_input": 0,
        "tokens_output": 0,
        "model": "extractive",
    }
    fields |= changed
    return AnswerResult.model_validate({"right_by_words": fields["right"]} | fields)


def citation(**changed: Any) -> dict[str, Any]:
    fields = {"source_file": "gears.mdx", "excerpt": "A toothed wheel.", "in_gold_place": True, "right": True}
    return fields | changed


def wrong(**changed: Any) -> AnswerResult:
    """An answerable question that was answered wrongly."""
    nothing = {"right": False, "contains_gold": False, "first_sentence_contains_gold": False, "right_citations": 0}
    return judged(**({"citations": [citation(in_gold_place=False, right=False)]} | nothing | changed))


def refused(**changed: Any) -> AnswerResult:
    """An unanswerable question that was refused, unless something else is said."""
    nothing: dict[str, Any] = {"citations": [], "verbatim_citations": 0, "claims": 0, "quoted_claims": 0}
    unanswerable = {"answerable": False, "golds": [], "gold_place": None, "outcome": "refused", "right": True}
    return wrong(**({"confidence": 0.1} | unanswerable | nothing | changed))


def given_anyway(**changed: Any) -> AnswerResult:
    """An unanswerable question that was answered all the same."""
    return wrong(**({"answerable": False, "golds": [], "gold_place": None} | changed))


def found(rank: int | None, method: str = "hybrid", **changed: Any) -> QuestionResult:
    """A search whose first right result has this rank."""
    fields: dict[str, Any] = {
        "id": "q1",
        "question": "What is a gear?",
        "method": method,
        "first_rank": rank,
        "metrics": dict.fromkeys(METRICS, 1.0 / rank if rank else 0.0),
        "retrieved": [],
        "milliseconds": 5.0,
    }
    return QuestionResult.model_validate(fields | changed)


FACTS: dict[str, Any] = {
    "name": "gears",
    "made_at": datetime(2030, 1, 2, 3, 4, tzinfo=UTC),
    "citebook": "1.0",
    "embedder": "words",
}


def answers_run(*results: AnswerResult, **changed: Any) -> AnswersRun:
    return AnswersRun(**FACTS | {"results": list(results)} | changed)


def retrieval_run(*results: QuestionResult, **changed: Any) -> RetrievalRun:
    return RetrievalRun(**FACTS | {"results": list(results)} | changed)

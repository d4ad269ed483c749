"""Measures how well the right passages are found, by both methods together and by each alone."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.question import Filters
from citebook.evals.matching import Ranking, rank_right_results
from citebook.evals.metrics import (
    bootstrap_interval,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank_at,
    standard_error,
    wilson_interval,
)
from citebook.evals.questions import LabelledQuestion

_KEEP = 100
CONFIGURED = "hybrid"
"""The method that answers."""

METRICS: dict[str, Callable[[Ranking], float]] = {
    "recall@1": lambda ranking: recall_at(1, ranking.first),
    "recall@5": lambda ranking: recall_at(5, ranking.first),
    "recall@10": lambda ranking: recall_at(10, ranking.first),
    "mrr@10": lambda ranking: reciprocal_rank_at(10, ranking.first),
    "ndcg@10": lambda ranking: ndcg_at(10, ranking.ranks, ranking.right_results),
}


class QuestionResult(BaseModel):
    """What one method found for one question, as it is written with `--json`."""

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    labels: dict[str, str] = Field(default_factory=dict)
    method: str
    first_rank: int | None
    metrics: dict[str, float]
    retrieved: list[str]
    milliseconds: float


async def evaluate_retrieval(
    questions: Sequence[LabelledQuestion],
    methods: Mapping[str, QdrantRetrievalAgent],
    report: Callable[[int], None],
) -> list[QuestionResult]:
    results = []
    for done, question in enumerate(questions, start=1):
        for name, agent in methods.items():
            results.append(await _ask(question, name, agent))
        report(done)
    return results


async def _ask(question: LabelledQuestion, method: str, agent: QdrantRetrievalAgent) -> QuestionResult:
    started = perf_counter()
    found = (await agent.retrieve(question.question, Filters(), _KEEP)).retrieved_chunks
    elapsed = (perf_counter() - started) * 1e3
    ranking = rank_right_results(question, [retrieved.chunk for retrieved in found])
    return QuestionResult(
        id=question.id,
        question=question.question,
        labels=question.labels,
        method=method,
        first_rank=ranking.first,
        metrics={name: metric(ranking) for name, metric in METRICS.items()},
        retrieved=[f"{f.chunk.place.source_file}#{f.chunk.anchor}" for f in found[:10]],
        milliseconds=round(elapsed, 2),
    )


def summarise(results: Sequence[QuestionResult]) -> dict[str, Any]:
    """What is written with `--json`, but for every question's result."""
    by_method = group_by(results, lambda result: result.method)
    measured = {method: _measured(own) for method, own in by_method.items()}
    configured = by_method.get(CONFIGURED, [])
    return {
        "metrics": {name: value["mean"] for name, value in measured.get(CONFIGURED, {}).items()},
        "intervals": {name: value["interval"] for name, value in measured.get(CONFIGURED, {}).items()},
        "by_method": measured,
        "questions": len(next(iter(by_method.values()), [])),
        "latency_ms": {
            method: {f"p{percent}": percentile([r.milliseconds for r in own], percent) for percent in (50, 95)}
            for method, own in by_method.items()
        },
        "groups": _groups(configured),
    }


def _groups(results: Sequence[QuestionResult]) -> dict[str, dict[str, Any]]:
    """The configured search's means apart for each value of each label that has several."""
    groups: dict[str, dict[str, Any]] = {}
    for label in dict.fromkeys(label for result in results for label in result.labels):
        by_value = group_by(results, lambda result: result.labels.get(label, ""))  # noqa: B023 - called at once
        by_value.pop("", None)
        if len(by_value) > 1:
            groups[label] = {
                value: {
                    "questions": len(own),
                    "metrics": {name: round(mean([r.metrics[name] for r in own]), 4) for name in METRICS},
                }
                for value, own in sorted(by_value.items())
            }
    return groups


def group_by(
    results: Sequence[QuestionResult], key: Callable[[QuestionResult], str]
) -> dict[str, list[QuestionResult]]:
    held: dict[str, list[QuestionResult]] = {}
    for result in results:
        held.setdefault(key(result), []).append(result)
    return held


def _measured(results: Sequence[QuestionResult]) -> dict[str, dict[str, Any]]:
    measured = {}
    for name in METRICS:
        values = [result.metrics[name] for result in results]
        is_share = name.startswith("recall")
        interval = wilson_interval(round(sum(values)), len(values)) if is_share else bootstrap_interval(values, mean)
        measured[name] = {
            "mean": round(mean(values), 4),
            "standard_error": round(standard_error(values), 4),
            "interval": [round(end, 4) for end in interval] if interval else None,
        }
    return measured

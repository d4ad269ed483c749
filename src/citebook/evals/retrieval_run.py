"""Measures how well the right passages are found, by both methods together and by each alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.question import Filters
from citebook.evals.matching import Ranking, rank_right_results
from citebook.evals.metrics import mean, ndcg_at, recall_at, reciprocal_rank_at, standard_error
from citebook.evals.questions import LabelledQuestion

_KEEP = 100

METRICS: dict[str, Callable[[Ranking], float]] = {
    "recall@1": lambda ranking: recall_at(1, ranking.first),
    "recall@5": lambda ranking: recall_at(5, ranking.first),
    "recall@10": lambda ranking: recall_at(10, ranking.first),
    "mrr@10": lambda ranking: reciprocal_rank_at(10, ranking.first),
    "ndcg@10": lambda ranking: ndcg_at(10, ranking.ranks, ranking.right_results),
}


@dataclass(frozen=True, slots=True)
class QuestionResult:
    id: str
    question: str
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
        method=method,
        first_rank=ranking.first,
        metrics={name: metric(ranking) for name, metric in METRICS.items()},
        retrieved=[f"{f.chunk.place.source_file}#{f.chunk.anchor}" for f in found[:10]],
        milliseconds=round(elapsed, 2),
    )


def summarise(results: Sequence[QuestionResult]) -> dict[str, Any]:
    """What is written with `--json`: each method's means and standard errors, then every question."""
    by_method: dict[str, list[QuestionResult]] = {}
    for result in results:
        by_method.setdefault(result.method, []).append(result)
    measured = {
        method: {
            name: {
                "mean": round(mean([r.metrics[name] for r in own]), 4),
                "standard_error": round(standard_error([r.metrics[name] for r in own]), 4),
            }
            for name in METRICS
        }
        for method, own in by_method.items()
    }
    headline = {name: value["mean"] for name, value in measured.get("hybrid", {}).items()}
    return {
        "metrics": headline,
        "by_method": measured,
        "questions": len(next(iter(by_method.values()), [])),
        "results": [asdict(result) for result in results],
    }

"""Fits the weights of claim support to labelled claims: `python -m bench.fit_support --data DATA`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.fitting import evenly, file_of, is_held_out, logistic, parser_of, show, write_weights
from citebook.evals.claims_run import LabelledClaim, parts_of, read_claims
from citebook.proving.support.features import ClaimChecks
from citebook.proving.support.judging import SupportWeights, checks_of, shipped_weights

_CLAIMS = "groundedness/groundedness.jsonl"
_HELD_OUT_OF_100 = 30
_RIDGE = 0.001
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim, sentence by sentence, next to what it would have quoted."""

    checks: tuple[ClaimChecks, ...]
    is_supported: bool
    held_out: bool

    def weakest(self, weights: SupportWeights) -> ClaimChecks:
        return min(self.checks, key=weights.support)

    def support(self, weights: SupportWeights) -> float:
        return weights.support(self.weakest(weights))


def judged(claim: LabelledClaim) -> Judged:
    checks = tuple(checks_of(*part, claim.spoken) for part in parts_of(claim))
    return Judged(checks, claim.label == "supported", is_held_out(claim.context, _HELD_OUT_OF_100))


def fitted(rows: Sequence[Judged], start: SupportWeights) -> SupportWeights:
    """A claim is as strong as its weakest sentence, so which one that is and the weights are found in turn."""
    names = list(start.features)
    right = np.array([float(row.is_supported) for row in rows])
    counts = np.where(right > 0, 1 / max(1.0, right.sum()), 1 / max(1.0, (1 - right).sum()))
    weights = start
    for _ in range(_ROUNDS):
        weakest = [row.weakest(weights) for row in rows]
        values = np.array([[own.features[name] for name in names] for own in weakest])
        intercept, slopes = logistic(values, right, counts, _RIDGE)
        features = {name: round(float(slope), 2) for name, slope in zip(names, slopes, strict=True)}
        weights = SupportWeights(intercept=round(intercept, 2), features=features, proven_from=start.proven_from)
    return weights


def figures(rows: Sequence[Judged], weights: SupportWeights) -> dict[str, float]:
    right = np.array([row.support(weights) for row in rows if row.is_supported])
    wrong = np.array([row.support(weights) for row in rows if not row.is_supported])
    kept, shown = right >= weights.proven_from, wrong >= weights.proven_from
    above = (right[:, None] > wrong).mean() + 0.5 * (right[:, None] == wrong).mean()
    return {
        "AUC": float(above),
        "balanced accuracy": float((kept.mean() + 1 - shown.mean()) / 2),
        "precision": float(kept.sum() / max(1, kept.sum() + shown.sum())),
        "kept": float(kept.mean()),
    }


def main() -> None:
    options = parser_of(__doc__, "citebook/proving/support").parse_args()
    claims = evenly(read_claims(file_of(options.data, _CLAIMS), ()), options.limit)
    rows = [row for claim in claims if (row := judged(claim)).checks]
    held_out = [row for row in rows if row.held_out]
    before = shipped_weights().weights
    after = fitted([row for row in rows if not row.held_out], before)
    found = figures(held_out, after)
    show(f"{len(held_out):,} claims that were not fitted to", figures(held_out, before), found)
    print(after.model_dump_json())
    write_weights(
        options,
        after,
        module="bench.fit_support",
        fitted_to="whether a claim is labelled as supported: logistic regression over the features of its weakest "
        f"sentence, both labels of the same weight, ridge {_RIDGE}, on {100 - _HELD_OUT_OF_100} % of the contexts",
        by_hand="proven_from, for precision; which features and faults there are; see decision 0021",
        data=[_CLAIMS],
        figures=found,
        figures_on=f"{len(held_out):,} claims of the other contexts",
    )


if __name__ == "__main__":
    main()

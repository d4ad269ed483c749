"""The figures to reach, and whether a measured one does."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    figure: float
    at_most: bool = False
    above: bool = False
    """Equal is not enough."""

    def is_met_by(self, value: float) -> bool:
        if self.at_most:
            return value <= self.figure
        return value > self.figure if self.above else value >= self.figure

    def in_words(self) -> str:
        sign = "≤" if self.at_most else ">" if self.above else "≥"
        return f"{sign} {self.figure:.2f}"


TARGETS = {
    "ndcg@10": Target(0.80, above=True),
    "verbatim": Target(1.0),
    "citation_precision": Target(0.95),
    "citation_recall": Target(0.90),
    "refused_at_5_false_refusals": Target(0.95),
    "ece": Target(0.05, at_most=True),
    "right_above_0.85": Target(0.99),
    "right_0.70_to_0.85": Target(0.90),
}


def judge_figure(name: str, value: float | None) -> bool | None:
    """None where there is no target or nothing was measured."""
    target = TARGETS.get(name)
    return None if target is None or value is None else target.is_met_by(value)


def target_in_words(name: str) -> str:
    return TARGETS[name].in_words() if name in TARGETS else ""

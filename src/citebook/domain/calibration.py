"""What was measured of a set-up: how often its answers of each confidence are right."""

from bisect import bisect_right
from itertools import pairwise
from math import isfinite
from typing import Literal

from pydantic import Field, FiniteFloat, field_validator

from citebook.domain.set_up import SetUp
from citebook.domain.value import UtcTime, Value


class Curve(Value):
    """Turns the raw figure of an answer into a probability: straight lines between knots, never falling."""

    knots: tuple[tuple[float, float], ...] = Field(min_length=1)
    """Raw figure and probability, by rising raw figure."""

    @field_validator("knots")
    @classmethod
    def _never_falls(cls, knots: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if not all(isfinite(raw) and 0.0 <= probability <= 1.0 for raw, probability in knots):
            raise ValueError("knots must be finite, and their probabilities between 0 and 1")
        for (left, low), (right, high) in pairwise(knots):
            if left >= right or low > high:
                raise ValueError("knots must stand in rising order, and their probabilities must not fall")
        return knots

    def at(self, raw: float) -> float:
        position = bisect_right(self.knots, raw, key=lambda knot: knot[0])
        if position == 0:
            return self.knots[0][1]
        if position == len(self.knots):
            return self.knots[-1][1]
        (left, low), (right, high) = self.knots[position - 1], self.knots[position]
        return min(high, low + (high - low) * (raw - left) / (right - left))


AS_IT_IS = Curve(knots=((0.0, 0.0), (1.0, 1.0)))
"""No calibration: the raw figure itself."""


class Risk(Value):
    """If only answers of at least this confidence were given."""

    threshold: float = Field(ge=0.0, le=1.0)
    answered: float = Field(ge=0.0, le=1.0)
    """Share of the answers that were seen."""
    wrong: float = Field(ge=0.0, le=1.0)
    """Share of the answers that would still be given."""


class Calibration(Value):
    """The curve of one set-up, and what it was made of."""

    version: Literal[1] = 1
    embedder: str
    generator: str
    curve: Curve
    risks: tuple[Risk, ...]
    """By rising threshold."""
    questions: int = Field(ge=1)
    made_at: UtcTime
    set_up: SetUp | None = None
    """What it was measured with; None in files that were made before this was noted."""

    def differences(self, in_use: SetUp) -> tuple[str, ...]:
        """Why the curve need not hold for a set-up; none where it is the one that was measured."""
        if self.set_up is None:
            return ("it was made before calibrations noted what they were measured with",)
        return in_use.differences(self.set_up)

    def is_for(self, embedder: str, generator: str) -> bool:
        return (self.embedder, self.generator) == (embedder, generator)

    def least_confidence(self, tolerated: float) -> Risk | None:
        """The lowest threshold at which no more than this share of the given answers was wrong."""
        return next((risk for risk in self.risks if risk.wrong <= tolerated), None)

    @property
    def least_wrong(self) -> float:
        return min((risk.wrong for risk in self.risks), default=1.0)


Weights = dict[str, FiniteFloat]
"""How much each signal counts, and the intercept."""


class ConfidenceWeights(Value):
    """Weights of the signals, by embedder and by generator."""

    retrieval: dict[str, Weights] = Field(min_length=1)
    examined: dict[str, Weights] = Field(default_factory=dict)
    """The same for passages that an examiner has read together with the question."""
    words_only: Weights
    generation: dict[str, Weights]
    """`any` is for generators without an estimate of their own."""


class ShippedCalibrations(Value):
    """What was measured before the package was made."""

    calibrations: tuple[Calibration, ...] = Field(min_length=1)

"""How strongly quoted sentences support a claim in other words."""

from functools import cache
from math import exp

from pydantic import Field, FiniteFloat

from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import Language
from citebook.proving.placing.in_place import Surroundings, is_in_place
from citebook.proving.support.checked_text import CheckedText
from citebook.proving.support.features import ClaimChecks, compare


class SupportWeights(Value):
    intercept: FiniteFloat
    features: dict[str, FiniteFloat]
    """What each feature of `compare` counts."""
    proven_from: float = Field(ge=0.5, le=1)
    """Support from which a claim counts as proven. One without a fault has at least this."""

    def support(self, checks: ClaimChecks) -> float:
        total = self.intercept + sum(self.features[name] * value for name, value in checks.features.items())
        strength = 1.0 / (1.0 + exp(-total))
        return strength / 2 if checks.faults else max(strength, self.proven_from)


@cache
def shipped_weights() -> Fitted[SupportWeights]:
    return Fitted[SupportWeights].of("citebook.proving.support")


def proven_from() -> float:
    return shipped_weights().weights.proven_from


def support(claim: str, quoted: str, around: Surroundings, language: Language) -> float:
    """Between 0 and 1; at most 0.5 wherever a check finds a fault. Time grows with the length of the texts."""
    return shipped_weights().weights.support(checks_of(claim, quoted, around, language))


def checks_of(claim: str, quoted: str, around: Surroundings, language: Language) -> ClaimChecks:
    ours, quote, source = (CheckedText(text, language) for text in (claim, quoted, f"{around.text}\n{quoted}"))
    return compare(ours, quote, source, in_place=is_in_place(claim, quoted, around, language))

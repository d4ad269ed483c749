"""How strongly quoted sentences support a claim in other words."""

from functools import cache
from math import exp

from pydantic import Field, FiniteFloat

from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import Language
from citebook.proving.support.checked_text import CheckedText
from citebook.proving.support.features import ClaimChecks, compare


class SupportWeights(Value):
    intercept: FiniteFloat
    features: dict[str, FiniteFloat]
    """What each feature of `compare` counts."""
    proven_from: float = Field(ge=0.5, le=1)
    """Support from which a claim counts as proven: chosen for precision, so that some right claims are dropped."""

    def support(self, checks: ClaimChecks) -> float:
        total = self.intercept + sum(self.features[name] * value for name, value in checks.features.items())
        strength = 1.0 / (1.0 + exp(-total))
        return strength / 2 if checks.faults else strength


@cache
def shipped_weights() -> Fitted[SupportWeights]:
    return Fitted[SupportWeights].of("citebook.proving.support")


def proven_from() -> float:
    return shipped_weights().weights.proven_from


def support(claim: str, quoted: str, context: str, language: Language) -> float:
    """Between 0 and 1; below 0.5 wherever one of the checks finds a fault. Time grows with the length of the texts.

    `context` is what stands around the quote: headings say what it is about, neighbours what "it" is.
    """
    return shipped_weights().weights.support(checks_of(claim, quoted, context, language))


def checks_of(claim: str, quoted: str, context: str, language: Language) -> ClaimChecks:
    ours, quote, source = (CheckedText(text, language) for text in (claim, quoted, f"{context}\n{quoted}"))
    return compare(ours, quote, source)

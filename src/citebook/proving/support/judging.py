"""How strongly quoted sentences support a claim in other words."""

import json
from functools import cache
from importlib.resources import files
from math import exp

from citebook.proving.support.checked_text import CheckedText
from citebook.proving.support.features import compare

PROVEN_FROM = 0.6
"""Support from which a claim counts as proven: chosen for precision, so that some right claims are dropped."""


def support(claim: str, quoted: str, context: str) -> float:
    """Between 0 and 1; below 0.5 wherever one of the checks finds a fault. Time grows with the length of the texts.

    `context` is what stands around the quote: headings say what it is about, neighbours what "it" is.
    """
    quote = CheckedText(quoted)
    found = compare(CheckedText(claim), quote, CheckedText(f"{context}\n{quoted}"))
    weights = _weights()
    total = weights["intercept"] + sum(weights[name] * value for name, value in found.features.items())
    strength = 1.0 / (1.0 + exp(-total))
    return strength / 2 if found.faults else strength


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads((files("citebook.agents.support") / "weights.json").read_text())
    return weights

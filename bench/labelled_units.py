"""Questions to books of which we know the passages that answer: each known by a fingerprint, not by its text."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from bench.fitting import ROOT

FILE = ROOT / "bench" / "labels" / "units.jsonl"
_WORDS = 3
_DIGITS = 6
_ONE_IN = 2
"""Of so many runs of words one is kept."""
_MOST = 0.6
_MUCH = 0.4
_WHOLE = 0.8
_LONG_ENOUGH = 8
"""Runs that a part of a passage must have to count for it."""

Fingerprint = str
"""Hashes of runs of three words, one after the other."""


@dataclass(frozen=True, slots=True)
class LabelledUnits:
    """A question as it is searched for, with the passages that answer it best, and those that help."""

    id: str
    book: str
    kind: str
    split: str
    searched: str
    best: Sequence[Fingerprint]
    useful: Sequence[Fingerprint]

    def rightness(self, text: str) -> float:
        """1 for one of the best, 0.5 for one that helps, less for a part of them, 0 for all others."""
        of_best = max((_sameness(text, known) for known in self.best), default=0.0)
        return max(of_best, *(0.5 * _sameness(text, known) for known in self.useful), 0.0)


def read_labelled_units(file: Path = FILE) -> Iterator[LabelledUnits]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield LabelledUnits(**json.loads(line))


def fingerprint(text: str) -> Fingerprint:
    return "".join(sorted(_runs(text)))


def _runs(text: str) -> set[str]:
    """At least one, however short the text is."""
    words = re.findall(r"\w+", text.lower())
    hashes = sorted(
        blake2b(" ".join(words[at : at + _WORDS]).encode(), digest_size=_DIGITS // 2).hexdigest()
        for at in range(max(1, len(words) - _WORDS + 1))
    )
    return {run for run in hashes if int(run, 16) % _ONE_IN == 0} or {hashes[0]}


def _sameness(text: str, known: Fingerprint) -> float:
    """How far the text is what was labelled: all of it, a part of it, or more than it."""
    own, labelled = _runs(text), {known[at : at + _DIGITS] for at in range(0, len(known), _DIGITS)}
    shared = len(own & labelled)
    of_own, of_labelled = shared / len(own), shared / len(labelled)
    if of_own >= _MOST and of_labelled >= _MUCH:
        return 1.0
    if of_labelled >= _WHOLE:
        return 0.9
    return 0.75 if of_own >= _WHOLE and len(own) >= _LONG_ENOUGH else 0.0

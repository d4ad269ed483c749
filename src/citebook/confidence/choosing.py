"""Which calibration the confidence of a set-up goes by, and whether it was measured with that set-up."""

from dataclasses import dataclass
from functools import cache

from citebook.confidence.model import shipped_calibrations, shipped_weights
from citebook.domain.calibration import Calibration
from citebook.domain.set_up import SetUp
from citebook.proving.support import judging
from citebook.reading import sentence_scoring, unit_scoring
from citebook.searching import ranking


@dataclass(frozen=True, slots=True)
class ChosenCalibration:
    calibration: Calibration
    is_own: bool
    """Made by this book's operator; else it came with the package."""
    differences: tuple[str, ...]
    """In which parts the set-up is another than the one that was measured. Where there are any, it is a guess."""

    @property
    def holds(self) -> bool:
        return not self.differences


def choose(in_use: SetUp, own: Calibration | None) -> ChosenCalibration:
    """The first that was measured with this set-up; else the best guess: the book's own, or the same models'."""
    shipped = shipped_calibrations().calibrations
    alike = sorted(shipped, key=lambda one: not one.is_for(in_use.embedder, in_use.generator))
    ours = [] if own is None else [ChosenCalibration(own, True, own.differences(in_use))]
    candidates = [*ours, *(ChosenCalibration(one, False, one.differences(in_use)) for one in alike)]
    return next((chosen for chosen in candidates if chosen.holds), candidates[0])


@cache
def weights_in_use() -> dict[str, str]:
    """The hashes of all weights that an answer and its confidence depend on."""
    return {
        "searching": ranking.shipped_weights().sha256,
        "reading": sentence_scoring.shipped_weights().sha256,
        "units": unit_scoring.shipped_weights().sha256,
        "proving": judging.shipped_weights().sha256,
        "confidence": shipped_weights().sha256,
    }

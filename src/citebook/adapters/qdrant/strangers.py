"""How like the units of an edition in the making are to given vectors."""

from collections.abc import Sequence

import numpy as np

from citebook.ports import Vector, Vectors


class NearestUnits:
    """Keeps the largest cosine of any unit to each of a few vectors."""

    def __init__(self, strangers: Sequence[Vector]) -> None:
        self._strangers = np.stack(strangers) if strangers else None
        self._best = np.full(len(strangers), -1.0)

    def see(self, units: Vectors) -> None:
        if self._strangers is not None and units.size:
            np.maximum(self._best, (self._strangers @ units.T).max(axis=1), out=self._best)

    def cosines(self) -> tuple[float, ...]:
        return tuple(self._best.tolist())

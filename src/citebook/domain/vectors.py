"""Which vectors can be searched with."""

import numpy as np
import numpy.typing as npt


def are_searchable(vectors: npt.NDArray[np.float32], count: int, dimension: int) -> bool:
    """Whether there are so many of that dimension, one a row, all of them numbers and none without a direction."""
    if vectors.shape != (count, dimension):
        return False
    return bool(np.isfinite(vectors).all() and vectors.any(axis=1).all())

"""Puts texts together that are read at once."""

from collections.abc import Sequence


def batches_of(lengths: Sequence[int], most_tokens: int) -> list[list[int]]:
    """Places of texts grouped by similar length, so that little is spent on padding."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        longest = lengths[batches[-1][0]] if batches else 0
        if not batches or (len(batches[-1]) + 1) * longest > most_tokens:
            batches.append([])
        batches[-1].append(place)
    return batches

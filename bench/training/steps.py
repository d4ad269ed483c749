"""Goes downhill, step by step, until the material or the time is used up."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import torch

from bench.training.encoder import Tensor

_WARMING_UP = 60
_LEAST = 0.03
_TOLD_EVERY = 25

Batch = TypeVar("Batch")


def descend(
    parameters: Sequence[Tensor],
    batches: Iterable[Batch],
    loss_of: Callable[[Batch], Tensor],
    *,
    minutes: float,
    rate: float,
) -> None:
    """Each step goes `rate` far at most: less at first, then less and less until batches or time are used up."""
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    total = len(batches) if isinstance(batches, Sequence) else None
    started = time.monotonic()
    for step, batch in enumerate(batches):
        passed = max((time.monotonic() - started) / 60 / minutes, step / total if total else 0.0)
        if passed >= 1:
            return
        optimiser.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / _WARMING_UP) * max(_LEAST, 1 - passed)
        loss = loss_of(batch)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        if step % _TOLD_EVERY == 0:
            print(f"step {step}, {passed:.0%} done: {loss.item():.3f}", flush=True)

"""Goes downhill, step by step, until the material or the time is used up."""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

from bench.training.encoder import Encoder, Tensor

_WARMING_UP = 60
_LEAST = 0.03
_TOLD_EVERY = 25

Batch = TypeVar("Batch")


def train(
    encoder: Encoder, batches: Sequence[Batch], loss_of: Callable[[Batch], Tensor], options: argparse.Namespace
) -> None:
    """Writes the layers at the end."""
    parameters = encoder.parameters()
    optimiser = torch.optim.AdamW(parameters, lr=options.rate, weight_decay=0.01)
    encoder.is_training = True
    rates = _rates(len(batches), options.rate, options.minutes)
    for step, (rate, batch) in enumerate(zip(rates, batches, strict=False)):
        optimiser.param_groups[0]["lr"] = rate
        loss = loss_of(batch)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        if step % _TOLD_EVERY == 0:
            print(f"{step} of {len(batches)}: {loss.item():.3f}", flush=True)
    encoder.is_training = False
    encoder.write(options.out)


def _rates(total: int, highest: float, minutes: float) -> Iterator[float]:
    """How far each step goes: little at first, then less and less until the time is up."""
    started = time.monotonic()
    for step in range(total):
        passed = max(step / total, (time.monotonic() - started) / 60 / minutes)
        if passed >= 1:
            return
        yield highest * min(1.0, (step + 1) / _WARMING_UP) * max(_LEAST, 1 - passed)

"""What all commands that fit weights share: the data they name, the part they hold out, how they search and write."""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from citebook.domain.value import Value
from citebook.domain.weights import FILE_NAME, DataUsed, Origin, hash_of

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
EXAMPLES = "examples/"

Array = npt.NDArray[np.float64]
Numbers = Mapping[str, float]
Row = TypeVar("Row")


def parser_of(description: str | None, room: str) -> argparse.ArgumentParser:
    """The options of every such command; `room` is where its weights are."""
    parser = argparse.ArgumentParser(description=description)
    target = SOURCE / room / FILE_NAME
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--limit", type=int, help="at most so many rows of each set, evenly taken")
    parser.add_argument("--out", type=Path, default=target, help="file to write; that of the package unless told")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    return parser


def file_of(data: Path, name: str) -> Path:
    """A file of the data folder, or of the sample book in this repository."""
    return ROOT / name if name.startswith(EXAMPLES) else data / name


def data_used(data: Path, names: Sequence[str]) -> tuple[DataUsed, ...]:
    used = []
    for name in names:
        content = file_of(data, name).read_bytes()
        rows = sum(bool(line.strip()) for line in content.splitlines())
        used.append(DataUsed(file=name, sha256=hashlib.sha256(content).hexdigest(), rows=rows))
    return tuple(used)


def write_weights(
    options: argparse.Namespace,
    weights: Value,
    *,
    module: str,
    fitted_to: str,
    by_hand: str,
    data: Sequence[str],
    figures: Mapping[str, float],
    figures_on: str,
) -> None:
    """The file of a room, with all that its origin must tell."""
    origin = Origin(
        command=command_of(module, options),
        made_on=datetime.now(UTC).date(),
        fitted_to=fitted_to,
        by_hand=by_hand,
        data=data_used(options.data, data),
        figures={name: round(figure, 4) for name, figure in figures.items()},
        figures_on=figures_on,
        weights_sha256=hash_of(weights),
    )
    if options.dry_run:
        print("nothing written")
        return
    file = {"origin": origin.model_dump(mode="json"), "weights": weights.model_dump(mode="json")}
    options.out.write_text(json.dumps(file, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"written: {options.out}")


def command_of(module: str, options: argparse.Namespace) -> str:
    """The command that runs now, without the places of this machine."""
    names = {"data": "DATA", "indexes": "DIR", "out": "FILE", "rows": "ROWS"}
    places = {str(getattr(options, option, None)): name for option, name in names.items()}
    return " ".join(["python -m", module, *(places.get(argument, argument) for argument in sys.argv[1:])])


def show(title: str, before: Numbers, after: Numbers) -> None:
    print(f"\n{title}\n| figure | before | after |\n| --- | --- | --- |")
    for name, value in before.items():
        print(f"| {name} | {value:.4f} | {after[name]:.4f} |")


def evenly(rows: Sequence[Row], limit: int | None) -> list[Row]:
    """At most so many rows, spread over all."""
    count = len(rows) if limit is None else min(limit, len(rows))
    return [rows[number * len(rows) // count] for number in range(count)]


def is_held_out(key: str, of_100: int) -> bool:
    """Always the same share of all keys."""
    digest = hashlib.sha256(key.encode()).digest()
    return int.from_bytes(digest[:4]) % 100 < of_100


def search_by_coordinates(
    start: Numbers, tried: Mapping[str, Sequence[float]], judge: Callable[[Numbers], float], rounds: int = 3
) -> dict[str, float]:
    """Changes one number at a time to the best of those tried, until a whole round changes nothing."""
    best, best_figure = dict(start), judge(start)
    for _ in range(rounds):
        before = dict(best)
        for name, values in tried.items():
            for value in values:
                figure = judge({**best, name: value})
                if figure > best_figure + 1e-9:
                    best, best_figure = {**best, name: value}, figure
        print(f"  {best_figure:.4f} with { ({name: best[name] for name in tried}) }", flush=True)
        if best == before:
            break
    return best


def logistic(values: Array, right: Array, weights: Array, ridge: float) -> tuple[float, Array]:
    """Intercept and slopes of a logistic regression; the ridge is on standardised values."""
    weights = weights / weights.sum()
    middle = weights @ values
    spread = np.sqrt(weights @ (values - middle) ** 2) + 1e-9
    scaled = np.column_stack([np.ones(len(values)), (values - middle) / spread])
    found = newton(scaled, right, weights, ridge)
    slopes = found[1:] / spread
    return float(found[0] - slopes @ middle), slopes


def newton(values: Array, right: Array, weights: Array, ridge: float) -> Array:
    """The first column is that of the intercept, which is not held back."""
    penalty = np.full(values.shape[1], ridge)
    penalty[0] = 1e-9
    found: Array = np.zeros(values.shape[1])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-np.clip(values @ found, -50, 50)))
        slope = values.T @ (weights * (likely - right)) + penalty * found
        bend = (values * (weights * likely * (1 - likely))[:, None]).T @ values + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found = found - step
        if np.abs(step).max() < 1e-9:
            break
    return found

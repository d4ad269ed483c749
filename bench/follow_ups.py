"""How much of what human rewriters add to follow-ups is recovered, and what that does for the search."""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from citebook.domain.conversation import Exchange
from citebook.domain.question import Filters, Question
from citebook.language.languages import language_of
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from citebook.writing.follow_ups import stand_alone

_OWN_FOLLOW_UPS = Path("examples/physical-ai/follow-ups.jsonl")
_EXCHANGES = 5

Rewriting = Callable[[str, Sequence[Exchange]], str]


def as_asked(text: str, history: Sequence[Exchange]) -> str:  # noqa: ARG001
    return text


_ENGLISH = language_of("en")

METHODS: dict[str, Rewriting] = {"as asked": as_asked, "made to stand alone": partial(stand_alone, language=_ENGLISH)}


def exchanges_of(row: dict[str, Any]) -> tuple[Exchange, ...]:
    """CANARD's history is a title, a heading, then questions and answers in turn; CAsT's has questions only."""
    said = row["history"]
    if row["source"] == "CANARD":
        pairs = zip(said[::2], said[1::2], strict=False)
    else:
        pairs = zip(said, [""] * len(said), strict=True)
    return tuple(Exchange(question=question, answer=answer) for question, answer in pairs)[-_EXCHANGES:]


def measure_rewrites(rows: Sequence[dict[str, Any]], rewrite: Rewriting) -> tuple[float, float, float]:
    """Share of the added words that were recovered, other words added, share of stand-alone questions changed."""
    recovered, others, changed = [], [], []
    for row in rows:
        history, own = exchanges_of(row), set(_ENGLISH.terms(row["question"]))
        added = set(_ENGLISH.terms(rewrite(row["question"], history))) - own
        if not row["needs_rewrite"]:
            changed.append(bool(added))
            continue
        said = {term for e in history for term in _ENGLISH.terms(f"{e.question} {e.answer}")}
        wanted = (set(_ENGLISH.terms(row["rewrite"])) - own) & said
        if wanted:
            recovered.append(len(wanted & added) / len(wanted))
            others.append(len(added - set(_ENGLISH.terms(row["rewrite"]))))
    return _mean(recovered), _mean(others), _mean(changed)


async def measure_search(data_dir: Path, rows: Sequence[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """R@1 and R@5 by chapter on the sample book's own follow-ups, for each method."""
    ranks: dict[str, list[int]] = {name: [] for name in METHODS}
    async with Citebook(read_settings(citebook_data_dir=data_dir)) as citebook:
        agent, search = (await citebook.ready_book()).agent, citebook.retrieval()
        for row in rows:
            history = []
            for text in row["earlier"]:
                ended = await agent.answer(Question(text=text, policy=citebook.command_line))
                history.append(Exchange(question=text, answer=ended.answer.text))
            for name, rewrite in METHODS.items():
                found = await search.retrieve(rewrite(row["question"], history), Filters(), 5)
                files = [chunk.chunk.place.source_file for chunk in found.retrieved_chunks]
                gold = row["gold_file"].removeprefix("docs/")
                ranks[name].append(files.index(gold) + 1 if gold in files else 0)
    return {name: (_mean([r == 1 for r in found]), _mean([r > 0 for r in found])) for name, found in ranks.items()}


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rewrites", type=Path, help="follow-ups with human rewrites, one JSON object a line")
    parser.add_argument("--data-dir", type=Path, help="where the sample book is ingested, to measure the search too")
    chosen = parser.parse_args()
    rows = read_rows(chosen.rewrites)
    found = asyncio.run(measure_search(chosen.data_dir, read_rows(_OWN_FOLLOW_UPS))) if chosen.data_dir else {}
    table = Table("", "added words recovered", "other words", "changed needlessly", "R@1", "R@5")
    for name, rewrite in METHODS.items():
        figures = [*measure_rewrites(rows, rewrite), *found.get(name, ())]
        table.add_row(name, *(f"{figure:.3f}" for figure in figures))
    Console().print(table)


if __name__ == "__main__":
    main()

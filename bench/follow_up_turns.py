"""How well later turns of conversations are searched, and how many whole questions are taken for follow-ups."""

import argparse
import asyncio
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.follow_ups import METHODS, read_rows
from citebook.domain.conversation import Exchange
from citebook.domain.question import Filters
from citebook.evals.metrics import mean, ndcg_at, recall_at
from citebook.language.languages import language_of
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from citebook.writing.follow_ups import is_follow_up

_EXCHANGES = 5
_MARKUP = re.compile("[#<>{}]")


@dataclass(frozen=True, slots=True)
class Turn:
    """A later question of a conversation, with the passages that hold its answer."""

    text: str
    history: tuple[Exchange, ...]
    gold: frozenset[str]
    split: str


def turns_of(rows: Sequence[dict[str, Any]]) -> Iterator[Turn]:
    """Rows as MTRAG-UN has them; conversations are split in two by the hash of their id."""
    for row in rows:
        *said, asked = row["input"]
        pairs = zip(said[::2], said[1::2], strict=True)
        history = tuple(Exchange(question=one["text"], answer=other["text"]) for one, other in pairs)
        if history and row["contexts"]:
            gold = frozenset(file_of(passage) for passage in row["contexts"])
            yield Turn(asked["text"], history[-_EXCHANGES:], gold, split_of(row["conversation_id"]))


def split_of(text: str) -> str:
    return "dev" if int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2 else "test"


def file_of(passage: dict[str, Any]) -> str:
    return f"{hashlib.sha256(passage['document_id'].encode()).hexdigest()[:16]}.md"


def write_book(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """One page for each passage that any of the conversations needs."""
    for passage in (passage for row in rows for passage in row["contexts"]):
        text = _MARKUP.sub(" ", passage["text"])
        title = (passage.get("title") or text.strip().splitlines()[0][:80]).strip()
        (folder / file_of(passage)).write_text(f"---\ntitle: {json.dumps(title)}\n---\n\n{text}\n", encoding="utf-8")


async def measure_turns(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], tuple[float, float, int]]:
    """R@5, nDCG@10 and the number of turns, by split and method."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        docs.mkdir()
        write_book(rows, docs)
        async with Citebook(read_settings(citebook_data_dir=Path(folder) / "data")) as citebook:
            await citebook.ingest.run(docs, progress=lambda _: None)
            search = citebook.retrieval()
            for turn in turns_of(rows):
                for name, rewrite in METHODS.items():
                    evidence = await search.retrieve(rewrite(turn.text, turn.history), Filters(), 10)
                    files = dict.fromkeys(chunk.chunk.place.source_file for chunk in evidence.retrieved_chunks)
                    ranks = [rank for rank, file in enumerate(files, start=1) if file in turn.gold]
                    figures = recall_at(5, min(ranks, default=None)), ndcg_at(10, ranks, len(turn.gold))
                    found.setdefault((turn.split, name), []).append(figures)
    return {key: (mean([r for r, _ in own]), mean([n for _, n in own]), len(own)) for key, own in found.items()}


def left_as_they_are(questions: Sequence[str], split: str) -> tuple[float, int]:
    """The share of whole questions that are searched as they are after a random other one, and their number."""
    english, draw = language_of("en"), random.Random(0)
    pairs = [(text, draw.choice(questions)) for text in questions]
    asked = [(text, other) for text, other in pairs if text != other and split_of(text) == split]
    kept = [not is_follow_up(text, [Exchange(question=other, answer="")], english) for text, other in asked]
    return mean(kept), len(kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("turns", type=Path, help="MTRAG-UN's reference.jsonl")
    parser.add_argument("--whole", type=Path, nargs="*", default=[], help="whole questions, one file a book")
    chosen = parser.parse_args()
    table = Table("", "R@5", "nDCG@10", "turns")
    for (split, name), (recall, ndcg, turns) in sorted(asyncio.run(measure_turns(read_rows(chosen.turns))).items()):
        table.add_row(f"{split}: {name}", f"{recall:.3f}", f"{ndcg:.3f}", str(turns))
    whole = Table("whole questions", "dev", "", "test", "")
    for file in chosen.whole:
        questions = [row["question"] for row in read_rows(file)]
        figures = [left_as_they_are(questions, split) for split in ("dev", "test")]
        whole.add_row(file.parent.name, *(cell for share, count in figures for cell in (f"{share:.3f}", str(count))))
    Console().print(table, whole)


if __name__ == "__main__":
    main()

"""What a command that trains is told."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.training.passages import Asked, Passage, asked_of, passages_of


@dataclass(frozen=True, slots=True)
class Material:
    passages: dict[str, Passage]
    """By their ids, in the order of their books."""
    asked: list[Asked]
    held_out: list[Asked]
    """Of books that take no part in the training."""


def parser_of(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--books", nargs="+", required=True, help="NAME=FOLDER of each book; see README.md")
    parser.add_argument("--held-out", nargs="+", default=["economics", "prometheus"], help="books to measure with")
    parser.add_argument("--out", type=Path, required=True, help="file of layers to write")
    parser.add_argument("--begin-with", type=Path, help="file of layers to go on from")
    parser.add_argument("--rate", type=float, default=4e-5, help="how far each step goes, at most")
    parser.add_argument("--minutes", type=float, default=60, help="when to stop")
    return parser


def material_of(options: argparse.Namespace) -> Material:
    books = dict(pair.split("=", 1) for pair in options.books)
    passages = {one.id: one for book, docs in books.items() for one in passages_of(book, Path(docs))}
    asked = [one for one in asked_of(set(books)) if one.passage in passages]
    trained, held_out = _parted(asked, options.held_out)
    print(f"{len(passages):,} passages, {len(trained):,} questions, {len(held_out):,} held out", flush=True)
    return Material(passages, trained, held_out)


def _parted(asked: Sequence[Asked], held_out: Sequence[str]) -> tuple[list[Asked], list[Asked]]:
    trained = [one for one in asked if one.book not in held_out]
    return trained, [one for one in asked if one.book in held_out]

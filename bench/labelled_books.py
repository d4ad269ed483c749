"""Books with labelled questions, each with an index of its own, to fit weights to."""

import argparse
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.fitting import ROOT, evenly, is_held_out
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_HELD_OUT_OF_100 = 40


@dataclass(frozen=True, slots=True)
class Part:
    questions: str
    where: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class LabelledBook:
    name: str
    parts: tuple[Part, ...]

    @property
    def folder(self) -> str:
        """Below the data folder; the sample book's is below the repository."""
        return "examples/physical-ai" if self.name == "sample" else self.name

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(f"{self.folder}/{part.questions}" for part in self.parts))

    def path(self, data: Path) -> Path:
        return ROOT / self.folder if self.name == "sample" else data / self.folder

    def questions(self, data: Path, limit: int | None) -> list[LabelledQuestion]:
        asked: list[LabelledQuestion] = []
        for part in self.parts:
            found = read_questions(self.path(data) / part.questions, part.where)
            asked += evenly(evenly(found, part.limit), limit)
        return asked


BOOKS = (
    LabelledBook(
        "openstax-biology",
        (
            Part("questions.jsonl", ("form=question", "self_contained=true", "verbatim_in_docs=false")),
            Part("out_of_scope.jsonl"),
        ),
    ),
    LabelledBook(
        "physical-ai-curriculum",
        (
            Part("questions.jsonl", ("form=question", "verbatim_in_docs=false")),
            Part("questions.jsonl", ("form=cloze_or_task", "type=short", "verbatim_in_docs=false")),
            Part("out_of_scope.jsonl"),
        ),
    ),
    LabelledBook("squad1-dev", (Part("questions.jsonl", limit=1200),)),
    LabelledBook(
        "squad2-dev",
        tuple(
            Part("questions.jsonl", (f"kind={kind}",), limit)
            for kind, limit in (("answerable", 700), ("adversarial_unanswerable", 700), ("out_of_corpus", 600))
        ),
    ),
    LabelledBook("clapnq-dev", (Part("questions.jsonl"),)),
    LabelledBook("anthropic-docs", (Part("questions.jsonl"),)),
    LabelledBook("sample", (Part("questions.jsonl"), Part("questions-hard.jsonl"))),
)


def add_book_options(parser: argparse.ArgumentParser, books: Sequence[str]) -> None:
    parser.add_argument("--indexes", type=Path, required=True, help="folder for an index of each book")
    parser.add_argument("--books", nargs="+", default=list(books), choices=[book.name for book in BOOKS])
    parser.add_argument("--as-indexed", action="store_true", help="take the indexes as they are")


def chosen_books(options: argparse.Namespace) -> list[LabelledBook]:
    return [book for book in BOOKS if book.name in options.books]


@asynccontextmanager
async def opened(book: LabelledBook, options: argparse.Namespace) -> AsyncIterator[Citebook]:
    """Citebook with this book ingested and its models loaded; always an embedded index."""
    settings = read_settings(citebook_data_dir=options.indexes / book.name).model_copy(update={"qdrant_url": None})
    async with Citebook(settings) as citebook:
        if not options.as_indexed:
            docs = book.path(options.data) / "docs"
            await citebook.ingest.run(docs, progress=lambda _: None, allow_deletions=True)
        await citebook.load_models()
        yield citebook


def is_for_fit(book: str, question: LabelledQuestion) -> bool:
    """The development split; where all rows are of it, or none, part of the files are held out."""
    if book in {"openstax-biology", "anthropic-docs", "sample"} and question.split:
        return question.split == "dev"
    return not is_held_out(question.gold_file or question.id, _HELD_OUT_OF_100)

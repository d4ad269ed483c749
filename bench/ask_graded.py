"""Asks the questions of bench/graded, refusing none: `python -m bench.ask_graded --docs BOOK=PATH … --indexes DIR`.

Writes the answers for graders to DIR/answers.jsonl; with `--grades FILE …` (lines with id and grade) also those of
them that are graded to bench/labels/answers.jsonl, which `bench.fit_confidence` fits to.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.fitting import ROOT
from bench.graded_answers import GradedAnswer, hash_of_answer, write_graded_answers
from bench.listening import listening_confidence
from citebook.domain.question import Policy
from citebook.evals.asking import ask
from citebook.evals.questions import read_questions
from citebook.evals.selections import with_selections
from citebook.ingestion.page_reading import source_reader
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_QUESTIONS = {"sample": ROOT / "examples" / "physical-ai" / "graded-questions.jsonl"}
_EVERYTHING = Policy(refuse_below=0, warn_below=0)


async def answers_in(book: str, docs: Path, indexes: Path) -> list[dict[str, Any]]:
    questions = read_questions(_QUESTIONS.get(book, ROOT / "bench" / "graded" / f"{book}.jsonl"))
    settings = read_settings(citebook_data_dir=indexes / book).model_copy(update={"qdrant_url": None})
    rows = []
    async with Citebook(settings) as citebook:
        await citebook.load_models()
        listening = listening_confidence()
        agent, edition = citebook.agent(confidence=listening), await citebook.index().edition()
        ready, missing = with_selections(questions, edition.files, source_reader(docs))
        print(*missing, sep="\n")
        for question in ready:
            listening.forget()
            heard = await ask(agent, question, _EVERYTHING)
            rows.append(
                {
                    "id": question.id,
                    "book": book,
                    "kind": question.labels["kind"],
                    "split": question.split,
                    "question": question.question,
                    "history": list(question.history),
                    "selected": question.selected,
                    "good_answer_holds": question.good_answer_holds,
                    "answerable": question.answerable,
                    "answer": heard.answer.text,
                    "evidence": listening.evidence_signals,
                    "signals": listening.answer_signals,
                }
            )
    print(f"{book}: {len(rows)} answers", flush=True)
    return rows


def graded(rows: Sequence[dict[str, Any]], grades: Sequence[Path]) -> list[GradedAnswer]:
    lines = [json.loads(line) for file in grades for line in file.read_text(encoding="utf-8").splitlines()]
    by_id = {line["id"]: line["grade"] for line in lines}
    return [
        GradedAnswer(
            **{name: row[name] for name in ("id", "book", "kind", "split", "evidence", "signals")},
            answer=hash_of_answer(row["answer"]),
            grade=by_id[row["id"]],
        )
        for row in rows
        if row["id"] in by_id
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", nargs="+", required=True, help="BOOK=PATH for each book")
    parser.add_argument("--indexes", type=Path, required=True, help="folder with a data folder for each book")
    parser.add_argument("--grades", nargs="+", type=Path, default=[], help="files with the grades of these answers")
    options = parser.parse_args()
    books = dict(pair.split("=", 1) for pair in options.docs)
    rows = [row for book, docs in books.items() for row in asyncio.run(answers_in(book, Path(docs), options.indexes))]
    out = options.indexes / "answers.jsonl"
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(f"written: {out}")
    if options.grades:
        write_graded_answers(graded(rows, options.grades))


if __name__ == "__main__":
    main()

"""Asks all questions of all sets once and counts what fails: `python -m bench.every_question --data DIR …`.

Sets without a book of their own (attacks, look-alikes, conversations) are put to the sample book.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.fitting import ROOT
from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.conversation import Exchange
from citebook.domain.errors import CitebookError
from citebook.domain.events import AnswerFailed
from citebook.domain.question import Question
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_SAMPLE = ROOT / "examples" / "physical-ai"
_WITHOUT_QUESTIONS = {"groundedness.jsonl", "indirect_payloads.jsonl"}


def sets_in(data: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Each folder of pages with the files of questions that are put to it."""
    homeless = []
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.glob("*.jsonl") if path.name not in _WITHOUT_QUESTIONS)
        if files and (folder / "docs").is_dir():
            yield folder / "docs", files
        else:
            homeless += files
    yield _SAMPLE / "docs", [*sorted(_SAMPLE.glob("*questions*.jsonl")), *homeless]


def questions_in(file: Path) -> Iterator[tuple[str, Question]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        row = json.loads(line)
        text = row.get("question") or row.get("text")
        if text and text.strip():
            yield f"{file.parent.name}/{file.name}:{number}", Question(text=text, history=_history(row))


def _history(row: dict[str, Any]) -> tuple[Exchange, ...]:
    told = row.get("history") or []
    pairs = zip(told[::2], told[1::2], strict=False)
    return tuple(Exchange(question=question, answer=answer) for question, answer in pairs if question and answer)


async def ask_all(docs: Path, files: list[Path], indexes: Path) -> tuple[Counter[str], list[str]]:
    name = docs.parent.name
    settings = read_settings(citebook_data_dir=indexes / name).model_copy(update={"qdrant_url": None})
    outcomes: Counter[str] = Counter()
    failures: list[str] = []
    async with Citebook(settings) as citebook:
        await citebook.ingest.run(docs, progress=lambda _: None, allow_deletions=True)
        await citebook.load_models()
        agent, started = citebook.agent(), perf_counter()
        for file in files:
            for where, question in questions_in(file):
                outcome, error = await _outcome(agent, question)
                outcomes[outcome] += 1
                if error:
                    failures.append(f"{where}: {error}: {question.text[:120]}")
    print(f"{name}: {dict(outcomes)} in {perf_counter() - started:.0f} s", flush=True)
    return outcomes, failures


async def _outcome(agent: RAGChatAgent, question: Question) -> tuple[str, str | None]:
    try:
        ended = await agent.answer(question)
    except CitebookError as error:
        return "failed", type(error).__name__
    return ended.answer.outcome.value, ended.error.original_error if isinstance(ended, AnswerFailed) else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the question sets")
    parser.add_argument("--indexes", type=Path, required=True, help="folder for an index of each book")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    failures: list[str] = []
    for docs, files in sets_in(options.data):
        outcomes, failed = asyncio.run(ask_all(docs, files, options.indexes))
        total += outcomes
        failures += failed
    print(f"{sum(total.values())} questions asked once: {dict(total)}")
    print(*failures, sep="\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""What the `academic` contract gives over HTTP: `python -m bench.academic_answers`.

Asks 100 questions of the sample book, and counts the excerpts of 30 to 50 words, the levels of confidence and the
statuses. It starts a server of its own; with `--url` and `--key` it asks one that runs.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from rich.console import Console
from rich.table import Table

from bench.fitting import ROOT
from bench.http import HOST, free_port, running
from bench.load import ingested
from citebook.evals.questions import LabelledQuestion, read_questions

_BOOK = ROOT / "examples" / "physical-ai"
_FEWEST_WORDS, _MOST_WORDS = 30, 50
_LEVELS = ("high", "medium", "low")
_STATUSES = ("success", "partial", "out_of_scope", "error")
_TOO_MANY = 429


class Asked(NamedTuple):
    question: LabelledQuestion
    answer: dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, default=_BOOK / "questions.jsonl")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--url", help="of a server that has ingested the book already")
    parser.add_argument("--key", help="an API key of that server")
    parser.add_argument("--json", type=Path, dest="out")
    options = parser.parse_args()
    questions = _evenly(read_questions(options.questions), options.count)
    with _server(options.url, options.key) as (url, key):
        asked = [Asked(question, _ask(url, key, question.question)) for question in questions]
    figures = figures_of(asked)
    _print(figures)
    if options.out:
        options.out.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _evenly(questions: Sequence[LabelledQuestion], count: int) -> list[LabelledQuestion]:
    """So many of them, from the first to the last."""
    count = min(count, len(questions))
    return [questions[at * len(questions) // count] for at in range(count)]


@contextmanager
def _server(url: str | None, key: str | None) -> Iterator[tuple[str, str]]:
    if url and key:
        yield url.rstrip("/"), key
        return
    with TemporaryDirectory() as folder:
        data_dir, port = ingested(_BOOK / "docs", Path(folder)), free_port()
        creating = [sys.executable, "-m", "citebook", "keys", "create", "figures", "--data-dir", str(data_dir)]
        made = subprocess.run(creating, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        command = ["-m", "citebook", "serve", "--port", str(port), "--data-dir", str(data_dir)]
        with running(command, "/health", port, {}):
            yield f"http://{HOST}:{port}", made


def _ask(url: str, key: str, question: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = Request(f"{url}/chat/query", json.dumps({"query": question}).encode(), headers)
    while True:
        try:
            with urlopen(request) as response:
                return dict(json.load(response))
        except HTTPError as refused:
            if refused.code != _TOO_MANY:
                raise
            sleep(float(refused.headers["Retry-After"]))


def figures_of(asked: Sequence[Asked]) -> dict[str, Any]:
    excerpts = [len(source["excerpt"].split()) for one in asked for source in one.answer["sources"]]
    given = [one.answer for one in asked if one.answer["status"] in ("success", "partial")]
    in_scope = [one.answer["status"] != "out_of_scope" for one in asked if one.question.answerable]
    out_of_scope = [one.answer["status"] == "out_of_scope" for one in asked if not one.question.answerable]
    return {
        "questions": len(asked),
        "answers": len(given),
        "excerpts": len(excerpts),
        "excerpts of 30 to 50 words": _share(excerpts, lambda words: _FEWEST_WORDS <= words <= _MOST_WORDS),
        "shorter": _share(excerpts, lambda words: words < _FEWEST_WORDS),
        "longer": _share(excerpts, lambda words: words > _MOST_WORDS),
        "confidence_level": _shares((answer["confidence_level"] for answer in given), _LEVELS),
        "status": _shares((one.answer["status"] for one in asked), _STATUSES),
        "answerable questions that were answered": _share(in_scope, bool),
        "others that were told as out of scope": _share(out_of_scope, bool),
    }


def _share(values: Sequence[Any], holds: Callable[[Any], bool]) -> float | None:
    return round(sum(map(holds, values)) / len(values), 3) if values else None


def _shares(values: Iterable[str], names: Sequence[str]) -> dict[str, float]:
    counts = Counter(values)
    return {name: round(counts[name] / max(1, counts.total()), 3) for name in names}


def _print(figures: dict[str, Any]) -> None:
    table = Table("what", "figure")
    for name, figure in figures.items():
        nested = figure if isinstance(figure, dict) else {"": figure}
        for part, value in nested.items():
            table.add_row(f"{name} {part}".rstrip(), _shown(value))
    Console().print(table)


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.1%}"


if __name__ == "__main__":
    main()

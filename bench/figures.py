"""`make figures`: measures six books with labelled questions and writes docs/figures."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citebook.evals.report_targets import judge_figure, target_in_words
from citebook.evals.result_files import read_run
from citebook.whole_files import write_whole

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "figures"
SCRATCH = ROOT / ".citebook" / "figures"


@dataclass(frozen=True, slots=True)
class Book:
    """A book with its questions. Of the questions, only those that can be asked without their page are taken."""

    name: str
    folder: str
    """Below the data folder; the sample book's is below the repository."""
    where: tuple[str, ...] = ()
    files: tuple[str, ...] = ("questions.jsonl",)

    def root(self, data: Path) -> Path:
        return ROOT / self.folder if self.name == "sample" else data / self.folder


WITH_OUT_OF_SCOPE = ("questions.jsonl", "out_of_scope.jsonl")
NOT_LEAKED = "verbatim_in_docs=false,none"
BOOKS = (
    Book("sample", "examples/physical-ai"),
    Book("biology", "openstax-biology", ("self_contained=true,none", NOT_LEAKED), WITH_OUT_OF_SCOPE),
    Book("physical-ai", "physical-ai-curriculum", ("needs_options=false,none", NOT_LEAKED), WITH_OUT_OF_SCOPE),
    Book("squad1", "squad1-dev"),
    Book("squad2", "squad2-dev"),
    Book("clapnq", "clapnq-dev"),
)

COLUMNS = {
    "nDCG@10": "ndcg@10",
    "gold words": "answer_contains_gold",
    "citation precision": "citation_precision",
    "citation recall": "citation_recall",
    "verbatim": "verbatim",
    "refused at 5 % falsely": "refused_at_5_false_refusals",
    "ECE": "ece",
    "ECE by words": "ece_by_words",
    "right above 0.85": "right_above_0.85",
    "right 0.70–0.85": "right_0.70_to_0.85",
}


_PAGE = """\
# Figures

Written by `make figures`; do not edit. [The whole report](report.html) has intervals, plots, figures by label and the
worst answers; [figures.json](figures.json) has the numbers. [Evaluation](../guides/evaluation.md) explains them.

At most {limit} questions of each set, evenly taken. `test` is the part of a set that is kept from tuning; `dev` means
that the set has no such part. The machine may have done other work meanwhile, so times say little.

{overview}
## Search alone, nDCG@10

{methods}
## Refusals by kind

{kinds}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", default=os.environ.get("CITEBOOK_EVAL_DATA", ""), help="folder of the question sets"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="indexes are kept there for the next run")
    parser.add_argument("--limit", type=int, default=400, help="questions of each book")
    parser.add_argument("--books", nargs="*", choices=[book.name for book in BOOKS], help="only these")
    parser.add_argument(
        "--calibrate", action="store_true", help="first, by the dev part of sets that have a test part"
    )
    options = parser.parse_args()
    books = [book for book in BOOKS if not options.books or book.name in options.books]
    data = _checked(books, options.data)
    for folder in (options.out, options.scratch):
        folder.mkdir(parents=True, exist_ok=True)
    for book in books:
        if options.calibrate and _split(book, data) == "test":
            _calibrate(book, data, options.scratch)
        for what in ("retrieval", "answers"):
            _measure(what, book, data, options.scratch, options.limit)
    _write(books, data, options.scratch, options.out, options.limit)


def _checked(books: Sequence[Book], data: str) -> Path:
    """Before hours of measuring."""
    if not data and any(book.name != "sample" for book in books):
        sys.exit("Say where the question sets are: make figures DATA=FOLDER (or CITEBOOK_EVAL_DATA=FOLDER)")
    root = Path(data)
    needed = [book.root(root) / name for book in books for name in ("docs", *book.files)]
    if missing := [str(path) for path in needed if not path.exists()]:
        sys.exit(f"Not there: {', '.join(missing)}")
    return root


def _questions(book: Book, data: Path) -> list[Path]:
    return [book.root(data) / name for name in book.files]


def _split(book: Book, data: Path) -> str:
    """`test` where the set has such questions, which nothing was tuned on; else what there is."""
    lines = (line for path in _questions(book, data) for line in path.read_text(encoding="utf-8").splitlines())
    splits = {json.loads(line).get("split") for line in lines if line.strip()}
    return "test" if "test" in splits else "dev"


def _result_file(what: str, book: Book, scratch: Path) -> Path:
    return scratch / f"{book.name}-{what}.json"


def _measure(what: str, book: Book, data: Path, scratch: Path, limit: int) -> None:
    print(f"{book.name}: {what}", flush=True)
    where = [*book.where, f"split={_split(book, data)},none"]
    _citebook(
        *("eval", what, book.root(data) / "docs", *_questions(book, data)),
        *(part for condition in where for part in ("--where", condition)),
        *("--limit", limit, "--name", book.name, "--data-dir", scratch / book.name),
        *("--json", _result_file(what, book, scratch)),
    )


def _calibrate(book: Book, data: Path, scratch: Path) -> None:
    """By questions that are not measured with afterwards."""
    print(f"{book.name}: calibrate", flush=True)
    where = [*book.where, "split=dev"]
    _citebook(
        *("calibrate", book.root(data) / "docs", *_questions(book, data), "--data-dir", scratch / book.name),
        *(part for condition in where for part in ("--where", condition)),
    )


def _citebook(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "citebook", *map(str, arguments)], check=True)


def _write(books: Sequence[Book], data: Path, scratch: Path, out: Path, limit: int) -> None:
    results = [_result_file(what, book, scratch) for book in books for what in ("answers", "retrieval")]
    _citebook("eval", "report", *results, "--out", out / "report.html")
    summaries = {book.name: _summary(book, scratch) | {"split": _split(book, data)} for book in books}
    write_whole(out / "figures.json", json.dumps(summaries, ensure_ascii=False, indent=1) + "\n")
    write_whole(out / "README.md", _page(summaries, limit))
    print(f"Wrote {out / 'README.md'}, {out / 'report.html'} and {out / 'figures.json'}.")


def _summary(book: Book, scratch: Path) -> dict[str, Any]:
    """All figures, and no question."""
    curves = {"reliability", "risk_coverage", "refusal_curve"}
    summary = {what: read_run(_result_file(what, book, scratch)).summary() for what in ("retrieval", "answers")}
    return {what: {name: own[name] for name in own if name not in curves} for what, own in summary.items()}


def _page(summaries: dict[str, dict[str, Any]], limit: int) -> str:
    head = ["set", "questions", *COLUMNS, "answer p50 / p95 ms"]
    targets = ["target", "", *(target_in_words(name) for name in COLUMNS.values()), ""]
    rows = [head, ["---"] * len(head), targets, *(_row(name, own) for name, own in summaries.items())]
    kinds = [["set", "kind", "questions", "refused at 5 % falsely"], ["---"] * 4, *_kinds(summaries)]
    return _PAGE.format(limit=limit, overview=_table(rows), methods=_table(_methods(summaries)), kinds=_table(kinds))


def _row(name: str, summary: dict[str, Any]) -> list[str]:
    answers, retrieval = summary["answers"], summary["retrieval"]
    figures = retrieval["metrics"] | answers["metrics"]
    figures |= {f"right_{band}": own["share_right"] for band, own in answers["bands"].items()}
    times = answers["latency_ms"]["answer"]
    cells = [_cell(figure, figures[figure]) for figure in COLUMNS.values()]
    notes = ", calibrated" if answers["calibrated"] else ""
    if answers["metrics"]["failed"]:
        notes += f", {answers['metrics']['failed']:.0%} failed"
    return [
        f"{name} ({summary['split']}{notes})",
        str(answers["questions"]),
        *cells,
        f"{times['p50']:.0f} / {times['p95']:.0f}",
    ]


def _methods(summaries: dict[str, dict[str, Any]]) -> list[list[str]]:
    methods = ["hybrid", "dense", "lexical"]
    rows = [["set", "questions", *methods], ["---"] * 5]
    for name, summary in summaries.items():
        own = summary["retrieval"]
        means = [f"{own['by_method'][m]['ndcg@10']['mean']:.3f}" for m in methods]
        rows.append([name, str(own["questions"]), *means])
    return rows


def _kinds(summaries: dict[str, dict[str, Any]]) -> list[list[str]]:
    return [
        [name, kind, str(own["count"]), f"{own['share_refused']:.3f}"]
        for name, summary in summaries.items()
        if summary["answers"]["refusal"]
        for kind, own in summary["answers"]["refusal"]["refused_by_kind"].items()
    ]


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    mark = {True: " ✓", False: " ✗", None: ""}[judge_figure(name, value)]
    return f"{value:.3f}{mark}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    main()

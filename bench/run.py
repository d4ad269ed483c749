"""`make bench`: speed and footprint of the embedded default, as ratios in one run on one machine."""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from bench.language_model import own_times
from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.agents.answer_in_progress import Tell
from citebook.domain.book import Chunk
from citebook.domain.events import Event, SentenceVerified
from citebook.domain.question import Filters, Question
from citebook.domain.units import unit_texts
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.indexing import CHUNKS_AT_ONCE
from citebook.ingestion.page_reading import read_page
from citebook.ports import Embedder
from citebook.root import wiring
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "examples" / "physical-ai" / "docs"
QUESTIONS = ROOT / "examples" / "physical-ai" / "questions.jsonl"
_BLOCK = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--book", type=Path, default=BOOK)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citebook-bench-") as folder:
        settings = read_settings(citebook_data_dir=Path(folder))
        rows = asyncio.run(_measure(settings, options.book, _questions(options.questions, options.rounds)))
        rows += _footprint(settings)
    _print(rows)
    if options.json:
        options.json.write_text(
            json.dumps([dict(zip(("what", "figure", "ratio"), row, strict=True)) for row in rows])
        )


def _questions(path: Path, count: int) -> list[str]:
    asked = [json.loads(line)["question"] for line in path.read_text().splitlines()]
    return [asked[index % len(asked)] for index in range(count)]


Row = tuple[str, str, str]


async def _measure(settings: Settings, book: Path, questions: Sequence[str]) -> list[Row]:
    async with Citebook(settings) as citebook:
        await citebook.load_models()
        return [
            *await _ingest(citebook, settings, book),
            *await _answers(citebook, questions),
            *await _language_model(settings, questions[:50]),
        ]


async def _ingest(citebook: Citebook, settings: Settings, book: Path) -> list[Row]:
    """The embedder alone before and after the whole ingest, on the same texts: machines change their pace."""
    embedder = citebook.embedder
    chunks = _chunks(embedder, settings, book)
    before = await _bare_rate(embedder, chunks)
    result = await citebook.ingest.run(book, progress=lambda _report: None)
    bare = (before + await _bare_rate(embedder, chunks)) / 2
    files = (settings.citebook_data_dir / "index").rglob("*")
    megabytes = sum(file.stat().st_blocks for file in files) * _BLOCK / 1e6  # most of the engine's files are holes
    whole = result.chunks_created / result.seconds
    share = result.seconds_embedding / result.seconds
    again = await citebook.ingest.run(book, progress=lambda _report: None)
    return [
        ("bare embedder", f"{bare:.1f} chunks/s", f"{before / bare:.2f} × that before the ingest"),
        ("ingest", f"{whole:.1f} chunks/s", f"{whole / bare:.2f} × bare embedder"),
        ("time of the ingest spent embedding", f"{share:.0%}", ""),
        ("index on disk", f"{megabytes:.1f} MB", f"{megabytes / len(chunks) * 1e3:.1f} MB for 1,000 chunks"),
        ("ingest, nothing changed", f"{again.seconds:.2f} s", f"{again.counts.chunks_embedded} embedded"),
    ]


async def _bare_rate(embedder: Embedder, chunks: Sequence[Chunk]) -> float:
    """Chunks a second, embedded as an ingest does it: unit by unit, as many chunks at once, no unit twice."""
    starts = range(0, len(chunks), CHUNKS_AT_ONCE)
    batches = [chunks[start : start + CHUNKS_AT_ONCE] for start in starts]
    texts = [list(dict.fromkeys(text for chunk in batch for text in unit_texts(chunk))) for batch in batches]
    started = perf_counter()
    for some in texts:
        await embedder.embed_passages(some)
    return len(chunks) / (perf_counter() - started)


def _chunks(embedder: Embedder, settings: Settings, book: Path) -> list[Chunk]:
    rules = wiring.rules_of(settings, embedder.stamp)
    return [
        chunk
        for page in find_pages(book, base_url=settings.book_base_url).pages
        for chunk in read_page(page, rules, embedder.count_tokens).chunks
    ]


async def _answers(citebook: Citebook, questions: Sequence[str]) -> list[Row]:
    embedder, retrieval, policy = citebook.embedder, citebook.retrieval(), citebook.command_line
    agent = (await citebook.ready_book()).agent
    times: dict[str, list[float]] = {"embedding": [], "reading": [], "search": [], "answer": [], "first": []}
    examined = _clock_of_examiner(citebook.examiner)
    for text in questions:
        started = perf_counter()
        await embedder.embed_question(text)
        times["embedding"].append(perf_counter() - started)
        await retrieval.retrieve(text, Filters(), policy.top_k)
        started = perf_counter()
        await retrieval.retrieve(text, Filters(), policy.top_k)  # its embedder remembers the vector by now
        times["search"].append(perf_counter() - started)
        examined.clear()
        started = perf_counter()
        sentences: list[float] = []
        await agent.answer(Question(text=text, policy=policy), _clock(sentences))
        times["answer"].append(perf_counter() - started)
        times["first"].append((sentences[0] if sentences else perf_counter()) - started)
        times["reading"].append(sum(examined))
    bare = _percentile([sum(both) for both in zip(times["embedding"], times["reading"], strict=True)], 50)
    names = {
        "embedding": "question embedding alone",
        "reading": "examiner's reading alone",
        "search": "search alone",
        "answer": "whole answer",
        "first": "first sentence",
    }
    return [
        (
            f"{names[name]}, p50 / p95",
            f"{_percentile(own, 50) * 1e3:.1f} / {_percentile(own, 95) * 1e3:.1f} ms",
            f"{_percentile(own, 50) / bare:.2f} × embedding and reading (p50)",
        )
        for name, own in times.items()
    ]


def _clock_of_examiner(examiner: LocalExaminer | None) -> list[float]:
    """How long each of its readings takes, from now on."""
    took: list[float] = []
    if examiner is not None:
        examine = examiner.examine

        def timed(question: str, passages: Sequence[str]) -> list[float]:
            started = perf_counter()
            points = examine(question, passages)
            took.append(perf_counter() - started)
            return points

        vars(examiner)["examine"] = timed
    return took


def _clock(sentences: list[float]) -> Tell:
    """Notes when each sentence is told."""

    async def tell(event: Event) -> None:
        if isinstance(event, SentenceVerified):
            sentences.append(perf_counter())

    return tell


async def _language_model(settings: Settings, questions: Sequence[str]) -> list[Row]:
    own, first = await own_times(settings, questions)
    names = {"answer by a language model, all but the model": own, "its first sentence, from line to reader": first}
    return [
        (f"{name}, p50 / p95", f"{_percentile(times, 50) * 1e3:.1f} / {_percentile(times, 95) * 1e3:.1f} ms", "")
        for name, times in names.items()
    ]


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _footprint(settings: Settings) -> list[Row]:
    """A process of its own: how long until it can answer, and how much memory that takes."""
    script = (
        "import asyncio, re, sys, time; started = time.perf_counter();"
        "from citebook.root.citebook import Citebook; from citebook.settings import read_settings;"
        "citebook = Citebook(read_settings(citebook_data_dir=sys.argv[1])); asyncio.run(citebook.ready_book());"
        "ready = time.perf_counter() - started; status = open('/proc/self/status').read();"
        "print(ready, int(re.search(r'VmRSS:\\s+(\\d+)', status)[1]) / 1024)"
    )
    command = [sys.executable, "-c", script, str(settings.citebook_data_dir)]
    started = perf_counter()
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    elapsed = perf_counter() - started
    from citebook.cli.doctor import installed_megabytes

    return [
        ("process start to ready", f"{elapsed:.2f} s", f"{float(output[0]):.2f} s in Python"),
        ("resident memory when ready", f"{float(output[1]):.0f} MB", ""),
        ("install with all it needs", f"{installed_megabytes():.0f} MB", ""),
    ]


def _print(rows: Sequence[Row]) -> None:
    table = Table(title="Citebook on this machine, in this run")
    for heading in ("what", "figure", "ratio"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 110).print(table)


if __name__ == "__main__":
    main()

"""`python -m bench.load.steady`: streams of a paced language model, for as long as one likes.

First words can only be shown when the model has ended its first line, which is then proven. So they are held against
the end of that line, as the model knows it; what they are later than its first token is told beside it.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from bench.http import RunningServer, connected, free_port, running
from bench.load import BOOK, ingested, sample_questions
from bench.load.goals import Goal, milliseconds, outcome_of, percentile, progress_bar, told
from bench.load.paced_model import Knobs, add_knobs, knobs_of
from bench.load.service import ModelServer, citebook_server, model_server, without_pace
from bench.load.streams import Crowd, written_questions
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.pacing.workers import Workers
from citebook.settings import read_settings

FULL_SECONDS = 600
_RAMP = 5.0
_BARE_SECONDS = 3.0
_EMBEDDED = 100
_FIRST_WORDS = 0.4
_CPU = 0.015


@dataclass(frozen=True, slots=True)
class Measure:
    crowd: Crowd
    seconds: float
    cpu_seconds: float
    model_cpu_seconds: float
    resident_before: float
    resident_after: float
    open_files: int
    calls: Sequence[Mapping[str, Any]]
    bare_per_second: float
    bare_cpu_seconds: float
    """Of one answer."""
    embedding_cpu_seconds: float
    """Of one question's vector alone, which no answer can do without."""

    @property
    def cpu_each(self) -> float:
        return self.cpu_seconds / max(1, len(self.crowd.answers))

    def first_words(self) -> dict[str, list[float]]:
        """Of each answer: the seconds until its first words; beyond the model's first line, and its first token."""
        calls = {call["reader"]: call for call in self.calls if call["first_line_at"] is not None}
        met = [(one.first_at - one.asked_at, calls.get(one.reader)) for one in self.crowd.answers]
        written = [(seconds, call) for seconds, call in met if call]
        return {
            "all": [seconds for seconds, _ in met],
            "beyond_line": [seconds - (call["first_line_at"] - call["opened_at"]) for seconds, call in written],
            "beyond_token": [seconds - (call["first_token_at"] - call["opened_at"]) for seconds, call in written],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--full", action="store_true", help=f"{FULL_SECONDS} seconds")
    parser.add_argument("--data-dir", type=Path, help="of a server that has ingested the book already")
    parser.add_argument("--json", type=Path)
    add_knobs(parser)
    options = parser.parse_args()
    seconds = FULL_SECONDS if options.full else options.seconds
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-steady-") as folder:
        data_dir = options.data_dir or ingested(BOOK, Path(folder))
        measure = _measure(data_dir, knobs_of(options), options.streams, seconds)
    goals = _goals(measure)
    what = f"{options.streams} streams for {seconds:.0f} s, paced language model"
    details = {"knobs": asdict(knobs_of(options)), "load_average": os.getloadavg()}
    told(outcome_of(11, what, goals, monotonic() - started, details), goals, options.json)


def _measure(data_dir: Path, knobs: Knobs, streams: int, seconds: float) -> Measure:
    bare_per_second, bare_cpu = bare_ceiling(streams)
    with model_server(knobs) as model, citebook_server(data_dir, model, {}) as server:
        questions = asyncio.run(_warmed_up(server, model, knobs))
        resident, cpu, model_cpu = server.resident_megabytes, server.cpu_seconds, model.server.cpu_seconds
        started = monotonic()
        crowd = Crowd(server.port, questions)
        files = asyncio.run(_steadily(crowd, server, streams, seconds))
        return Measure(
            crowd,
            monotonic() - started,
            server.cpu_seconds - cpu,
            model.server.cpu_seconds - model_cpu,
            resident,
            server.resident_megabytes,
            files,
            model.each_call(),
            bare_per_second,
            bare_cpu,
            asyncio.run(bare_embedding(questions[:_EMBEDDED])),
        )


async def _warmed_up(server: RunningServer, model: ModelServer, knobs: Knobs) -> list[str]:
    model.turn(without_pace(knobs))
    called = lambda: {call["reader"] for call in model.each_call()}  # noqa: E731
    questions = await written_questions(server.port, sample_questions(), called)
    model.turn(knobs)
    model.forget()
    return questions


async def _steadily(crowd: Crowd, server: RunningServer, streams: int, seconds: float) -> int:
    """The most files that were open."""
    started, most_files = monotonic(), 0
    asking = asyncio.create_task(crowd.ask_until(streams, lambda: monotonic() - started < seconds, _RAMP))
    with progress_bar() as bar:
        task = bar.add_task(f"{streams} streams, seconds", total=int(seconds))
        while not asking.done():
            await asyncio.wait({asking}, timeout=1)
            most_files = max(most_files, server.open_files)
            bar.update(task, completed=min(int(seconds), int(monotonic() - started)))
    await asking
    return most_files


def bare_ceiling(readers: int) -> tuple[float, float]:
    """Answers a second of a route that does nothing, and the processor time of one."""
    port = free_port()
    with running(["-m", "bench.load.bare_framework", str(port)], "/health", port, {}) as server:
        answers = asyncio.run(_bare(server, readers))
        return answers / _BARE_SECONDS, server.cpu_seconds / max(1, answers)


async def bare_embedding(questions: Sequence[str]) -> float:
    """Processor time of one vector, in this process and beside the server that was measured."""
    embedder = LocalEmbedder(read_settings().citebook_cache_dir, Workers(1))
    await embedder.embed_question(questions[0])
    started = process_time()
    for question in questions:
        await embedder.embed_question(question)
    return (process_time() - started) / len(questions)


async def _bare(server: RunningServer, readers: int) -> int:
    ends_at, answers = monotonic() + _BARE_SECONDS, 0

    async def read() -> None:
        nonlocal answers
        async with connected(server.port) as client:
            while monotonic() < ends_at:
                await client.post("/api/ask/stream", {"question": "What is it?"}, accept="text/event-stream")
                answers += 1

    await asyncio.gather(*(read() for _ in range(readers)))
    return answers


def _goals(measure: Measure) -> list[Goal]:
    crowd, words = measure.crowd, measure.first_words()
    errors, late = sum(crowd.errors.values()), percentile(words["beyond_line"], 95)
    totals = [one.ended_at - one.asked_at for one in crowd.answers]
    return [
        Goal("answers", "> 0", str(len(crowd.answers)), bool(crowd.answers)),
        Goal("errors", "0", _counted(crowd.errors), errors == 0),
        Goal("turned away (503, Retry-After)", "0", str(crowd.turned_away), crowd.turned_away == 0, needs_speed=True),
        Goal(
            "first words, after the model's first line, p95",
            "≤ 400 ms",
            milliseconds(late),
            late <= _FIRST_WORDS,
            True,
        ),
        Goal(
            "CPU of the server an answer", "≤ 15 ms", milliseconds(measure.cpu_each), measure.cpu_each <= _CPU, True
        ),
        Goal("bare embedding of a question, CPU", "", _ratio(measure.cpu_each, measure.embedding_cpu_seconds)),
        Goal("first words, after the model's first token", "", _spread(words["beyond_token"])),
        Goal("first words, after the model's first line", "", _spread(words["beyond_line"])),
        Goal("first words, from the question", "", _spread(words["all"])),
        Goal("whole answer", "", _spread(totals)),
        Goal("answers a second", "", f"{len(crowd.answers) / measure.seconds:.1f}"),
        Goal("bare framework, answers a second", "", f"{measure.bare_per_second:.0f}"),
        Goal("bare framework, CPU an answer", "", f"{measure.bare_cpu_seconds * 1e3:.1f} ms"),
        Goal("resident memory", "", f"{measure.resident_before:.0f} → {measure.resident_after:.0f} MB"),
        Goal("most open files", "", str(measure.open_files)),
        Goal("CPU: server, model", "", f"{measure.cpu_seconds:.0f} s, {measure.model_cpu_seconds:.0f} s"),
        Goal("load average of the machine", "", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"),
    ]


def _ratio(answer: float, embedding: float) -> str:
    return f"{embedding * 1e3:.1f} ms; an answer is {answer / embedding:.1f} × that"


def _counted(errors: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in errors.items()) or "0"


def _spread(seconds: Sequence[float]) -> str:
    return "p50 / p95 / max " + " / ".join(milliseconds(percentile(seconds, percent)) for percent in (50, 95, 100))


if __name__ == "__main__":
    main()

"""An index of very many chunks, embedded or on a Qdrant server: `python -m bench.scale WORDS --chunks 100000`.

The words are those of the Markdown files in a folder; the vectors are made by chance, two to a chunk. What a search
takes is set beside what the engine alone takes for the same vectors and words, in the same run.
"""

import argparse
import asyncio
import json
import random
import re
import resource
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import uuid4

import numpy as np
from tests.fakes import make_chunk

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.adapters.qdrant.engine import find_hits
from citebook.adapters.qdrant.server import QdrantServer
from citebook.domain.book import Chunk, Edition, EmbedderStamp, IndexedFile
from citebook.domain.question import Filters
from citebook.language.languages import language_of
from citebook.pacing.workers import Workers
from citebook.ports import BookIndex, Vector, Vectors
from citebook.root.wiring import index_of
from citebook.settings import read_settings

_DIMENSION = 384
_WORDS_A_UNIT = 60
_CHUNKS_A_FILE = 20
_AT_ONCE = 256
_QUESTIONS = 200
_DEPTH = 50
_STAMP = EmbedderStamp(name="by chance", dimension=_DIMENSION, max_tokens=512)


def words_of(folder: Path) -> list[str]:
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".md", ".mdx"))
    found = [word for path in files for word in re.findall(r"[A-Za-z]{2,}", path.read_text(errors="ignore"))]
    if not found:
        raise SystemExit(f"There are no words in {folder}")
    return found


def chunks_of(words: Sequence[str], count: int) -> Iterator[Chunk]:
    """Each of two paragraphs: stretches of the book's words from places by chance."""
    for number in range(count):
        starts = [random.randrange(len(words)) for _ in range(2)]
        units = [" ".join(words[start : start + _WORDS_A_UNIT]) or words[0] for start in starts]
        yield make_chunk("\n\n".join(f"{unit}." for unit in units), f"page-{number // _CHUNKS_A_FILE}.mdx", number)


def vectors_by_chance(count: int) -> Vectors:
    made = np.random.default_rng(random.randrange(2**32)).standard_normal((count, _DIMENSION), np.float32)
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


async def build(index: BookIndex, words: Sequence[str], count: int) -> float:
    begun, name = perf_counter(), f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
    waiting: list[Chunk] = []
    async with index.build(name, _STAMP) as builder:
        for chunk in chunks_of(words, count):
            waiting.append(chunk)
            if len(waiting) == _AT_ONCE:
                await builder.add(waiting, [vectors_by_chance(2) for _ in waiting])
                waiting = []
        await builder.add(waiting, [vectors_by_chance(2) for _ in waiting])
        files = {
            f"page-{number}.mdx": IndexedFile(sha256="0" * 64, chunks=_CHUNKS_A_FILE, order=number)
            for number in range((count - 1) // _CHUNKS_A_FILE + 1)
        }
        await builder.publish(
            Edition(
                name=name,
                embedder=_STAMP,
                recipe="by chance",
                created_at=datetime.now(UTC),
                files=files,
                chunk_count=count,
                vectors_of="units",
            )
        )
    return perf_counter() - begun


async def search_times(index: BookIndex, words: Sequence[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of searches with their chunks, and of the engine alone for the same."""
    ours, engines = [], []
    for _ in range(_QUESTIONS):
        start = random.randrange(len(words))
        terms = language_of("en").terms(" ".join(words[start : start + 8]))
        (vector,) = vectors_by_chance(1)
        begun = perf_counter()
        found = await index.search(terms, vector, Filters(), _DEPTH)
        await index.chunks(found.edition, [hit.key for hit in found.hits[:10]], vector)
        ours.append(1000 * (perf_counter() - begun))
        engines.append(await engine_time(index, terms, vector))
    return ours, engines


async def engine_time(index: BookIndex, terms: Sequence[str], vector: Vector) -> float:
    if isinstance(index, EmbeddedQdrant):
        opened = index._opened()
        asked = list(opened.vocabulary.look_up(terms).numbers)
        begun = perf_counter()
        find_hits(opened.shard, opened.pages, asked, vector, Filters(), _DEPTH)
    else:
        assert isinstance(index, QdrantServer)
        edition, vocabulary = await index._described()
        numbers = vocabulary.look_up(terms).numbers
        begun = perf_counter()
        await index._hits(index._editions.collection(edition.name), numbers, vector, Filters(), _DEPTH)
    return 1000 * (perf_counter() - begun)


def _quantiles(times: Sequence[float]) -> dict[str, float]:
    return {"p50_ms": round(float(np.quantile(times, 0.5)), 2), "p95_ms": round(float(np.quantile(times, 0.95)), 2)}


def _megabytes(folder: Path) -> float:
    return round(sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 2**20, 1)


async def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    random.seed(arguments.seed)
    words = words_of(arguments.words)
    settings = read_settings(citebook_data_dir=arguments.data_dir, qdrant_collection="scale")
    workers = Workers()
    index = index_of(settings, workers)
    try:
        seconds = await build(index, words, arguments.chunks)
        ours, engines = await search_times(index, words)
    finally:
        await index.aclose()
        await workers.aclose()
    return {
        "chunks": arguments.chunks,
        "index": settings.qdrant_url or "embedded",
        "build_seconds": round(seconds, 1),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "disk_mb": None if settings.qdrant_url else _megabytes(settings.citebook_data_dir),
        "search": _quantiles(ours),
        "engine_alone": _quantiles(engines),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", type=Path, help="folder of Markdown files whose words are used")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--data-dir", type=Path, default=Path(".citebook-scale"), help="may be deleted afterwards")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where the figures are written")
    arguments = parser.parse_args()
    said = json.dumps(asyncio.run(measure(arguments)), indent=1)
    print(said)
    if arguments.json:
        arguments.json.write_text(said)


if __name__ == "__main__":
    main()

"""The default embedder: a small model on this machine's CPU, from weights that come with the install."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from citebook.adapters.local_model.batches import batches_of
from citebook.adapters.local_model.local_model import LocalModel
from citebook.domain.book import EmbedderStamp
from citebook.pacing.workers import Workers
from citebook.ports import Vector, Vectors

MapBatches = Callable[[Callable[[list[list[int]]], Vectors], Iterable[list[list[int]]]], Iterator[Vectors]]

_NAME = "citebook-embedding-30m-english"
_BATCH_TOKENS = 1_024


class LocalEmbedder:
    """Vectors from granite-embedding-30m-english, trained further on readers' questions; it reads 512 tokens."""

    def __init__(self, cache_dir: Path, workers: Workers, threads: int = 0) -> None:
        """Questions are embedded by the workers of answers, passages by up to `threads` threads of their own."""
        self._model = LocalModel(_NAME, cache_dir)
        self._workers, self._threads = workers, threads or workers.count
        self.stamp = EmbedderStamp(name=_NAME, dimension=384, max_tokens=512)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encodings = self._model.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    async def embed_question(self, text: str) -> Vector:
        vector: Vector = (await self._workers.run(self._embed, [text], map))[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if len(texts) == 1:  # a reader's selection
            return await self._workers.run(self._embed, list(texts), map)
        return await asyncio.to_thread(self._embed_side_by_side, list(texts))

    async def aclose(self) -> None:
        """Gives the model's memory back; whoever asks again loads it again."""
        self._model.close()

    def load(self) -> None:
        """Does now what the first call would do: reads the model."""
        self._model.load()

    def _embed_side_by_side(self, texts: list[str]) -> Vectors:
        """One batch a thread: the model gains nothing from more than one thread for the same batch."""
        with ThreadPoolExecutor(self._threads, thread_name_prefix="citebook-ingest") as pool:
            return self._embed(texts, pool.map)

    def _embed(self, texts: list[str], map_batches: MapBatches) -> Vectors:
        encodings = self._model.tokenizer.encode_batch_fast(texts)
        limit = self.stamp.max_tokens
        ids = [_shortened(encoding.ids, limit) for encoding in encodings]
        vectors = np.empty((len(ids), self.stamp.dimension), np.float32)
        batches = batches_of([len(tokens) for tokens in ids], _BATCH_TOKENS)
        for batch, found in zip(
            batches, map_batches(self._model.run, ([ids[i] for i in b] for b in batches)), strict=True
        ):
            vectors[batch] = found
        return vectors


def _shortened(ids: list[int], limit: int) -> list[int]:
    """At most `limit` tokens; the last one closes the text and stays."""
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

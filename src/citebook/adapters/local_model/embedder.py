"""The default embedder: a small model on this machine's CPU, from weights that come with the install."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from citebook.adapters.local_model import granite_pack
from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.pacing.workers import Workers
from citebook.ports import Vector, Vectors
from citebook.whole_files import write_whole

MapBatches = Callable[[Callable[[list[list[int]]], Vectors], Iterable[list[list[int]]]], Iterator[Vectors]]

_BATCH_TOKENS = 1_024


class LocalEmbedder:
    """Vectors from granite-embedding-30m-english, which reads 512 tokens and needs no prefixes."""

    def __init__(self, cache_dir: Path, workers: Workers, threads: int = 0) -> None:
        """Questions are embedded by the workers of answers, passages by up to `threads` threads of their own."""
        self._cache_dir, self._workers = cache_dir, workers
        self._threads = threads or workers.count
        self.stamp = EmbedderStamp(name=granite_pack.MODEL_NAME, dimension=384, max_tokens=512)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
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
        for loaded in ("_session", "_tokenizer"):
            self.__dict__.pop(loaded, None)

    def load(self) -> None:
        """Does now what the first call would do: reads the model."""
        _ = self._session, self._tokenizer

    def _embed_side_by_side(self, texts: list[str]) -> Vectors:
        """One batch a thread: the model gains nothing from more than one thread for the same batch."""
        with ThreadPoolExecutor(self._threads, thread_name_prefix="citebook-ingest") as pool:
            return self._embed(texts, pool.map)

    def _embed(self, texts: list[str], map_batches: MapBatches) -> Vectors:
        encodings = self._tokenizer.encode_batch_fast(texts)
        limit = self.stamp.max_tokens
        ids = [_shortened(encoding.ids, limit) for encoding in encodings]
        vectors = np.empty((len(ids), self.stamp.dimension), np.float32)
        batches = _batches([len(tokens) for tokens in ids])
        for batch, found in zip(batches, map_batches(self._run, ([ids[i] for i in b] for b in batches)), strict=True):
            vectors[batch] = found
        return vectors

    def _run(self, ids: list[list[int]]) -> Vectors:
        longest = max(map(len, ids))
        tokens = np.ones((len(ids), longest), np.int64)  # 1 is RoBERTa's padding
        mask = np.zeros((len(ids), longest), np.int64)
        for row, sequence in enumerate(ids):
            tokens[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        try:
            (vectors,) = self._session.run(None, {"input_ids": tokens, "attention_mask": mask})
        except Exception as error:  # the runtime's errors have no common class
            raise EmbedderFailed(f"The local model failed: {error}") from error
        result: Vectors = vectors
        return result

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._files[1]))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # answers and batches run side by side instead
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(self._files[0]), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _files(self) -> tuple[Path, Path]:
        """The model and the tokenizer as files, made once and checked on every start."""
        folder = self._cache_dir / f"{granite_pack.MODEL_NAME}-{granite_pack.PACK_SHA256[:12]}-int8"
        model, tokenizer, checksums = folder / "model.onnx", folder / "tokenizer.json", folder / "SHA256SUMS"
        if not (checksums.is_file() and checksums.read_bytes() == _checksums(model, tokenizer).encode()):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                pack = granite_pack.read_pack(granite_pack.pack_path())
                write_whole(model, granite_pack.onnx_model(pack))
                write_whole(tokenizer, pack.tokenizer_json.encode())
                write_whole(checksums, _checksums(model, tokenizer).encode())
            except OSError as error:
                raise EmbedderFailed(
                    f"The local model cannot be kept in {folder} ({error.strerror}). "
                    "Make room there, or name another folder with CITEBOOK_CACHE_DIR."
                ) from error
        return model, tokenizer


def _shortened(ids: list[int], limit: int) -> list[int]:
    """At most `limit` tokens; the last one closes the text and stays."""
    return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Indices grouped by similar length, so that little is spent on padding."""
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        longest = lengths[batches[-1][0]] if batches else 0
        if not batches or (len(batches[-1]) + 1) * longest > _BATCH_TOKENS:
            batches.append([])
        batches[-1].append(index)
    return batches


def _checksums(*files: Path) -> str:
    lines = []
    for file in files:
        if not file.is_file():
            return ""
        with file.open("rb") as stream:
            lines.append(f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {file.name}\n")
    return "".join(lines)

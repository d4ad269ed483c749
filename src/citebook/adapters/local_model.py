"""The default embedder: a small model on this machine's CPU, from weights that come with the install."""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from citebook.adapters import granite_pack
from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.ports import Vector, Vectors

_BATCH_TOKENS = 1_024


class LocalEmbedder:
    """Vectors from granite-embedding-30m-english, which reads 512 tokens and needs no prefixes."""

    def __init__(self, cache_dir: Path, threads: int = 0) -> None:
        self._cache_dir = cache_dir
        self._threads = threads
        self.stamp = EmbedderStamp(name=granite_pack.MODEL_NAME, dimension=384, max_tokens=512)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]

    async def embed_question(self, text: str) -> Vector:
        vector: Vector = (await self.embed_passages([text]))[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, list(texts))

    def load(self) -> None:
        """Does now what the first call would do: reads the model."""
        _ = self._session, self._tokenizer

    def _embed(self, texts: list[str]) -> Vectors:
        encodings = self._tokenizer.encode_batch_fast(texts)
        limit = self.stamp.max_tokens
        ids = [_shortened(encoding.ids, limit) for encoding in encodings]
        vectors = np.empty((len(ids), self.stamp.dimension), np.float32)
        for batch in _batches([len(tokens) for tokens in ids]):
            vectors[batch] = self._run([ids[index] for index in batch])
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
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 3
        # Threads that spin while they wait cost a third of a core and gain an answer nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(self._files[0]), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _files(self) -> tuple[Path, Path]:
        """The model and the tokenizer as files, made once and checked on every start."""
        folder = self._cache_dir / f"{granite_pack.MODEL_NAME}-{granite_pack.PACK_SHA256[:12]}"
        model, tokenizer, checksums = folder / "model.onnx", folder / "tokenizer.json", folder / "SHA256SUMS"
        if not (checksums.is_file() and checksums.read_bytes() == _checksums(model, tokenizer).encode()):
            pack = granite_pack.read_pack(granite_pack.pack_path())
            try:
                folder.mkdir(parents=True, exist_ok=True)
                _write(model, granite_pack.onnx_model(pack))
                _write(tokenizer, pack.tokenizer_json.encode())
                _write(checksums, _checksums(model, tokenizer).encode())
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


def _write(path: Path, content: bytes) -> None:
    """All or nothing: another process may be doing the same."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)

"""A model on this machine's CPU: made once of weights that come with the install, then run as often as asked."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citebook.adapters.local_model import granite_pack
from citebook.adapters.local_model.encoder_graph import embedding_graph
from citebook.domain.errors import EmbedderFailed
from citebook.whole_files import write_whole

Rows = npt.NDArray[np.float32]


class LocalModel:
    """The granite encoder with layers that were trained further. Raises `EmbedderFailed`."""

    def __init__(self, name: str, cache_dir: Path) -> None:
        """`name` is that of its layers, beside this file."""
        self._name, self._cache_dir = name, cache_dir

    def load(self) -> None:
        """Does now what the first call would do: reads the model."""
        _ = self._session, self.tokenizer

    def close(self) -> None:
        """Gives the model's memory back; whoever asks again loads it again."""
        for loaded in ("_session", "tokenizer"):
            self.__dict__.pop(loaded, None)

    def run(self, ids: Sequence[Sequence[int]]) -> Rows:
        """A row for each sequence of tokens."""
        longest = max(map(len, ids))
        tokens = np.ones((len(ids), longest), np.int64)  # 1 is RoBERTa's padding
        mask = np.zeros((len(ids), longest), np.int64)
        for row, sequence in enumerate(ids):
            tokens[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        try:
            (rows,) = self._session.run(None, {"input_ids": tokens, "attention_mask": mask})
        except Exception as error:  # the runtime's errors have no common class
            raise EmbedderFailed(f"The local model failed: {error}") from error
        result: Rows = rows
        return result

    @cached_property
    def tokenizer(self) -> Any:
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
        layers = (files("citebook.adapters.local_model") / f"{self._name}.npz").read_bytes()
        version = hashlib.sha256(granite_pack.PACK_SHA256.encode() + layers).hexdigest()[:12]
        folder = self._cache_dir / f"{self._name}-{version}"
        model, tokenizer, checksums = folder / "model.onnx", folder / "tokenizer.json", folder / "SHA256SUMS"
        if not (checksums.is_file() and checksums.read_bytes() == _checksums(model, tokenizer).encode()):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                pack = granite_pack.read_pack(granite_pack.pack_path()).with_layers(layers)
                write_whole(model, embedding_graph(pack))
                write_whole(tokenizer, pack.tokenizer_json.encode())
                write_whole(checksums, _checksums(model, tokenizer).encode())
            except granite_pack.WrongWeights as error:
                raise EmbedderFailed(str(error)) from error
            except OSError as error:
                raise EmbedderFailed(
                    f"The local model cannot be kept in {folder} ({error.strerror}). "
                    "Make room there, or name another folder with CITEBOOK_CACHE_DIR."
                ) from error
        return model, tokenizer


def _checksums(*paths: Path) -> str:
    lines = []
    for path in paths:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            lines.append(f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {path.name}\n")
    return "".join(lines)

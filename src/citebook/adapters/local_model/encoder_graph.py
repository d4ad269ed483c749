"""An encoder as an ONNX graph.

The graph keeps weights as they are packed, in groups of int8: nothing is lost, and a question reads a quarter of
the memory.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from citebook.adapters.local_model.granite_pack import GranitePack

_FUSED = "com.microsoft"
_ROUNDED = 4
"""The runtime's name for arithmetic in int8 whose sums are float32."""


def embedding_graph(pack: GranitePack) -> bytes:
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
        outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", pack.width])]
        empty = helper.make_graph([], "embedding", inputs, outputs)
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

"""The examiner as an ONNX graph: matrices in int8 with a scale for each column, vectors of words for each row."""

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from bench.training.cross_encoder import HEADS, LAYER_NORM, LAYERS

_FUSED = "com.microsoft"
_INPUTS = ("input_ids", "token_type_ids", "attention_mask")

Array = npt.NDArray[Any]


def examiner_graph(weights: dict[str, Array]) -> Any:
    """A model that takes tokens, their kinds and their mask, and gives a logit for each row."""
    return _Graph(weights).model()


class _Graph:
    def __init__(self, weights: dict[str, Array]) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def model(self) -> Any:
        hidden = self._embedded()
        for layer in range(len(LAYERS)):
            hidden = self._layer(hidden, f"layers.{layer}.")
        self._node("Gather", [hidden, self._constant("zero", np.array(0))], "first", axis=1)
        self._node("Gemm", ["first", *self._weight_and_bias("pool")], "pooled", transB=1)
        self._node("Tanh", ["pooled"], "bent")
        self._node("Gemm", ["bent", *self._weight_and_bias("cls")], "column", transB=1)
        self._node("Squeeze", ["column", self._constant("last", np.array([1]))], "logits")
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"]) for name in _INPUTS]
        output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows"])
        graph = helper.make_graph(self._nodes, "examiner", inputs, [output], self._constants)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)

    def _embedded(self) -> str:
        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        self._node("Shape", ["input_ids"], "shape", start=1)
        beginning = self._constant("beginning", np.array([0]))
        self._node("Slice", [self._own("pos.weight"), beginning, "shape"], "places")
        values, scales = _rounded(self._weights["word.weight"], axis=1)
        self._node("Gather", [self._constant("words", values), "input_ids"], "rounded")
        self._node("Cast", ["rounded"], "unscaled", to=TensorProto.FLOAT)
        self._node("Gather", [self._constant("words.scales", scales), "input_ids"], "scales")
        self._node("Mul", ["unscaled", "scales"], "meanings")
        self._node("Gather", [self._own("typ.weight"), "token_type_ids"], "kinds")
        self._node("Add", ["meanings", "kinds"], "of_tokens")
        self._node("Add", ["of_tokens", "places"], "embedded")
        norm = ["embedded", self._own("eln.weight"), self._own("eln.bias")]
        return self._node("LayerNormalization", norm, "hidden", axis=-1, epsilon=LAYER_NORM)

    def _layer(self, hidden: str, at: str) -> str:
        projected = self._node(
            "Add", [self._multiplied(hidden, at + "qkv"), self._own(at + "qkv.bias")], at + "projected"
        )
        parts = [at + "queries", at + "keys", at + "values"]
        self._nodes.append(helper.make_node("Split", [projected], parts, axis=-1, num_outputs=len(parts)))
        attended = self._node("MultiHeadAttention", [*parts, "", "mask"], at + "attended", _FUSED, num_heads=HEADS)
        middle = self._added(self._multiplied(attended, at + "ao"), hidden, at + "ao", at + "aln")
        wide = self._multiplied(middle, at + "f1")
        wide = self._node("BiasGelu", [wide, self._own(at + "f1.bias")], at + "bent", _FUSED)
        return self._added(self._multiplied(wide, at + "f2"), middle, at + "f2", at + "fln")

    def _multiplied(self, vectors: str, name: str) -> str:
        values, scales = _rounded(self._weights[f"{name}.weight"].T, axis=0)
        inputs = [
            vectors,
            self._constant(name + ".values", values),
            self._constant(name + ".scales", scales.ravel()),
            self._constant(name + ".zeros", np.zeros(scales.size, np.int8)),
        ]
        return self._node("DynamicQuantizeMatMul", inputs, name, _FUSED)

    def _added(self, vectors: str, to: str, linear: str, norm: str) -> str:
        """And normalised."""
        inputs = [
            vectors,
            to,
            *(self._own(f"{norm}.{end}") for end in ("weight", "bias")),
            self._own(linear + ".bias"),
        ]
        return self._node("SkipLayerNormalization", inputs, norm, _FUSED, epsilon=LAYER_NORM)

    def _weight_and_bias(self, name: str) -> list[str]:
        return [self._own(f"{name}.{end}") for end in ("weight", "bias")]

    def _own(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: Array) -> str:
        self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **options: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **options))
        return output


def _rounded(matrix: Array, axis: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    scales = np.maximum(np.abs(matrix).max(axis=axis, keepdims=True) / 127, 1e-9)
    return np.clip(np.round(matrix / scales), -127, 127).astype(np.int8), scales.astype(np.float32)

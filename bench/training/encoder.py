"""The granite encoder in PyTorch, and its layers written in the form that the product reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from citebook.adapters.local_model import granite_pack

Tensor = Any
"""Of PyTorch, which has no types where it is not installed."""

_GROUP = 64
_HEADS = 12
_LAYER_NORM = 1e-12
_PADDING = 1


class Encoder:
    """All weights by their names in the pack; the words' own vectors are left as they are."""

    def __init__(self, dropout: float = 0.05) -> None:
        pack = granite_pack.read_pack(granite_pack.pack_path())
        self.tokenizer = Tokenizer.from_str(pack.tokenizer_json)
        self.tokenizer.no_padding()
        self.layers, self.dropout, self.is_training = int(pack.architecture["layers"]), dropout, False
        whole = {name: _whole(matrix) for name, matrix in pack.matrices.items()}
        self.weights = {name: torch.tensor(np.array(value)) for name, value in (whole | pack.vectors).items()}
        self._places = self.weights["pos_emb"] + self.weights["type_emb"][0]

    def parameters(self) -> list[Tensor]:
        """Those that are trained."""
        trained = list(self._trained())
        for name in trained:
            self.weights[name].requires_grad_()
        return [self.weights[name] for name in trained]

    def embedding(self, texts: Sequence[str], limit: int) -> Tensor:
        self.tokenizer.enable_truncation(limit)
        first = self._first([encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))])
        return functional.normalize(first, dim=-1)

    def read(self, layers: Path) -> None:
        """Goes on from what `write` wrote."""
        pack = granite_pack.read_pack(granite_pack.pack_path()).with_layers(layers.read_bytes())
        known = {name: _whole(matrix) for name, matrix in pack.matrices.items()} | pack.vectors
        self.weights.update({name: torch.tensor(np.array(known[name])) for name in self._trained() if name in known})

    def write(self, path: Path) -> None:
        """What was trained: matrices in groups of int8 with a scale each."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name in self._trained():
            value = self.weights[name].detach().numpy()
            if value.ndim == 2:
                arrays[name + ".values"], arrays[name + ".scales"] = _grouped(value)
            else:
                arrays[name] = value
        np.savez(path, **arrays)  # type: ignore[arg-type]  # its own option stands between

    def _trained(self) -> Iterator[str]:
        frozen = ("word_emb", "pos_emb", "type_emb")
        return (name for name in self.weights if name not in frozen)

    def _first(self, ids: Sequence[Sequence[int]]) -> Tensor:
        """What the last layer says of the first token."""
        longest = max(map(len, ids))
        tokens = torch.tensor([[*one, *[_PADDING] * (longest - len(one))] for one in ids])
        mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in ids])
        places = self._places[mask.cumsum(1) * mask + 1]
        hidden = self._norm(functional.embedding(tokens, self.weights["word_emb"]) + places, "emb_ln")
        for layer in range(self.layers):
            hidden = self._layer(hidden, mask[:, None, None, :].bool(), f"l{layer}.")
        return hidden[:, 0]

    def _layer(self, hidden: Tensor, mask: Tensor, prefix: str) -> Tensor:
        rows, length, width = hidden.shape
        shape = (rows, length, 3, _HEADS, width // _HEADS)
        queries, keys, values = self._linear(hidden, prefix + "qkv").view(shape).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        attended = self._linear(attended.transpose(1, 2).reshape(rows, length, width), prefix + "ao")
        middle = self._norm(hidden + self._dropped(attended), prefix + "aln")
        wide = functional.gelu(self._linear(middle, prefix + "f1"))
        return self._norm(middle + self._dropped(self._linear(wide, prefix + "f2")), prefix + "fln")

    def _linear(self, vectors: Tensor, name: str) -> Tensor:
        return functional.linear(vectors, self.weights[name + ".w"], self.weights[name + ".b"])

    def _norm(self, vectors: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[name + ".w"], self.weights[name + ".b"]
        return functional.layer_norm(vectors, weight.shape, weight, bias, _LAYER_NORM)

    def _dropped(self, vectors: Tensor) -> Tensor:
        return functional.dropout(vectors, self.dropout, self.is_training)


def _whole(matrix: granite_pack.Matrix) -> npt.NDArray[np.float32]:
    values = matrix.values * matrix.scales[:, :, None]
    return values.reshape(len(values), -1).astype(np.float32)


def _grouped(matrix: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    groups = matrix.reshape(len(matrix), -1, _GROUP)
    scales = np.maximum(np.abs(groups).max(axis=2) / 127, 1e-8)
    return np.clip(np.round(groups / scales[:, :, None]), -127, 127).astype(np.int8), scales.astype(np.float16)

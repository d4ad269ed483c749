"""Which embedder and reranker the settings choose, and what is said where something is missing."""

import sys

import pytest

from citebook.adapters.cohere import CohereEmbedder
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.adapters.local_model.examiner import LocalExaminer, shipped_sha256
from citebook.adapters.local_model.reranker import LocalReranker
from citebook.adapters.openai_embeddings import OpenAIEmbedder
from citebook.domain.errors import InvalidSettings, MissingVariable
from citebook.pacing.turns import Turns
from citebook.root.citebook import Citebook
from citebook.root.model_choice import embedder_of, reranking_of
from citebook.searching.reranking import LikestUnits, Reranking, WholeChunks
from citebook.settings import Settings, read_settings
from tests.fakes import WORKERS
from tests.ports.embedding_server import DIMENSION, serving

KEYS = {"openai_api_key": "k", "gemini_api_key": "k", "cohere_api_key": "k"}


def reranking(settings: Settings) -> Reranking | None:
    return reranking_of(settings, LocalExaminer(), WORKERS, Turns(1))


def test_the_local_embedder_is_the_default() -> None:
    assert isinstance(embedder_of(read_settings(), WORKERS), LocalEmbedder)


@pytest.mark.parametrize(
    ("provider", "model", "kind", "dimension"),
    [
        ("openai", None, OpenAIEmbedder, 1536),
        ("gemini", "text-embedding-004", OpenAIEmbedder, 768),
        ("cohere", "embed-english-v3.0", CohereEmbedder, 1024),
        ("ollama", "nomic-embed-text", OpenAIEmbedder, 768),
    ],
)
def test_known_models_bring_their_dimension(provider: str, model: str | None, kind: type, dimension: int) -> None:
    embedder = embedder_of(read_settings(embedder_provider=provider, embedder_model=model, **KEYS), WORKERS)
    assert isinstance(embedder, kind)
    assert embedder.stamp.dimension == dimension


def test_an_unknown_model_takes_what_is_set() -> None:
    embedder = embedder_of(
        read_settings(
            embedder_provider="vllm", embedder_model="mine", embedder_dimension=64, embedder_max_tokens=256
        ),
        WORKERS,
    )
    assert (embedder.stamp.name, embedder.stamp.dimension, embedder.stamp.max_tokens) == ("mine", 64, 256)


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        ({"embedder_provider": "openai"}, "OPENAI_API_KEY"),
        ({"embedder_provider": "gemini"}, "GEMINI_API_KEY"),
        ({"embedder_provider": "cohere"}, "COHERE_API_KEY"),
        ({"embedder_provider": "ollama"}, "EMBEDDER_MODEL"),
        ({"embedder_provider": "ollama", "embedder_model": "mine"}, "EMBEDDER_DIMENSION"),
        ({"embedder_provider": "vllm", "embedder_model": "m", "embedder_dimension": 64}, "EMBEDDER_MAX_TOKENS"),
        ({"reranker": "cohere"}, "COHERE_API_KEY"),
    ],
)
def test_what_is_missing_is_named_and_nothing_else(settings: dict[str, object], variable: str) -> None:
    chosen = read_settings(**settings)
    with pytest.raises(MissingVariable) as missing:
        _ = reranking(chosen) if "reranker" in settings else embedder_of(chosen, WORKERS)
    assert str(missing.value) == f"Required environment variable {variable} not set."


def test_no_reranker_is_the_default() -> None:
    assert reranking(read_settings()) is None


def test_the_reranker_reads_and_keeps_as_many_as_are_set() -> None:
    chosen = reranking(read_settings(reranker="cohere", rerank_candidates=20, rerank_top_n=3, **KEYS))
    assert chosen is not None
    assert (chosen.reranker.name, chosen.candidates, chosen.keep) == ("rerank-v3.5", 20, 3)
    assert isinstance(chosen.reading, WholeChunks)


def test_the_local_reranker_needs_no_key_and_reads_units() -> None:
    chosen = reranking(read_settings(reranker="local", rerank_candidates=20, rerank_top_n=3))
    assert chosen is not None
    assert chosen.in_words == "citebook-examiner-33m-english (20 read, 3 kept)"
    assert isinstance(chosen.reading, LikestUnits)


async def test_it_reads_with_the_model_that_reads_before_a_passage_is_quoted() -> None:
    async with Citebook(read_settings(reranker="local")) as citebook:
        assert citebook.reranking is not None
        assert isinstance(citebook.reranking.reranker, LocalReranker)
        assert citebook.reranking.reranker._examiner is citebook.examiner


async def test_it_reads_with_the_model_that_nothing_else_uses() -> None:
    async with Citebook(read_settings(reranker="local", examiner="none")) as citebook:
        await citebook.load_models()
        assert citebook.examiner is None
        assert citebook.reranking is not None
        assert await citebook.reranking.reranker.rerank("torque", ["Torque turns a shaft."]) > [0.0]


async def test_a_calibration_notes_which_local_reranker_it_was_measured_with() -> None:
    async with Citebook(read_settings(reranker="local", examiner="none")) as citebook:
        set_up = citebook.set_up()
        assert set_up.search.reranker == "citebook-examiner-33m-english (10 read, 5 kept)"
        assert set_up.weights["reranking"] == shipped_sha256()
        assert "examining" not in set_up.weights


async def test_while_questions_wait_for_their_turn_the_local_reranker_is_left_out() -> None:
    turns = Turns(1)
    chosen = reranking_of(read_settings(reranker="local"), LocalExaminer(), WORKERS, turns)
    assert chosen is not None
    assert not chosen.is_hurried()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Turns, "are_waited_for", property(lambda _turns: True))
        assert chosen.is_hurried()


@pytest.mark.parametrize(
    ("provider", "missing", "extra"),
    [
        ("openai", "openai", "openai"),
        ("cohere", "cohere", "cohere"),
        ("openai", "bpe_openai", "openai"),
        ("cohere", "bpe_openai", "cohere"),
    ],
)
def test_a_client_that_is_not_installed_is_named(
    provider: str, missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for adapter in ("openai_embeddings", "cohere", "token_counting"):
        monkeypatch.delitem(sys.modules, f"citebook.adapters.{adapter}", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InvalidSettings, match=rf"pip install 'citebook\[{extra}\]'"):
        embedder_of(read_settings(embedder_provider=provider, **KEYS), WORKERS)


ROLES = {"embedder": "EMBEDDER_BASE_URL", "reranker": "RERANKER_BASE_URL"}


@pytest.mark.network
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("chosen_by", ["own", "CO_API_URL"])
async def test_cohere_is_asked_where_it_is_said_to_be(
    role: str, chosen_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as here:
        monkeypatch.setenv("CO_API_URL", here.url if chosen_by == "CO_API_URL" else "http://127.0.0.1:9")
        if chosen_by == "own":
            monkeypatch.setenv(ROLES[role], here.url)
        settings = read_settings(
            embedder_provider="cohere", embedder_dimension=DIMENSION, reranker="cohere", retrieval_seconds=30, **KEYS
        )
        if role == "embedder":
            embedder = embedder_of(settings, WORKERS)
            assert len(await embedder.embed_question("torque")) == DIMENSION
            await embedder.aclose()
        else:
            chosen = reranking(settings)
            assert chosen is not None
            assert await chosen.reranker.rerank("drive", ["a drive"]) == [1.0]
            await chosen.reranker.aclose()


@pytest.mark.network
@pytest.mark.parametrize("chosen_by", ["EMBEDDER_BASE_URL", "OPENAI_BASE_URL"])
async def test_openai_is_asked_where_it_is_said_to_be(chosen_by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as here:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
        monkeypatch.setenv(chosen_by, f"{here.url}/v1")
        embedder = embedder_of(
            read_settings(embedder_provider="openai", embedder_dimension=DIMENSION, **KEYS), WORKERS
        )
        assert len(await embedder.embed_question("torque")) == DIMENSION
        await embedder.aclose()


@pytest.mark.parametrize("provider", ["gemini", "ollama"])
def test_openai_s_variable_is_for_openai_alone(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway/v1")
    settings = read_settings(embedder_provider=provider, embedder_model="nomic-embed-text", **KEYS)
    embedder = embedder_of(settings, WORKERS)
    assert isinstance(embedder, OpenAIEmbedder)
    assert "gateway" not in str(embedder._client.base_url)

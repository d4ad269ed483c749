"""Which models the settings choose: the embedder, the reranker and the language model."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pydantic import SecretStr

from citebook.adapters.llm_providers import COHERE_URL, KNOWN_PROVIDERS, KnownProvider
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.adapters.local_model.reranker import LocalReranker
from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import MissingVariable
from citebook.extras import brought_by
from citebook.pacing.turns import Turns
from citebook.pacing.workers import Workers
from citebook.ports import LanguageModel, LanguageModelProbe, LoadableEmbedder, Reranker
from citebook.searching.reranking import LikestUnits, Reranking
from citebook.settings import Settings

_DEFAULT_EMBEDDERS = {
    "openai": "text-embedding-3-small",
    "gemini": "gemini-embedding-001",
    "cohere": "embed-english-v3.0",
}
_KNOWN_EMBEDDERS = {
    "text-embedding-3-small": (1536, 8191),
    "text-embedding-3-large": (3072, 8191),
    "text-embedding-ada-002": (1536, 8191),
    "text-embedding-004": (768, 2048),
    "gemini-embedding-001": (3072, 2048),
    "embed-english-v3.0": (1024, 450),
    "embed-multilingual-v3.0": (1024, 450),
    "embed-english-light-v3.0": (384, 450),
    "embed-v4.0": (1536, 100_000),
    "nomic-embed-text": (768, 2048),
    "mxbai-embed-large": (1024, 450),
    "all-minilm": (384, 230),
}
"""Dimension, and tokens to fill at most: fewer than a model reads where it counts them in its own way."""
_SECONDS = 30.0
"""For one call of an embedder or reranker while a book is ingested; a reader's own deadline is shorter."""
_SHARE_OF_RETRIEVAL = 0.5
"""Of the time for a search: what the local reranker may take before the search's own order stands."""


class VendorModel(LanguageModel, LanguageModelProbe, Protocol):
    """A language model that can also say whether it is there."""


def embedder_of(settings: Settings, workers: Workers) -> LoadableEmbedder:
    """Raises `MissingVariable` where the chosen vendor lacks its key."""
    provider = settings.embedder_provider
    if provider == "local":
        return LocalEmbedder(settings.citebook_cache_dir, workers, settings.embedder_threads)
    stamp = _stamp(settings)
    if provider == "cohere":
        return _cohere_embedder(settings, stamp)
    known = KNOWN_PROVIDERS[provider]
    given: SecretStr | None = getattr(settings, known.key_setting)
    key = _required(known.key_setting.upper(), given) if known.needs_key else _secret(given) or "none"
    from citebook.adapters.openai_embeddings import OpenAIEmbedder

    base_url = _address(settings, settings.embedder_base_url, known)
    return OpenAIEmbedder.connect(stamp, key, base_url, _token_counter("openai"), _SECONDS)


def _cohere_embedder(settings: Settings, stamp: EmbedderStamp) -> LoadableEmbedder:
    key = _required("COHERE_API_KEY", settings.cohere_api_key)
    from citebook.adapters.cohere import CohereEmbedder, connect

    client = connect(key, settings.embedder_base_url or settings.co_api_url or COHERE_URL, _SECONDS)
    return CohereEmbedder(client, stamp, _token_counter("cohere"))


def _token_counter(extra: str) -> Callable[[Sequence[str]], list[int]]:
    with brought_by(extra):
        from citebook.adapters.token_counting import count_tokens
    return count_tokens


def _stamp(settings: Settings) -> EmbedderStamp:
    name = settings.embedder_model or _DEFAULT_EMBEDDERS.get(settings.embedder_provider)
    if name is None:
        raise MissingVariable("EMBEDDER_MODEL")
    dimension, max_tokens = _KNOWN_EMBEDDERS.get(name, (None, None))
    dimension, max_tokens = settings.embedder_dimension or dimension, settings.embedder_max_tokens or max_tokens
    if dimension is None:
        raise MissingVariable("EMBEDDER_DIMENSION")
    if max_tokens is None:
        raise MissingVariable("EMBEDDER_MAX_TOKENS")
    return EmbedderStamp(name=name, dimension=dimension, max_tokens=max_tokens)


def reranking_of(settings: Settings, examiner: LocalExaminer, workers: Workers, turns: Turns) -> Reranking | None:
    """Raises `MissingVariable` where the chosen vendor lacks its key."""
    if settings.reranker == "none":
        return None
    candidates, keep = settings.rerank_candidates, settings.rerank_top_n
    if settings.reranker == "cohere":
        return Reranking(_cohere_reranker(settings), candidates, keep)
    local = LocalReranker(examiner, workers, settings.retrieval_seconds * _SHARE_OF_RETRIEVAL)
    return Reranking(local, candidates, keep, LikestUnits(), lambda: turns.are_waited_for)


def _cohere_reranker(settings: Settings) -> Reranker:
    key = _required("COHERE_API_KEY", settings.cohere_api_key)
    from citebook.adapters.cohere import CohereReranker, connect

    base_url = settings.reranker_base_url or settings.co_api_url or COHERE_URL
    return CohereReranker(connect(key, base_url, settings.retrieval_seconds), settings.reranker_model)


def language_model_of(settings: Settings) -> VendorModel | None:
    """None where no language model is set."""
    check_language_model(settings)
    provider = settings.llm_provider
    if provider == "extractive":
        return None
    known = KNOWN_PROVIDERS[provider]
    model, base_url = settings.llm_model or known.model or "", _address(settings, settings.llm_base_url, known)
    key: SecretStr | None = getattr(settings, known.key_setting)
    secret = key.get_secret_value() if key else "none"
    if provider == "anthropic":
        from citebook.adapters.language_models.anthropic_model import AnthropicModel

        return AnthropicModel.connect(model, base_url, secret)
    from citebook.adapters.language_models.openai_agents import OpenAIAgentsModel

    return OpenAIAgentsModel.connect(provider, model, base_url, secret)


def check_language_model(settings: Settings) -> None:
    """Raises `MissingVariable` where the chosen language model lacks its key or its name."""
    known = KNOWN_PROVIDERS.get(settings.llm_provider)
    if known is None:
        return
    key: SecretStr | None = getattr(settings, known.key_setting)
    if known.needs_key and not (key and key.get_secret_value()):
        raise MissingVariable(known.key_setting.upper())
    if not (settings.llm_model or known.model):
        raise MissingVariable("LLM_MODEL")


def _required(variable: str, key: SecretStr | None) -> str:
    secret = _secret(key)
    if not secret:
        raise MissingVariable(variable)
    return secret


def _secret(key: SecretStr | None) -> str:
    return key.get_secret_value() if key else ""


def _address(settings: Settings, chosen: str | None, known: KnownProvider) -> str:
    """The one that is set for this use, else the vendor's own variable, else the usual one.

    It is always given to the SDK, which would otherwise look into the environment by itself.
    """
    own: str | None = getattr(settings, known.url_setting) if known.url_setting else None
    return chosen or own or known.base_url

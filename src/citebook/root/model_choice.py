"""Which models the settings choose: the embedder, the reranker and the language model."""

from importlib.util import find_spec
from typing import Protocol

from pydantic import SecretStr

from citebook.adapters.cohere import CohereEmbedder, CohereReranker, connect
from citebook.adapters.llm_providers import KNOWN_PROVIDERS
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.adapters.openai_embeddings import OpenAIEmbedder
from citebook.adapters.token_counting import count_tokens
from citebook.agents.retrieval import Reranking
from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import InvalidSettings, MissingVariable
from citebook.pacing.workers import Workers
from citebook.ports import Embedder, LanguageModel, LanguageModelProbe
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


class LoadableEmbedder(Embedder, Protocol):
    def load(self) -> None:
        """Does now what the first call would do."""
        ...


class VendorModel(LanguageModel, LanguageModelProbe, Protocol):
    """A language model that can also say whether it is there."""


def embedder_of(settings: Settings, workers: Workers) -> LoadableEmbedder:
    """Raises `MissingVariable` where the chosen vendor lacks its key."""
    provider = settings.embedder_provider
    if provider == "local":
        return LocalEmbedder(settings.citebook_cache_dir, workers, settings.embedder_threads)
    stamp = _stamp(settings)
    if provider == "cohere":
        key = _required("COHERE_API_KEY", settings.cohere_api_key)
        _check_installed("cohere", f"EMBEDDER_PROVIDER is {provider}")
        return CohereEmbedder(connect(key, settings.embedder_base_url, _SECONDS), stamp, count_tokens)
    known = KNOWN_PROVIDERS[provider]
    given: SecretStr | None = getattr(settings, known.key_setting)
    key = _required(known.key_setting.upper(), given) if known.needs_key else _secret(given) or "none"
    _check_installed("openai", f"EMBEDDER_PROVIDER is {provider}")
    return OpenAIEmbedder(stamp, key, settings.embedder_base_url or known.base_url, count_tokens, _SECONDS)


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


def reranking_of(settings: Settings) -> Reranking | None:
    if settings.reranker == "none":
        return None
    key = _required("COHERE_API_KEY", settings.cohere_api_key)
    _check_installed("cohere", f"RERANKER is {settings.reranker}")
    reranker = CohereReranker(connect(key, None, settings.retrieval_seconds), settings.reranker_model)
    return Reranking(reranker, settings.rerank_candidates, settings.rerank_top_n)


def language_model_of(settings: Settings) -> VendorModel | None:
    """None where no language model is set."""
    check_language_model(settings)
    provider = settings.llm_provider
    if provider == "extractive":
        return None
    known = KNOWN_PROVIDERS[provider]
    model, base_url = settings.llm_model or known.model or "", settings.llm_base_url or known.base_url
    key: SecretStr | None = getattr(settings, known.key_setting)
    secret = key.get_secret_value() if key else "none"
    _check_installed(known.extra, f"LLM_PROVIDER is {provider}")
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


def _check_installed(extra: str, choice: str) -> None:
    """An extra has the name of the package that it brings."""
    if find_spec(extra) is None:
        raise InvalidSettings(f"{choice}, but its client is not installed. Run: pip install 'citebook[{extra}]'")

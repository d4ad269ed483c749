"""Every setting, from the environment and one optional TOML file; the environment wins."""

import os
import re
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from citebook.domain.book import LanguageCode
from citebook.domain.errors import InvalidSettings
from citebook.qdrant_settings import CollectionName, QdrantSettings
from citebook.unknown_settings import refuse_unknown_names, warn_of_unknown_variables

DEFAULT_BOOK = "default"
"""The id of the book that QDRANT_COLLECTION names."""

_CONFIG_VARIABLE = "CITEBOOK_CONFIG"
_CONFIG_FILE = "citebook.toml"


EmbedderProvider = Literal["local", "openai", "gemini", "ollama", "vllm", "llamacpp", "cohere"]
LlmProvider = Literal["extractive", "openai", "gemini", "ollama", "vllm", "llamacpp", "anthropic"]
Address = Annotated[str, StringConstraints(pattern=r"^https?://\S+$")]


class Settings(QdrantSettings):
    """Each field is read from the variable of the same name in capitals, and from the TOML file in small letters."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, validate_default=True)

    citebook_data_dir: Path = Field(
        default=Path(".citebook"), description="Folder of the embedded index and database."
    )
    citebook_cache_dir: Path = Field(
        default_factory=lambda: Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "citebook",
        description="Folder for what can be made again: the local model as an ONNX file.",
    )
    book_base_url: str | None = Field(
        default=None,
        description="Where the book's pages are on the site; where this is not set, what its site says, or /docs.",
    )
    book_title: str | None = Field(
        default=None,
        description="Name of the book on the reader's page; where this is not set, what its site or a page says.",
    )
    book_language: LanguageCode | None = Field(
        default=None,
        description="Language of the book, such as en or de; where this is not set, what its site says, or en.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="postgresql://… or sqlite:///path; where this is not set, a SQLite file in the data folder.",
    )
    audit_archive: str | None = Field(
        default=None,
        description="Folder or s3://bucket/prefix of old audit records; where this is not set, in the data folder.",
    )
    audit_hot_days: int = Field(
        default=90, ge=1, le=36_500, description="Days that `citebook audit show` looks back."
    )
    audit_warm_days: int = Field(
        default=365,
        ge=1,
        le=36_500,
        description="Days before records leave the database for an archive.",
    )
    audit_retention_days: int = Field(
        default=1_095,
        ge=1,
        le=36_500,
        description="Days after which records are deleted for good, in the database and in archives.",
    )
    personal_data: Literal["off", "mask", "refuse"] = Field(
        default="mask",
        description="Personal data in questions: left as it is, masked in the audit log, or refused.",
    )
    llm_provider: LlmProvider = Field(
        default="extractive",
        description="Who writes answers: extractive quotes the book; the others are language models.",
    )
    llm_model: str | None = Field(
        default=None, min_length=1, description="Name of the language model; vendors have a default."
    )
    llm_base_url: Address | None = Field(
        default=None, description="Address of the language model, if not the provider's usual one."
    )
    llm_api_key: SecretStr | None = Field(
        default=None, description="Key of an Ollama, vLLM or llama.cpp server that asks for one."
    )
    llm_max_output_tokens: int = Field(
        default=1000, ge=16, le=100_000, description="Tokens that a language model may write for one answer."
    )
    llm_excerpt_characters: int = Field(
        default=12_000, ge=500, le=1_000_000, description="Characters of the book that a language model is shown."
    )
    llm_tokens_a_day: int = Field(
        default=20_000_000, ge=1000, description="Tokens that a language model may cost in 24 hours, for all callers."
    )
    llm_tokens_a_day_per_caller: int = Field(
        default=4_000_000, ge=1000, description="The same for the questions of one caller."
    )
    openai_api_key: SecretStr | None = Field(default=None, description="Key for OpenAI.")
    openai_base_url: Address | None = Field(
        default=None, description="Address of OpenAI, where nothing else is set for what is asked of it."
    )
    gemini_api_key: SecretStr | None = Field(default=None, description="Key for Gemini.")
    anthropic_api_key: SecretStr | None = Field(default=None, description="Key for Anthropic.")
    anthropic_base_url: Address | None = Field(
        default=None, description="Address of Anthropic, where LLM_BASE_URL is not set."
    )
    cohere_api_key: SecretStr | None = Field(default=None, description="Key for Cohere.")
    co_api_url: Address | None = Field(
        default=None, description="Address of Cohere, where nothing else is set for what is asked of it."
    )
    embedder_provider: EmbedderProvider = Field(
        default="local", description="Who turns text into vectors: local is the model that ships with Citebook."
    )
    embedder_model: str | None = Field(
        default=None, min_length=1, description="Name of the embedding model; vendors have a default."
    )
    embedder_base_url: Address | None = Field(
        default=None, description="Its address, if not the provider's usual one."
    )
    embedder_dimension: int | None = Field(
        default=None, ge=8, le=16_384, description="Length of its vectors; must be set for a model that is not known."
    )
    embedder_max_tokens: int | None = Field(
        default=None,
        ge=64,
        le=131_072,
        description="Tokens that it reads; must be set for a model that is not known.",
    )
    reranker: Literal["none", "local", "cohere"] = Field(
        default="none", description="Who reads the best passages a second time to put them in order."
    )
    reranker_model: str = Field(default="rerank-v3.5", min_length=1, description="Name of the reranking model.")
    reranker_base_url: Address | None = Field(
        default=None, description="Its address, if not the provider's usual one."
    )
    rerank_candidates: int = Field(default=10, ge=1, le=100, description="Passages that the reranker reads.")
    rerank_top_n: int = Field(default=5, ge=1, le=20, description="Passages that it keeps.")
    examiner: Literal["local", "none"] = Field(
        default="local", description="Who reads the question and the best paragraphs together before one is quoted."
    )
    redis_url: SecretStr | None = Field(
        default=None, description="Redis that counts questions; where this is not set, each process counts its own."
    )
    api_host: str = Field(default="127.0.0.1", description="Address that `citebook serve` listens on.")
    api_port: int = Field(default=8000, ge=0, le=65_535, description="Port that it listens on.")
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Sites whose pages may ask, such as https://book.example.org, separated by commas."
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Addresses or networks of proxies whose X-Forwarded-For is believed."
    )
    rate_limit_anonymous: int | None = Field(
        default=None, ge=1, description="Questions an hour for readers who are not signed in (`core` contract)."
    )
    rate_limit_authenticated: int | None = Field(
        default=None, ge=1, description="Questions an hour for signed-in readers (`core` contract)."
    )
    rate_limit_reads: int = Field(
        default=1200, ge=1, description="Requests a minute of one address for what is only read: pages, histories."
    )
    rate_limit_wrong_keys: int = Field(
        default=20, ge=1, description="Wrong API keys a minute of one address, before none is looked at."
    )
    max_concurrent_answers: int = Field(
        default=200, ge=1, description="Answers that are made at the same time; more are turned away."
    )
    max_connections: int = Field(
        default=1000, ge=1, le=1_000_000, description="Connections at the same time, of all readers together."
    )
    max_connections_per_address: int = Field(
        default=500, ge=1, le=1_000_000, description="Connections at the same time of one address; not of a proxy."
    )
    header_seconds: float = Field(
        default=10.0, gt=0, le=600, description="Time that a client has to send the headers of a request."
    )
    jwt_secret: SecretStr | None = Field(default=None, description="Secret that signs readers' tokens (HS256).")
    jwt_public_key: str | None = Field(default=None, description="PEM key that checks readers' tokens (RS256).")
    jwt_jwks_url: str | None = Field(default=None, description="Where the keys that check tokens are published.")
    jwt_audience: str | None = Field(default=None, description="Audience that tokens must name.")
    jwt_issuer: str | None = Field(default=None, description="Issuer that tokens must name.")
    fallback_faq: Path | None = Field(
        default=None, description="JSON file of questions and answers to show while the index cannot be reached."
    )
    books: dict[str, CollectionName] = Field(
        default_factory=dict, description="More books of this server: book id to collection name."
    )
    policies: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Changes to the contracts' limits and thresholds, by contract."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is logged."
    )
    log_format: Literal["json", "text"] = Field(default="json", description="Form of log lines.")
    log_texts: bool = Field(
        default=False, description="Whether logs may hold what readers ask, prompts and answers, at the level debug."
    )
    search_top_k: int | None = Field(
        default=None, ge=1, le=20, description="Passages that an answer may rest on, where a client does not say."
    )
    dense_weight: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of vector search in the blended score; words have the rest. Not set: as it was measured.",
    )
    chunk_tokens: int = Field(default=512, ge=64, le=800, description="Length of a chunk in tokens.")
    chunk_overlap: float = Field(
        default=0.2,
        ge=0,
        le=0.5,
        description="Share of a chunk that the next one repeats, as nearly as whole sentences allow.",
    )
    page_seconds: float = Field(
        default=150.0,
        ge=1,
        le=3600,
        description="Time that one page may take to be read; one that takes longer is skipped.",
    )
    page_megabytes: int = Field(
        default=1024,
        ge=64,
        le=65_536,
        description="Memory that one page may take to be read; one that needs more is skipped.",
    )
    refuse_below: float | None = Field(
        default=None, ge=0, le=1, description="Answers with a lower confidence are refused."
    )
    warn_below: float | None = Field(
        default=None, ge=0, le=1, description="Answers with a lower confidence carry a warning."
    )
    tolerated_wrong_answers: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Share of given answers that may be wrong; the rest is refused, by the measured calibration.",
    )
    deadline_seconds: float = Field(default=5.0, gt=0, le=600, description="Time for a whole answer.")
    retrieval_seconds: float = Field(default=2.0, gt=0, le=600, description="Time for the search in it.")
    generation_seconds: float = Field(default=2.5, gt=0, le=600, description="Time for the writing in it.")
    recording_seconds: float = Field(
        default=0.5, gt=0, le=60, description="Time for reading and keeping a conversation in SQL."
    )
    stream_gap_seconds: float = Field(
        default=5.0, gt=0, le=600, description="Longest time between two sentences of a stream."
    )
    stream_seconds: float = Field(default=60.0, gt=0, le=3600, description="Time for a whole stream.")
    embedder_threads: int = Field(
        default=0,
        ge=0,
        le=256,
        description="Threads that embed passages while a book is ingested; 0 means one for each core.",
    )

    @field_validator("book_base_url")
    @classmethod
    def _is_where_pages_are(cls, url: str | None) -> str | None:
        if url is None:
            return None
        if not re.fullmatch(r"(https?://[^\s/?#]+)?(/[^\s?#]*)?", url) or not url:
            raise ValueError("must be a path such as /docs, or a URL such as https://example.org/docs")
        return url

    @field_validator("book_language", mode="before")
    @classmethod
    def _language_without_its_country(cls, code: Any) -> Any:
        return code.lower().replace("_", "-").partition("-")[0] if isinstance(code, str) else code

    @field_validator("cors_origins", "trusted_proxies", mode="before")
    @classmethod
    def _separated_by_commas(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("cors_origins")
    @classmethod
    def _origins_are_exact(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        if any("*" in origin or not origin.startswith(("http://", "https://")) for origin in origins):
            raise ValueError("must be exact origins, such as https://book.example.org; * is not allowed")
        return origins

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_networks(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            ip_network(proxy, strict=False)
        return proxies

    @field_validator("books")
    @classmethod
    def _books_are_apart(cls, books: dict[str, str], others: ValidationInfo) -> dict[str, str]:
        """One collection for two books would mix what is uploaded to them, and their calibrations."""
        if DEFAULT_BOOK in books:
            raise ValueError(f"must not name a book {DEFAULT_BOOK}: that is the one of QDRANT_COLLECTION")
        collections = [others.data.get("qdrant_collection"), *books.values()]
        twice = next((name for name in collections if collections.count(name) > 1), None)
        if twice:
            raise ValueError(f"must give each book a collection that no other has, not even the main one: {twice}")
        return books

    @field_validator("log_level", mode="before")
    @classmethod
    def _levels_in_small_letters(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @field_validator("warn_below")
    @classmethod
    def _warning_starts_where_refusal_ends(cls, warn_below: float | None, others: ValidationInfo) -> float | None:
        if warn_below is not None and warn_below < (others.data.get("refuse_below") or 0.0):
            raise ValueError("must not be lower than refuse_below")
        return warn_below

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=_file())


def read_settings(**overrides: Any) -> Settings:
    """Raises `InvalidSettings` that names each wrong setting and its rule, never its value."""
    named = os.environ.get(_CONFIG_VARIABLE)
    if named and not Path(named).is_file():
        raise InvalidSettings(f"{_CONFIG_VARIABLE} names {named}, but there is no such file")
    warn_of_unknown_variables(list(Settings.model_fields), apart_from=_CONFIG_VARIABLE)
    try:
        refuse_unknown_names(_file(), list(Settings.model_fields))
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        found = error.errors(include_input=False)
        problems = [f"{str(problem['loc'][0]).upper()}: {problem['msg']}" for problem in found]
        raise InvalidSettings("Settings that cannot be used:\n  " + "\n  ".join(problems)) from None
    except SettingsError as error:  # a variable whose value should be JSON
        raise InvalidSettings(f"Settings that cannot be used:\n  {error}") from None
    except ValueError as error:
        raise InvalidSettings(f"The settings file cannot be read as TOML: {error}") from None


def _file() -> Path:
    return Path(os.environ.get(_CONFIG_VARIABLE) or _CONFIG_FILE)

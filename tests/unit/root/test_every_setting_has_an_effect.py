"""Each setting is changed, and what it is said to change is looked at. A setting that changes nothing fails."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.api.assembly import app_of, services_of
from citebook.api.contracts import ask, core
from citebook.cli.serve import serve
from citebook.domain.calibration import AS_IT_IS, Calibration, Risk
from citebook.domain.errors import InvalidSettings
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import Filters
from citebook.root import wiring
from citebook.root.citebook import Citebook
from citebook.root.policies import resolve
from citebook.settings import Settings, read_settings
from tests.command_line import citebook as run_citebook
from tests.fakes import WordEmbedder
from tests.small_book import write_book

Observe = Callable[[Settings], Any]
"""What is seen of a Citebook with these settings."""

SECRET = "a secret of at least thirty-two bytes"
KEYS = dict.fromkeys(("openai_api_key", "gemini_api_key", "anthropic_api_key", "cohere_api_key"), "k")
VENDOR = {"embedder_provider": "vllm", "embedder_model": "m", "embedder_dimension": 8, "embedder_max_tokens": 64}


def of_citebook(look: Callable[[Citebook], Any]) -> Observe:
    async def seen(settings: Settings) -> Any:
        async with Citebook(settings) as citebook:
            return look(citebook)

    return lambda settings: asyncio.run(seen(settings))


def refusal_of_citebook(settings: Settings) -> Any:
    """Where no calibration fits the set-up, a target is refused."""
    try:
        return of_citebook(lambda citebook: citebook.agent()._confidence.refuse_below)(settings)
    except InvalidSettings as error:
        return str(error)


def of_services(look: Callable[[Any], Any]) -> Observe:
    async def seen(settings: Settings) -> Any:
        async with Citebook(settings) as citebook:
            return look(await services_of(citebook))

    return lambda settings: asyncio.run(seen(settings))


def of_policy(default: ContractPolicy, name: str) -> Observe:
    return lambda settings: getattr(resolve(default, settings), name)


def refusal_of_a_calibrated_book(settings: Settings) -> float:
    """Below which confidence answers are refused where the set-up was measured."""

    async def seen() -> float:
        async with Citebook(settings) as citebook:
            set_up = citebook.set_up()
            measured = Calibration(
                embedder=set_up.embedder,
                generator=set_up.generator,
                curve=AS_IT_IS,
                risks=(Risk(threshold=0.6, answered=0.5, wrong=0.1),),
                questions=100,
                made_at=datetime.now(UTC),
                set_up=set_up,
            )
            wiring.calibrations_of(settings).keep(measured)
            return citebook.agent()._confidence.refuse_below

    return asyncio.run(seen())


def of_budget(name: str) -> Observe:
    return of_citebook(lambda citebook: getattr(citebook.agent()._budget, name))


def of_writer(name: str) -> Observe:
    return of_citebook(lambda citebook: getattr(citebook.agent()._synthesis._writer, name))


def of_model(name: str) -> Observe:
    return of_citebook(lambda citebook: str(getattr(citebook.language_model._client, name)))  # type: ignore[union-attr]


def of_endpoint(name: str) -> Observe:
    return of_citebook(lambda citebook: getattr(citebook.language_model._endpoint, name))  # type: ignore[union-attr]


def cors_headers(settings: Settings) -> Any:
    async def seen() -> Any:
        async with Citebook(settings) as citebook:
            app, _ = await app_of(citebook)
            return [str(middleware) for middleware in app.user_middleware]

    return asyncio.run(seen())


def first_url(settings: Settings) -> str:
    async def seen() -> str:
        async with Citebook(settings) as citebook:
            book = write_book(settings.citebook_data_dir / "book")
            await citebook.ingest.run(book, progress=lambda _report: None)
            return (await citebook.index().edition()).chapters[0].url

    return asyncio.run(seen())


def order_of_what_is_found(settings: Settings) -> list[str]:
    """For a question that shares no word with its answer."""

    async def seen() -> list[str]:
        async with Citebook(settings) as citebook:
            book = write_book(settings.citebook_data_dir / "book")
            await citebook.ingest.run(book, progress=lambda _report: None)
            await citebook.load_models()
            question = "What flexes so that there is hardly any play?"
            found = await citebook.retrieval().retrieve(question, Filters(), 5)
            return [one.chunk.section_title for one in found.retrieved_chunks]

    return asyncio.run(seen())


def speaks_for(token: str) -> Observe:
    def seen(settings: Settings) -> Any:
        verifier = wiring.tokens_of(settings)
        return None if verifier is None else asyncio.run(verifier.user_id(token))

    return seen


def logging_of_serve(settings: Settings) -> Any:
    """What `citebook serve` does to the log, without serving."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("citebook.cli.serve.read_settings", lambda **_options: settings)
        patch.setattr("citebook.cli.serve.run_server", lambda *_given: asyncio.sleep(0))
        before = logging.getLogger().handlers[:], logging.getLogger().level
        try:
            serve()
            root = logging.getLogger()
            return root.level, type(root.handlers[0].formatter).__name__
        finally:
            logging.getLogger().handlers[:], _ = before
            logging.getLogger().setLevel(before[1])


def config_of_serve(settings: Settings) -> Any:
    """Where `citebook serve` would listen."""
    configs: list[Any] = []

    class Config:
        def __init__(self, _app: Any, host: str, port: int, **_more: Any) -> None:
            configs.append((host, port))
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr("uvicorn.Config", Config)
        patch.setattr("citebook.cli.serve.read_settings", lambda **_options: settings)
        patch.setattr("citebook.cli.serve.set_up_logging", lambda *_given, **_more: None)
        serve()
    return configs


def rules_of_serve(settings: Settings) -> Any:
    """The limits of connections that `citebook serve` is started with."""
    rules: list[Any] = []

    class Server:
        def __init__(self, *given: Any) -> None:
            rules.extend((given[3].most, given[3].most_per_address, given[3].header_seconds))
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr("citebook.api.listening.server.CitebookServer", Server)
        patch.setattr("citebook.cli.serve.read_settings", lambda **_options: settings)
        patch.setattr("citebook.cli.serve.set_up_logging", lambda *_given, **_more: None)
        serve()
    return rules


def said_by(*command: str) -> Observe:
    def seen(settings: Settings) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("citebook.cli.audit.read_settings", lambda **_options: settings)
            return run_citebook(*command).out

    return seen


USER = str(uuid4())
CLAIMS = {"sub": USER, "exp": datetime.now(UTC) + timedelta(hours=1)}
RSA = rsa.generate_private_key(65537, 2048)
PEM = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
HS_TOKEN = jwt.encode(CLAIMS, SECRET, "HS256")
RS_TOKEN = jwt.encode(CLAIMS, RSA, "RS256")


def _embedder_attribute(name: str) -> Observe:
    return of_citebook(lambda citebook: str(getattr(citebook.embedder, name)))


def _reranking(name: str) -> Observe:
    return of_citebook(lambda citebook: getattr(citebook.reranking, name))


address_of_embedder = of_citebook(lambda citebook: str(citebook.embedder._client.base_url))  # type: ignore[attr-defined]
address_of_reranker = of_citebook(
    lambda citebook: citebook.reranking.reranker._client._client_wrapper.get_base_url()  # type: ignore[union-attr]
)


def of_server(look: Callable[[Any], Any]) -> Observe:
    """Of the index on a server that nobody asks."""

    def seen(settings: Settings) -> Any:
        with_server = settings.model_copy(update={"qdrant_url": "http://127.0.0.1:9"})
        return of_citebook(lambda citebook: look(citebook.index()))(with_server)

    return seen


def of_chunk_collection(option: str) -> Observe:
    return of_server(lambda server: server._shape.of_chunks(8)[option])


of_vector_search = of_server(lambda server: server._shape.of_vector_search())


EFFECTS: dict[str, tuple[Any, Observe, dict[str, Any]]] = {
    # name: another value, where its effect is seen, and what else must be set for it to matter
    "citebook_data_dir": (Path("elsewhere"), of_citebook(lambda citebook: citebook.uploads_folder), {}),
    "citebook_cache_dir": (
        Path("elsewhere"),
        of_citebook(lambda citebook: citebook.embedder._model._cache_dir),  # type: ignore[attr-defined]
        {},
    ),
    "book_base_url": ("/book", first_url, {}),
    "book_title": ("Robots", of_services(lambda services: services.book_title), {}),
    "book_language": ("de", of_citebook(lambda citebook: citebook.ingest._language), {}),
    "qdrant_url": ("http://127.0.0.1:9", of_citebook(lambda citebook: type(citebook.index())), {}),
    "qdrant_api_key": (
        "key",
        of_citebook(lambda citebook: citebook.index()._client._client._rest_headers),  # type: ignore[attr-defined]
        {"qdrant_url": "https://127.0.0.1:9"},
    ),
    "qdrant_grpc_port": (6334, of_server(lambda server: server._client._client._prefer_grpc), {}),
    "qdrant_request_seconds": (7, of_server(lambda server: server._client._client._timeout), {}),
    "qdrant_shards": (6, of_chunk_collection("shard_number"), {}),
    "qdrant_replication_factor": (2, of_chunk_collection("replication_factor"), {}),
    "qdrant_write_consistency_factor": (2, of_chunk_collection("write_consistency_factor"), {}),
    "qdrant_read_consistency": ("all", of_server(lambda server: server._shape.consistency), {}),
    "qdrant_vectors_on_disk": (True, of_chunk_collection("vectors_config"), {}),
    "qdrant_payload_on_disk": (False, of_chunk_collection("on_disk_payload"), {}),
    "qdrant_quantization": ("binary", of_chunk_collection("quantization_config"), {}),
    "qdrant_oversampling": (3.0, of_vector_search, {"qdrant_quantization": "int8"}),
    "qdrant_hnsw_m": (32, of_chunk_collection("hnsw_config"), {}),
    "qdrant_hnsw_ef_construct": (200, of_chunk_collection("hnsw_config"), {}),
    "qdrant_hnsw_ef": (200, of_vector_search, {}),
    "qdrant_collection": ("other", of_citebook(lambda citebook: citebook.uploads_folder), {}),
    "database_url": (
        "sqlite:///elsewhere.sqlite3",
        of_citebook(lambda citebook: citebook.database._engine._reading.url),  # type: ignore[attr-defined]
        {},
    ),
    "audit_archive": ("elsewhere", of_citebook(lambda citebook: citebook.audit_archive._store._folder), {}),  # type: ignore[attr-defined]
    "audit_hot_days": (3, said_by("audit", "show"), {}),
    "audit_warm_days": (3, said_by("audit", "archive"), {}),
    "audit_retention_days": (3, of_citebook(lambda citebook: citebook.housekeeping._retention), {}),
    "personal_data": ("refuse", of_services(lambda services: services.personal_data.rule), {}),
    "llm_provider": ("llamacpp", of_citebook(lambda citebook: citebook.generator_name), {}),
    "llm_model": ("other", of_citebook(lambda citebook: citebook.generator_name), {"llm_provider": "llamacpp"}),
    "llm_base_url": ("http://127.0.0.1:9/v1", of_endpoint("base_url"), {"llm_provider": "llamacpp"}),
    "llm_api_key": ("key", of_endpoint("_key"), {"llm_provider": "llamacpp"}),
    "llm_max_output_tokens": (17, of_writer("_max_output_tokens"), {"llm_provider": "llamacpp"}),
    "llm_excerpt_characters": (777, of_writer("_excerpt_characters"), {"llm_provider": "llamacpp"}),
    "llm_tokens_a_day": (7000, of_services(lambda it: it.token_budget.of_all), {"llm_provider": "llamacpp"}),
    "llm_tokens_a_day_per_caller": (
        7000,
        of_services(lambda services: services.token_budget.of_one),
        {"llm_provider": "llamacpp"},
    ),
    "openai_api_key": ("other", of_endpoint("_key"), {**KEYS, "llm_provider": "openai"}),
    "openai_base_url": ("http://127.0.0.1:9/v1", of_endpoint("base_url"), {**KEYS, "llm_provider": "openai"}),
    "anthropic_base_url": ("http://127.0.0.1:9", of_model("base_url"), {**KEYS, "llm_provider": "anthropic"}),
    "co_api_url": ("http://127.0.0.1:9", address_of_reranker, {**KEYS, "reranker": "cohere"}),
    "reranker_base_url": ("http://127.0.0.1:9", address_of_reranker, {**KEYS, "reranker": "cohere"}),
    "gemini_api_key": ("other", of_endpoint("_key"), {**KEYS, "llm_provider": "gemini"}),
    "anthropic_api_key": ("other", of_model("api_key"), {**KEYS, "llm_provider": "anthropic"}),
    "cohere_api_key": (
        "other",
        of_citebook(lambda citebook: citebook.embedder._client._client_wrapper.get_headers()),  # type: ignore[attr-defined]
        {**KEYS, "embedder_provider": "cohere"},
    ),
    "embedder_provider": ("openai", _embedder_attribute("stamp"), KEYS),
    "embedder_model": ("other", _embedder_attribute("stamp"), VENDOR),
    "embedder_base_url": ("http://127.0.0.1:9", address_of_embedder, VENDOR),
    "embedder_dimension": (16, _embedder_attribute("stamp"), VENDOR),
    "embedder_max_tokens": (128, _embedder_attribute("stamp"), VENDOR),
    "embedder_threads": (7, _embedder_attribute("_threads"), {}),
    "examiner": ("none", of_citebook(lambda citebook: citebook.examiner is None), {}),
    "reranker": ("local", order_of_what_is_found, {}),
    "reranker_model": (
        "other",
        of_citebook(lambda citebook: citebook.reranking.reranker.name),  # type: ignore[union-attr]
        {**KEYS, "reranker": "cohere"},
    ),
    "rerank_candidates": (17, _reranking("candidates"), {"reranker": "local"}),
    "rerank_top_n": (3, _reranking("keep"), {"reranker": "local"}),
    "redis_url": ("redis://127.0.0.1:9", of_citebook(lambda citebook: type(citebook.limiter)), {}),
    "api_host": ("127.0.0.2", config_of_serve, {}),
    "api_port": (4711, config_of_serve, {}),
    "cors_origins": (("https://book.example.org",), cors_headers, {}),
    "trusted_proxies": (("10.0.0.0/8",), of_services(lambda services: services.doorkeeper.trusted_proxies), {}),
    "rate_limit_anonymous": (3, of_policy(core.POLICY, "anonymous"), {}),
    "rate_limit_authenticated": (3, of_policy(core.POLICY, "signed_in"), {}),
    "max_concurrent_answers": (3, of_services(lambda services: services.answering.max_at_once), {}),
    "rate_limit_reads": (3, of_services(lambda services: services.doorkeeper.reads), {}),
    "rate_limit_wrong_keys": (3, of_services(lambda services: services.doorkeeper.wrong_keys), {}),
    "max_connections": (3, rules_of_serve, {}),
    "max_connections_per_address": (3, rules_of_serve, {}),
    "header_seconds": (3, rules_of_serve, {}),
    "jwt_secret": (SECRET, speaks_for(HS_TOKEN), {}),
    "jwt_public_key": (PEM.decode(), speaks_for(RS_TOKEN), {}),
    "jwt_jwks_url": ("https://id.example.org/keys", lambda settings: wiring.tokens_of(settings) is None, {}),
    "jwt_audience": ("books", speaks_for(HS_TOKEN), {"jwt_secret": SECRET}),
    "jwt_issuer": ("the school", speaks_for(HS_TOKEN), {"jwt_secret": SECRET}),
    "fallback_faq": (Path("faq.json"), of_services(lambda services: services.faq()), {}),
    "books": ({"biology": "biology-v1"}, of_citebook(lambda citebook: citebook.book_ids), {}),
    "policies": ({"ask": {"top_k": 2}}, of_policy(ask.POLICY, "top_k"), {}),
    "log_level": ("error", logging_of_serve, {}),
    "log_format": ("text", logging_of_serve, {}),
    "log_texts": (True, logging_of_serve, {"log_level": "debug"}),
    "search_top_k": (7, of_policy(ask.POLICY, "top_k"), {}),
    "dense_weight": (0.5, of_citebook(lambda citebook: citebook.agent()._retrieval._weights), {}),
    "chunk_tokens": (100, of_citebook(lambda citebook: citebook.ingest._rules), {}),
    "chunk_overlap": (0.4, of_citebook(lambda citebook: citebook.ingest._rules), {}),
    "page_seconds": (20, of_citebook(lambda citebook: citebook.ingest._limits), {}),
    "page_megabytes": (100, of_citebook(lambda citebook: citebook.ingest._limits), {}),
    "refuse_below": (0.25, of_policy(ask.POLICY, "refuse_below"), {}),
    "warn_below": (0.77, of_policy(ask.POLICY, "warn_below"), {}),
    "tolerated_wrong_answers": (0.4, refusal_of_a_calibrated_book, {}),
    "deadline_seconds": (7, of_budget("total"), {}),
    "retrieval_seconds": (7, of_budget("retrieval"), {}),
    "generation_seconds": (7, of_budget("generation"), {}),
    "stream_gap_seconds": (7, of_budget("stream_gap"), {}),
    "stream_seconds": (7, of_budget("stream_total"), {}),
    "recording_seconds": (0.1, of_citebook(lambda citebook: citebook.conversations._store._database._seconds), {}),  # type: ignore[attr-defined]
}
NEEDS_AN_EMBEDDER = {name for name in EFFECTS if "embed" in name}
NEEDS_AN_EMBEDDER |= {"citebook_cache_dir", "cohere_api_key", "tolerated_wrong_answers"}


def test_every_setting_is_looked_at() -> None:
    assert set(EFFECTS) == set(Settings.model_fields)


@pytest.mark.parametrize("name", EFFECTS)
def test_a_changed_setting_changes_something(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in NEEDS_AN_EMBEDDER:
        monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    monkeypatch.setattr(LocalEmbedder, "load", lambda _self: None)  # its weights take their time, and memory
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faq.json").write_text('[{"question": "?", "answer": "!"}]')
    changed, observe, also_set = EFFECTS[name]
    usual = {"citebook_data_dir": tmp_path / "data", **also_set}
    before = observe(read_settings(**usual))
    assert observe(read_settings(**{**usual, name: changed})) != before

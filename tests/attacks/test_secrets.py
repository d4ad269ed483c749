"""Canary secrets in every setting that holds one: none is in a reply, in the log, or in a served file (row 22)."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from citebook.api.assembly import app_of
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings
from citebook.telemetry import set_up_logging, texts
from tests.contracts.generated_cases import DOCUMENT
from tests.fakes import WordEmbedder
from tests.language_models import ScriptedEndpoint
from tests.small_book import write_book

MARK = "cnry5e3c2et"
SECRETS = sorted(
    name
    for name, field in Settings.model_fields.items()
    if SecretStr in (field.annotation, *get_args(field.annotation))
)
VALUES = {
    "database_url": f"postgresql://reader:{MARK}@127.0.0.1:1/book",
    "redis_url": f"redis://:{MARK}@127.0.0.1:1/0",
    "jwt_secret": f"{MARK}-{'0' * 40}",
}


def settings_with_canaries(**more: Any) -> Settings:
    return read_settings(**{name: VALUES.get(name, f"{MARK}-{name}") for name in SECRETS}, **more)


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("citebook")
    handlers, levels = root.handlers[:], (root.level, ours.level, texts.level)
    yield
    root.handlers[:] = handlers
    for logger, level in zip((root, ours, texts), levels, strict=True):
        logger.setLevel(level)


def test_there_are_secrets_to_look_for() -> None:
    assert {"llm_api_key", "openai_api_key", "anthropic_api_key", "jwt_secret", "database_url"} <= set(SECRETS)
    keys = [name for name in Settings.model_fields if name.endswith(("_key", "_secret", "_password"))]
    assert set(keys) - set(SECRETS) == {"jwt_public_key"}, "a secret is a type that prints as stars"


def test_a_secret_prints_as_stars() -> None:
    settings = settings_with_canaries()
    for shown in (repr(settings), str(settings), str(settings.model_dump()), settings.model_dump_json()):
        assert MARK not in shown


async def replies_to_everything(client: httpx.AsyncClient) -> list[httpx.Response]:
    """Each operation as it should be asked and as it should not, and what the widget and the page load."""
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    ids = {"sessionId": str(uuid4()), "answer_id": str(uuid4()), "ingest_id": str(uuid4())}
    ids |= {"book_id": "default", "chapter_id": "intro"}
    question = {"query": "What is a harmonic drive?", "question": "What is a harmonic drive?"}
    replies = []
    for path, methods in paths.items():
        for method in methods:
            for body in (question, {"query": 1, "question": 1}):
                headers = {"Authorization": "Bearer wrong"} if body is not question else {}
                address = path.format(**ids)
                replies.append(await client.request(method.upper(), address, json=body, headers=headers))
    files = ("/", "/docs", "/openapi.json", "/citebook.js", "/config.json", "/nowhere")
    return [*replies, *[await client.get(file) for file in files]]


@pytest.mark.network
@pytest.mark.parametrize("log_format", ["json", "text"])
async def test_no_canary_is_in_a_reply_or_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], log_format: Any
) -> None:
    """The database, Redis and the language model all fail, and the vendor repeats the key in its error."""
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    monkeypatch.setenv("RECORDING_SECONDS", "0.5")
    async with ScriptedEndpoint(status=401, error=f"Incorrect API key provided: {MARK}-llm_api_key") as vendor:
        plain = read_settings(citebook_data_dir=tmp_path, examiner="none")
        async with Citebook(plain) as citebook:
            await citebook.ingest.run(write_book(tmp_path / "book"), progress=lambda _report: None)
        settings = settings_with_canaries(
            citebook_data_dir=tmp_path, examiner="none", llm_provider="llamacpp", llm_base_url=f"{vendor.url}/v1"
        )
        set_up_logging("debug", log_format)
        async with Citebook(settings) as citebook:
            app, _ = await app_of(citebook)
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://book.test", timeout=60) as client:
                replies = await replies_to_everything(client)
        assert any(MARK in head for head in vendor.headers), "the vendor alone was given the key"
    logged = capsys.readouterr()
    assert len(replies) > 40
    assert "could" in logged.err or "failed" in logged.err, "something was logged"
    assert MARK not in logged.err + logged.out
    for reply in replies:
        assert MARK not in reply.text + str(reply.headers), reply.url


async def test_health_says_up_or_down_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    settings = read_settings(citebook_data_dir=tmp_path, examiner="none")
    async with Citebook(settings) as citebook:
        app, _ = await app_of(citebook)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://book.test") as client:
            replies = await asyncio.gather(
                *(client.get(path) for path in ("/health", "/api/health", "/api/v1/health"))
            )
    for reply in replies:
        assert str(tmp_path) not in reply.text
        assert "Error" not in reply.text
        assert "Traceback" not in reply.text

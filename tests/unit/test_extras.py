"""What is said where a package is missing that only an extra brings."""

import importlib
import sys

import pytest

from citebook.adapters.rate_limits import RedisRateLimiter
from citebook.adapters.sql.database import Database
from citebook.domain.errors import InvalidSettings

ADAPTERS = [
    # adapter, the package that is missing, and the extra that brings it
    ("language_models.openai_agents", "agents", "openai"),
    ("language_models.openai_agents", "aiohttp", "openai"),
    ("language_models.chat_completions", "openai", "openai"),
    ("openai_embeddings", "openai", "openai"),
    ("language_models.anthropic_model", "anthropic", "anthropic"),
    ("cohere", "cohere", "cohere"),
    ("archive_s3", "obstore", "s3"),
    ("qdrant.server", "qdrant_client", "qdrant"),
]


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize(("adapter", "package", "extra"), ADAPTERS)
def test_an_adapter_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, adapter: str, package: str, extra: str
) -> None:
    monkeypatch.delitem(sys.modules, f"citebook.adapters.{adapter}", raising=False)
    hide(monkeypatch, package)
    with pytest.raises(InvalidSettings) as missing:
        importlib.import_module(f"citebook.adapters.{adapter}")
    expected = f"{package} cannot be imported, and what is set needs it. Run: pip install 'citebook[{extra}]'"
    assert str(missing.value) == expected


def test_redis_says_so_when_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "redis")
    with pytest.raises(InvalidSettings, match=r"redis cannot be imported.*'citebook\[redis\]'"):
        RedisRateLimiter("redis://127.0.0.1:9")


def test_postgresql_says_so_when_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "psycopg")
    with pytest.raises(InvalidSettings, match=r"psycopg cannot be imported.*'citebook\[postgres\]'"):
        Database.connect("postgresql://127.0.0.1:9/book")

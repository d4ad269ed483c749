"""From settings to a language model, or to the one message that says what is missing."""

import sys
from pathlib import Path

import pytest

from citebook.adapters.language_models.anthropic_model import AnthropicModel
from citebook.adapters.language_models.openai_agents import OpenAIAgentsModel
from citebook.adapters.llm_providers import KNOWN_PROVIDERS
from citebook.api.assembly import services_of
from citebook.api.health import PartStates, _examine, http_status_of
from citebook.cli import exit_codes
from citebook.domain.errors import InvalidSettings, MissingVariable
from citebook.root.citebook import Citebook
from citebook.root.wiring import language_model_of
from citebook.settings import read_settings
from tests.command_line import citebook
from tests.fakes import WordEmbedder
from tests.language_models import KEY, ScriptedEndpoint


@pytest.fixture(autouse=True)
def _an_embedder_that_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())


def test_the_default_needs_no_language_model() -> None:
    assert language_model_of(read_settings()) is None


@pytest.mark.parametrize("provider", KNOWN_PROVIDERS)
async def test_every_provider_can_be_chosen(provider: str) -> None:
    key = KNOWN_PROVIDERS[provider].key_setting
    settings = read_settings(llm_provider=provider, llm_model="some-model", **{key: KEY})
    model = language_model_of(settings)
    assert model is not None
    assert model.name == f"{provider}/some-model"
    await model.aclose()


@pytest.mark.parametrize(
    ("provider", "model"), [("gemini", "gemini-1.5-pro"), ("openai", "gpt-4o-mini"), ("anthropic", None)]
)
async def test_names_of_the_seeds_are_taken_and_vendors_have_a_default(provider: str, model: str | None) -> None:
    key = KNOWN_PROVIDERS[provider].key_setting
    chosen = language_model_of(read_settings(llm_provider=provider, llm_model=model, **{key: KEY}))
    assert chosen is not None
    assert chosen.name == f"{provider}/{model or KNOWN_PROVIDERS[provider].model}"
    await chosen.aclose()


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("ollama", "LLM_MODEL"),
        ("vllm", "LLM_MODEL"),
    ],
)
@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("ask", "What is a gear?"), ("demo", "--ask")])
def test_what_is_missing_stops_the_start_and_nothing_else_is_printed(
    provider: str, variable: str, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LLM_PROVIDER", provider)
    ended = citebook(*command, "--data-dir", tmp_path)
    assert (ended.out, ended.err) == ("", f"Required environment variable {variable} not set.\n")
    assert ended.exit_code == exit_codes.UNUSABLE_INPUT


def test_an_empty_key_is_a_missing_key() -> None:
    with pytest.raises(MissingVariable):
        language_model_of(read_settings(llm_provider="openai", openai_api_key=""))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_client_that_is_not_installed_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for adapter in ("openai_agents", "anthropic_model"):
        monkeypatch.delitem(sys.modules, f"citebook.adapters.language_models.{adapter}", raising=False)
    for package in ("agents", "anthropic"):
        monkeypatch.setitem(sys.modules, package, None)
    settings = read_settings(llm_provider=provider, openai_api_key=KEY, anthropic_api_key=KEY)
    with pytest.raises(InvalidSettings, match=rf"pip install 'citebook\[{provider}\]'"):
        language_model_of(settings)


@pytest.mark.parametrize(
    ("provider", "settings", "expected"),
    [
        ("openai", {}, "https://api.openai.com/v1/"),
        ("openai", {"openai_base_url": "http://gateway/v1"}, "http://gateway/v1/"),
        ("openai", {"openai_base_url": "http://gateway/v1", "llm_base_url": "http://mine/v1"}, "http://mine/v1/"),
        ("gemini", {"openai_base_url": "http://gateway/v1"}, KNOWN_PROVIDERS["gemini"].base_url),
        ("vllm", {"openai_base_url": "http://gateway/v1"}, "http://127.0.0.1:8000/v1/"),
        ("anthropic", {}, "https://api.anthropic.com"),
        ("anthropic", {"anthropic_base_url": "http://gateway"}, "http://gateway"),
        ("anthropic", {"anthropic_base_url": "http://gateway", "llm_base_url": "http://mine"}, "http://mine"),
    ],
)
async def test_the_address_is_the_one_that_is_set_then_the_vendor_s_own_then_the_usual_one(
    provider: str, settings: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = dict.fromkeys(("openai_api_key", "gemini_api_key", "anthropic_api_key"), KEY)
    for name, value in settings.items():
        monkeypatch.setenv(name.upper(), value)
    model = language_model_of(read_settings(llm_provider=provider, llm_model="m", **keys))
    assert isinstance(model, OpenAIAgentsModel | AnthropicModel)
    base_url = model.base_url if isinstance(model, OpenAIAgentsModel) else str(model._client.base_url)
    assert base_url.rstrip("/") == expected.rstrip("/")
    await model.aclose()


# --- what the operator is told


@pytest.mark.network
@pytest.mark.parametrize("provider", ["llamacpp", "anthropic"])
async def test_health_asks_the_vendor_and_not_too_often(provider: str, tmp_path: Path) -> None:
    async with ScriptedEndpoint() as endpoint:
        settings = read_settings(
            citebook_data_dir=tmp_path, llm_provider=provider, llm_base_url=endpoint.url, anthropic_api_key=KEY
        )
        async with Citebook(settings) as citebook:
            services = await services_of(citebook)
            state = PartStates(services)
            found = [await _examine(services, state) for _ in range(5)]
    assert [one.generator for one in found] == ["up"] * 5
    assert found[0].parts["claude_api"] == ("up" if provider == "anthropic" else "not configured")
    assert len(endpoint.headers) == 1


@pytest.mark.network
async def test_a_service_whose_language_model_is_down_says_so(tmp_path: Path) -> None:
    settings = read_settings(citebook_data_dir=tmp_path, llm_provider="llamacpp", llm_base_url="http://127.0.0.1:9")
    async with Citebook(settings) as citebook:
        services = await services_of(citebook)
        found = await _examine(services, PartStates(services))
    assert (found.generator, found.status, http_status_of(found.status)) == ("down", "unhealthy", 503)


@pytest.mark.network
def test_the_doctor_asks_the_language_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "llamacpp")
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LLM_API_KEY", KEY)
    shown = citebook("doctor", "--data-dir", tmp_path)
    assert "FIX  Language model" in shown.out
    assert "cannot be reached" in shown.out
    assert KEY not in shown.out

"""Where each provider's models are, and what they ask for."""

from dataclasses import dataclass

COHERE_URL = "https://api.cohere.com"


@dataclass(frozen=True, slots=True)
class KnownProvider:
    base_url: str
    key_setting: str
    model: str | None = None
    """The language model to use; None where nobody but the operator can know it."""
    needs_key: bool = True
    url_setting: str | None = None
    """The vendor's own variable for its address, which its SDK would read."""


_OWN_KEY = "llm_api_key"

KNOWN_PROVIDERS = {
    "openai": KnownProvider(
        "https://api.openai.com/v1", "openai_api_key", "gpt-5.4-mini", url_setting="openai_base_url"
    ),
    "gemini": KnownProvider(
        "https://generativelanguage.googleapis.com/v1beta/openai/", "gemini_api_key", "gemini-3.5-flash-lite"
    ),
    "ollama": KnownProvider("http://127.0.0.1:11434/v1", _OWN_KEY, needs_key=False),
    "vllm": KnownProvider("http://127.0.0.1:8000/v1", _OWN_KEY, needs_key=False),
    "llamacpp": KnownProvider("http://127.0.0.1:8080/v1", _OWN_KEY, "default", needs_key=False),
    "anthropic": KnownProvider(
        "https://api.anthropic.com", "anthropic_api_key", "claude-haiku-5-5", url_setting="anthropic_base_url"
    ),
}

"""What the HTTP service is told by the settings, beside the parts that it is given."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citebook.domain.errors import InvalidSettings
from citebook.settings import Settings


@dataclass(frozen=True, slots=True)
class HttpOptions:
    book_title: str | None
    faq: list[dict[str, Any]] | None
    """None where the book's own frequent questions are told."""
    trusted_proxies: tuple[str, ...]
    cors_origins: tuple[str, ...]
    max_concurrent_answers: int
    reads_a_minute: int
    wrong_keys_a_minute: int
    has_postgres: bool
    has_claude: bool


def http_options(settings: Settings) -> HttpOptions:
    return HttpOptions(
        book_title=settings.book_title,
        faq=_faq(settings.fallback_faq),
        trusted_proxies=settings.trusted_proxies,
        cors_origins=settings.cors_origins,
        max_concurrent_answers=settings.max_concurrent_answers,
        reads_a_minute=settings.rate_limit_reads,
        wrong_keys_a_minute=settings.rate_limit_wrong_keys,
        has_postgres=settings.database_url is not None,
        has_claude=settings.llm_provider == "anthropic",
    )


def _faq(path: Path | None) -> list[dict[str, Any]] | None:
    if path is None:
        return None
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidSettings(f"FALLBACK_FAQ cannot be read as JSON: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidSettings("FALLBACK_FAQ must be a JSON list of objects")
    return entries

"""Fences data in a prompt with a code that the data cannot know."""

import hashlib
from collections.abc import Sequence

_MARK_LENGTH = 12


def fenced(name: str, text: str, mark: str) -> str:
    return f"=== {mark} {name}\n{text}\n=== {mark} end of {name}"


def marker(texts: Sequence[str]) -> str:
    """A code that stands in none of the texts, made of all of them: whoever writes one cannot know it."""
    digest = hashlib.sha256("\x00".join(texts).encode("utf-8", "replace"))
    while any(digest.hexdigest()[:_MARK_LENGTH] in text for text in texts):
        digest.update(b"again")
    return digest.hexdigest()[:_MARK_LENGTH]

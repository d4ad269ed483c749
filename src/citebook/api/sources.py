"""What a citation looks like to a client: the one place for all contracts, which only rename and add fields."""

from typing import Any

from citebook.domain.answer import Answer, Citation, NearPlace, Suggestion
from citebook.domain.conversation import SourceCitation
from citebook.domain.events import SentenceVerified
from citebook.language.text import cut_at_word

EXAMPLE_PARTS: list[Any] = [
    {
        "blocks": [
            {
                "kind": "paragraph",
                "text": [
                    {"text": "A harmonic drive is a gear that bends a thin steel ", "marks": []},
                    {"text": "cup", "marks": ["emphasis"]},
                    {"text": ".", "marks": []},
                ],
            }
        ],
        "citation": 1,
    }
]
"""What answers look like in the OpenAPI document."""


def source_of(citation: Citation | SourceCitation | NearPlace, longest_excerpt: int) -> dict[str, Any]:
    """The fields that sources of all contracts share; the excerpt is the book's own words."""
    return {
        "chapter_id": citation.chapter_id,
        "chapter_title": citation.chapter_title,
        "section_title": citation.section_title,
        "page": citation.page,
        "url": citation.url,
        "excerpt": cut_at_word(citation.excerpt, longest_excerpt),
    }


def suggestion_of(suggestion: Suggestion) -> dict[str, str]:
    """The fields of a part of the book that the reader may have meant."""
    return {"title": suggestion.title, "url": suggestion.url, "snippet": suggestion.snippet}


def parts_of(told: SentenceVerified | Answer) -> list[dict[str, Any]]:
    """What was told, as blocks, in JSON."""
    return [part.model_dump(mode="json") for part in told.parts]

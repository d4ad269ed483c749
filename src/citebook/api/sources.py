"""What a citation looks like to a client: the one place for all contracts, which only rename and add fields."""

from typing import Annotated, Any

from pydantic import Field

from citebook.api.wire import WireResponse
from citebook.domain.answer import Answer, Citation, NearPlace, Suggestion
from citebook.domain.blocks import Block
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


class CitedPlace(WireResponse):
    """All of what is cited, and where it stands: an excerpt is cut to a length, this is not."""

    start: Annotated[int, Field(ge=0, description="Of its first character in the source file.")]
    end: Annotated[int, Field(gt=0, description="Behind its last.")]
    text: Annotated[str, Field(description="Its words as the page shows them; of a very long one, the beginning.")]
    blocks: Annotated[list[Block], Field(description="The same as blocks.")]
    before: Annotated[list[Block], Field(description="The sentence that stands before it, where it is short.")]
    after: Annotated[list[Block], Field(description="The sentence that follows, likewise.")]


EXAMPLE_PLACE: dict[str, Any] = {
    "start": 120,
    "end": 177,
    "text": "A harmonic drive is a gear that bends a thin steel cup.",
    "blocks": EXAMPLE_PARTS[0]["blocks"],
    "before": [],
    "after": [],
}


def place_of(citation: Citation | SourceCitation | NearPlace) -> CitedPlace | None:
    """None of what was kept: its place holds for one edition only; and of what proves nothing."""
    if not isinstance(citation, Citation):
        return None
    return CitedPlace(
        start=citation.start,
        end=citation.end,
        text=citation.shown or citation.excerpt,
        blocks=list(citation.blocks),
        before=list(citation.before),
        after=list(citation.after),
    )


def source_of(citation: Citation | SourceCitation | NearPlace, longest_excerpt: int) -> dict[str, Any]:
    """The fields that sources of all contracts share; the excerpt is the book's own words."""
    return {
        "chapter_id": citation.chapter_id,
        "chapter_title": citation.chapter_title,
        "section_title": citation.section_title,
        "page": citation.page,
        "url": citation.url,
        "excerpt": cut_at_word(citation.excerpt, longest_excerpt),
        "place": place_of(citation),
    }


def suggestion_of(suggestion: Suggestion) -> dict[str, str]:
    """The fields of a part of the book that the reader may have meant."""
    return {"title": suggestion.title, "url": suggestion.url, "snippet": suggestion.snippet}


def parts_of(told: SentenceVerified | Answer) -> list[dict[str, Any]]:
    """What was told, as blocks, in JSON."""
    return [part.model_dump(mode="json") for part in told.parts]

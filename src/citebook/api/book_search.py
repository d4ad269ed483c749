"""Sections of the book that have what a reader types, key by key."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field

from citebook.api.problems import ProblemKind
from citebook.api.reader_routes import reader_errors, reader_router
from citebook.api.services import Services
from citebook.api.wire import WireResponse

_LONGEST = 200


class SectionFound(WireResponse):
    title: Annotated[str, Field(description="Of the section. Plain text, as all that follows.")]
    page: Annotated[str, Field(description="The title of the page that it stands on.")]
    part: Annotated[str | None, Field(description="The group that the page stands in.")]
    url: str
    snippet: Annotated[str, Field(description="A sentence of the section in the book's own words, or its beginning.")]


class CorrectedWord(WireResponse):
    typed: str
    searched: str


class SectionsFound(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "sections": [
                        {
                            "title": "Harmonic drives",
                            "page": "Gears",
                            "part": "Module 1: Joints",
                            "url": "/docs/joints/gears#harmonic-drives",
                            "snippet": "A harmonic drive is a gear that bends a thin steel cup.",
                        }
                    ],
                    "corrections": [],
                }
            ]
        }
    )

    sections: Annotated[list[SectionFound], Field(description="The best first; none where nothing is like it.")]
    corrections: Annotated[list[CorrectedWord], Field(description="Words that were mistyped, and what was sought.")]


Typed = Annotated[
    str,
    Query(
        description="What stands in the box; its last word may be half there.", max_length=_LONGEST, examples=["harm"]
    ),
]
Most = Annotated[int, Query(description="How many sections at the most.", ge=1, le=20)]


def router(services: Services) -> APIRouter:
    routes = reader_router()

    @routes.get(
        "/api/search",
        response_model=SectionsFound,
        responses=reader_errors(ProblemKind.INVALID),
    )
    async def search(q: Typed, limit: Most = 8) -> SectionsFound:
        """Sections by title and by words, without asking a question: made to be called at each key."""
        found = await services.book().sections.find(q, limit)
        return SectionsFound(
            sections=[SectionFound.model_validate(section._asdict()) for section in found.sections],
            corrections=[CorrectedWord(typed=one.typed, searched=one.searched) for one in found.corrections],
        )

    return routes

"""Questions that a reader may begin with on a page, or go on with after an answer."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from citebook.api.problems import ProblemKind, invalid
from citebook.api.reader_routes import UNCHANGED, KnownTag, is_known, not_modified, reader_errors, reader_router
from citebook.api.services import Services
from citebook.api.wire import WireResponse

_LONGEST = 500


class OfferedQuestion(WireResponse):
    question: Annotated[str, Field(description="Plain text, as all that follows.")]
    url: Annotated[str, Field(description="Of the section that its answer is quoted from.")]
    section: Annotated[str, Field(description="The title of that section.")]


class OfferedQuestions(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "questions": [
                        {
                            "question": "What is a harmonic drive?",
                            "url": "/docs/joints/gears#harmonic-drives",
                            "section": "Harmonic drives",
                        }
                    ]
                }
            ]
        }
    )

    questions: Annotated[list[OfferedQuestion], Field(description="None where no answer is likely enough.")]


PageWanted = Annotated[
    str | None,
    Query(
        description="The id of a page or its address: questions that it answers come first.",
        max_length=_LONGEST,
        examples=["joints/gears"],
    ),
]
Behind = Annotated[
    str | None,
    Query(
        description="In place of `page`, the address of a section that was just read: questions that go on from it.",
        max_length=_LONGEST,
    ),
]
Most = Annotated[int, Query(description="How many questions at the most.", ge=1, le=10)]


def router(services: Services) -> APIRouter:
    routes = reader_router()

    @routes.get(
        "/api/questions",
        response_model=OfferedQuestions,
        responses={**reader_errors(ProblemKind.INVALID), **UNCHANGED},
    )
    async def questions(
        response: Response, page: PageWanted = None, after: Behind = None, limit: Most = 3, known: KnownTag = None
    ) -> Any:
        """Questions that the book is known to answer well, of this page first or of what follows a section."""
        if page is not None and after is not None:
            raise invalid("after", "must not be given with page")
        offered = services.book().questions
        edition, found = await (
            offered.to_begin_with(page, limit) if after is None else offered.to_go_on_with(after, limit)
        )
        if is_known(response, known, edition, *(f"{one.question} {one.url}" for one in found)):
            return not_modified(response)
        return OfferedQuestions(questions=[OfferedQuestion.model_validate(one._asdict()) for one in found])

    return routes

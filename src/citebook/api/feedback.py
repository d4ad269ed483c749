"""Takes what readers think of answers."""

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from citebook.api.problems import ProblemKind, invalid
from citebook.api.reader_problems import ReaderError, error_response
from citebook.api.routes import contract_router, described_errors, limit_headers
from citebook.api.services import Services
from citebook.api.wire import WireRequest
from citebook.domain.feedback import MAX_NOTE_CHARACTERS, Feedback, Reason
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import TextRule
from citebook.domain.storable import storable

POLICY = ContractPolicy(
    name="feedback",
    question=TextRule(min_characters=0, max_characters=MAX_NOTE_CHARACTERS),  # the rule for the note
    max_body_bytes=16 * 1024,
)
_PROBLEMS = (ProblemKind.INVALID, ProblemKind.RATE_LIMITED, ProblemKind.DATABASE, ProblemKind.INTERNAL)


class FeedbackRequest(WireRequest):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "answer_id": "4be0643f-1d98-473b-97cd-ca98a65347dd",
                    "rating": "down",
                    "note": "It says how to clean the cup, not what it is.",
                    "reason": "off_topic",
                }
            ]
        }
    )

    answer_id: Annotated[UUID, Field(strict=False, description="The `answer_id` of the answer.")]
    rating: Literal["up", "down"]
    note: Annotated[
        str | None,
        Field(
            description=f"At most {MAX_NOTE_CHARACTERS} characters, after trimming.",
            json_schema_extra={"maxLength": MAX_NOTE_CHARACTERS},
        ),
    ] = None
    reason: Annotated[Reason | None, Field(description="Why an answer is bad, in one word.")] = None


def router(services: Services) -> APIRouter:
    policy = services.policy(POLICY)
    routes = contract_router(error_response, policy.body, "reader")

    @routes.post(
        "/api/feedback",
        status_code=204,
        response_class=Response,
        responses=described_errors(ReaderError, error_response, *_PROBLEMS),
    )
    async def give_feedback(request: Request, body: FeedbackRequest) -> Response:
        """Say what you think of an answer; the last word of one caller counts.

        Any id is taken: some answers are kept nowhere, and whether one exists is not told.
        """
        note = storable(body.note or "").strip() or None
        longest = policy.question.max_characters
        if note and longest is not None and len(note) > longest:
            raise invalid("note", f"must have at most {longest} characters")
        caller = services.doorkeeper.anonymous(request)
        allowance = await services.doorkeeper.count(caller, policy)
        await services.feedback.add(
            Feedback(
                answer_id=body.answer_id,
                rating=body.rating,
                note=note,
                reason=body.reason,
                client_id=caller.client_id,
                created_at=datetime.now(UTC),
            )
        )
        return Response(status_code=204, headers=limit_headers(allowance))

    return routes

"""How the addresses that show the book are made: no body, their problems, and tags for what a client has already."""

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Header
from starlette.responses import Response

from citebook.api.problems import ProblemKind
from citebook.api.reader_problems import ReaderError, error_response
from citebook.api.routes import contract_router, described_errors
from citebook.domain.policy import BodyRule

_NO_BODY = BodyRule(bytes=1024, seconds=30.0)
_OF_ALL = (ProblemKind.RATE_LIMITED, ProblemKind.VECTOR_STORE, ProblemKind.INTERNAL)

UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "The client has it already."}}

KnownTag = Annotated[
    str | None, Header(alias="If-None-Match", description="The `ETag` of what the client has already.")
]


def reader_router() -> APIRouter:
    return contract_router(error_response, _NO_BODY, "reader")


def reader_errors(*own: ProblemKind) -> dict[int | str, dict[str, Any]]:
    """For the OpenAPI document: those of an address itself, and those of all."""
    return described_errors(ReaderError, error_response, *own, *_OF_ALL)


def is_known(response: Response, known: str | None, *facts: str) -> bool:
    """Gives the response its tag; says whether the client sent that tag."""
    tag = f'"{hashlib.sha256(repr(facts).encode(errors="surrogatepass")).hexdigest()[:32]}"'
    response.headers.update({"ETag": tag, "Cache-Control": "no-cache"})
    sent = [part.strip().removeprefix("W/") for part in (known or "").split(",")]
    return tag in sent or sent == ["*"]


def not_modified(response: Response) -> Response:
    return Response(status_code=304, headers=dict(response.headers))

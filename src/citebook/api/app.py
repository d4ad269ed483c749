"""The application: contracts, health, and what stands between them and the network."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citebook.api import book_pages, book_questions, book_search, description_page, feedback, health, web_files
from citebook.api.callers import SESSION_HEADER
from citebook.api.contracts import academic, agent, ask, core, textbook
from citebook.api.front_door import FrontDoor
from citebook.api.keeping import KEEP_HEADER
from citebook.api.openapi_correction import corrected
from citebook.api.request_ids import HEADER, RequestIds, request_id
from citebook.api.services import Services
from citebook.api.spread import Spread
from citebook.domain.errors import CitebookError

_DESCRIPTION = (
    "Answers questions about a book from the book alone, and proves each of them. Where a text is Markdown its "
    "description says so, and the book's own text in it is escaped. All other texts, such as excerpts and titles, "
    "are the book's to the letter: show them as text, never as HTML or Markdown."
)
_EXPOSED = [
    SESSION_HEADER,
    HEADER,
    "Retry-After",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
]


def create_app(services: Services, origins: Sequence[str] = ()) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(job()) for job in services.background_jobs]
        try:
            yield
        finally:
            services.stopping.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    app = _Documented(
        title="Citebook",
        version=version("citebook"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        openapi_url=description_page.DOCUMENT,
        docs_url=None,  # the framework's page loads its scripts from another site
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.stopping, app.state.doorkeeper = services.stopping, services.doorkeeper
    # Routes are taken over as they are: `include_router` makes each once more, at the cost of the first question.
    for contract in (textbook, core, academic, agent, ask, book_pages, book_search, book_questions, feedback, health):
        app.router.routes.extend(contract.router(services).routes)
    app.router.routes.extend([*description_page.routes(app), *web_files.routes()])
    app.add_exception_handler(404, _not_found)
    app.add_exception_handler(405, _wrong_method)
    app.add_exception_handler(Exception, _failed)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Content-Type", "Authorization", SESSION_HEADER, KEEP_HEADER, HEADER],
            expose_headers=_EXPOSED,
        )
    app.add_middleware(Spread)
    app.add_middleware(FrontDoor)
    app.add_middleware(RequestIds)
    return app


class _Documented(FastAPI):
    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = corrected(super().openapi())
        return self.openapi_schema


async def _not_found(_request: Request, _error: Exception) -> Response:
    return JSONResponse({"detail": f"There is nothing here. See {description_page.ADDRESS} for what there is."}, 404)


async def _wrong_method(_request: Request, error: Exception) -> Response:
    detail = f"This address does not take that method. See {description_page.ADDRESS} for what it takes."
    return JSONResponse({"detail": detail}, 405, getattr(error, "headers", None))


async def _failed(request: Request, _error: Exception) -> Response:
    """For what is outside of all contracts; the server logs the error itself."""
    return JSONResponse({"detail": CitebookError.user_message}, 500, {HEADER: request_id(request)})

"""The application: contracts, health, and what stands between them and the network."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citebook.api import health
from citebook.api.callers import SESSION_HEADER
from citebook.api.contracts import academic, agent, ask, core, textbook
from citebook.api.request_ids import HEADER, RequestIds
from citebook.api.services import Services

_DESCRIPTION = "Answers questions about a book from the book alone, and proves each of them."
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
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks, return_exceptions=True)
            await services.close()

    app = FastAPI(
        title="Citebook", version=version("citebook"), description=_DESCRIPTION, lifespan=lifespan, redoc_url=None
    )
    for contract in (textbook, core, academic, agent, ask, health):
        app.include_router(contract.router(services))
    app.add_exception_handler(404, _not_found)
    app.add_exception_handler(405, _not_found)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Content-Type", "Authorization", SESSION_HEADER, HEADER],
            expose_headers=_EXPOSED,
        )
    app.add_middleware(RequestIds)
    return app


async def _not_found(_request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"detail": "There is nothing here. See /docs for what there is."}, status)

"""Health: asks each part for real, within a short time, and says up, down or not configured."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime
from math import inf
from time import monotonic
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse, Response

from citebook.api.services import Services
from citebook.api.wire import CamelResponse, WireResponse
from citebook.ports import LanguageModelProbe

_SECONDS = 2.0
_SECONDS_BETWEEN_PINGS = 10.0
State = Literal["up", "down", "not configured"]
_SERVICES: dict[str, Any] = {
    "qdrant": "up",
    "llm": "not configured",
    "postgres": "not configured",
    "claude_api": "not configured",
    "sessions": "up",
}


class Health(WireResponse):
    """One body for the `textbook`, `academic` and `agent` contracts."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "healthy",
                    "timestamp": "2026-01-05T09:30:00Z",
                    "services": _SERVICES,
                    "qdrant_status": "up",
                    "qdrant_collection_count": 215,
                    "llm_status": "not configured",
                }
            ]
        }
    )

    status: Literal["healthy", "degraded", "unhealthy"]
    timestamp: datetime
    services: dict[str, State]
    qdrant_status: State
    qdrant_collection_count: Annotated[int, Field(ge=0)]
    llm_status: State


class CoreHealth(CamelResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"status": "healthy", "timestamp": "2026-01-05T09:30:00Z", "services": _SERVICES}]
        }
    )

    status: Literal["healthy", "degraded", "unhealthy"]
    timestamp: datetime
    services: dict[str, State]


class AskHealth(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"status": "healthy", "qdrant": "up", "llm": "not configured"}]}
    )

    status: Literal["healthy", "degraded", "unhealthy"]
    qdrant: State
    llm: State


def router(services: Services) -> APIRouter:
    routes = APIRouter(tags=["health"])
    language_model = _LanguageModelState(services.language_model)

    @routes.get("/health", response_model=Health, responses=_down(Health))
    async def health() -> Response:
        """Whether the service and the parts it needs are up."""
        found = await _examine(services, language_model)
        body = Health(
            status=found.status,
            timestamp=datetime.now(UTC),
            services=found.services,
            qdrant_status=found.index,
            qdrant_collection_count=found.chunks,
            llm_status=found.generator,
        )
        return JSONResponse(body.model_dump(mode="json"), found.http_status)

    @routes.get("/api/v1/health", response_model=CoreHealth, responses=_down(CoreHealth))
    async def core_health() -> Response:
        """The same for the `core` contract."""
        found = await _examine(services, language_model)
        body = CoreHealth(status=found.status, timestamp=datetime.now(UTC), services=found.services)
        return JSONResponse(body.model_dump(mode="json", by_alias=True), found.http_status)

    @routes.get("/api/health", response_model=AskHealth, responses=_down(AskHealth))
    async def ask_health() -> Response:
        """The same for the `ask` contract."""
        found = await _examine(services, language_model)
        body = AskHealth(status=found.status, qdrant=found.index, llm=found.generator)
        return JSONResponse(body.model_dump(mode="json"), found.http_status)

    return routes


def _down(model: type[WireResponse]) -> dict[int | str, dict[str, Any]]:
    return {503: {"model": model, "description": "A part that answers need is down."}}


class _HealthReport:
    def __init__(self, chunks: int | None, database_is_up: bool, language_model: State, services: Services) -> None:
        self.index: State = "down" if chunks is None else "up"
        self.chunks = chunks or 0
        self.generator = language_model
        postgres: State = "not configured"
        if services.has_postgres:
            postgres = "up" if database_is_up else "down"
        self.services: dict[str, State] = {
            "qdrant": self.index,
            "llm": self.generator,
            "postgres": postgres,
            "claude_api": self.generator if services.has_claude else "not configured",
            "sessions": "up" if database_is_up else "down",
        }
        self._database_is_up = database_is_up

    @property
    def status(self) -> Literal["healthy", "degraded", "unhealthy"]:
        if "down" in (self.index, self.generator):
            return "unhealthy"
        return "healthy" if self._database_is_up else "degraded"

    @property
    def http_status(self) -> int:
        return 503 if self.status == "unhealthy" else 200


async def _examine(services: Services, language_model: "_LanguageModelState") -> _HealthReport:
    edition, database, generator = await asyncio.gather(
        _within_time(services.book().index.edition()),
        _within_time(services.database.ping(), default=True),
        language_model.ask(),
    )
    chunks = None if edition is None else edition.chunk_count
    return _HealthReport(chunks, database is not None, generator, services)


class _LanguageModelState:
    """Asks the vendor at most once in ten seconds, however often someone asks us."""

    def __init__(self, probe: LanguageModelProbe | None) -> None:
        self._probe = probe
        self._asking = asyncio.Lock()
        self._known: State = "not configured"
        self._asked_at = -inf

    async def ask(self) -> State:
        if self._probe is None:
            return "not configured"
        async with self._asking:
            if monotonic() - self._asked_at > _SECONDS_BETWEEN_PINGS:
                answered = await _within_time(self._probe.ping(), default=True)
                self._known, self._asked_at = "up" if answered else "down", monotonic()
        return self._known


async def _within_time(work: Awaitable[Any], default: Any = None) -> Any:
    """What the work gives, or `default` where it gives nothing; None where it fails or takes too long."""
    try:
        async with asyncio.timeout(_SECONDS):
            result = await work
    except Exception:  # whatever is wrong with it, it is down
        return None
    return default if result is None else result

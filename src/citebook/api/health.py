"""Health: asks each part for real, within a short time, and says how it is in the words of each contract."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf
from time import monotonic
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse, Response

from citebook.api.problems import ProblemRaised
from citebook.api.services import Services
from citebook.api.wire import CamelResponse, WireResponse
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.ports import DatabaseProbe, LanguageModelProbe

_SECONDS = 2.0
_SECONDS_BETWEEN_PINGS = 10.0
_SECONDS_BETWEEN_WRITES = 1.0
_SECONDS_BETWEEN_PROBES = 1.0
State = Literal["up", "down", "not configured"]
Status = Literal["healthy", "degraded", "unhealthy"]
Connection = Literal["connected", "disconnected"]
_PARTS: dict[str, Any] = {
    "qdrant": "up",
    "embedder": "up",
    "llm": "not configured",
    "postgres": "not configured",
    "claude_api": "not configured",
    "sessions": "up",
}
_NOW = "2026-01-05T09:30:00Z"
_KEY_IS_OPTIONAL: dict[str, Any] = {"security": [{}, {"apiKey": []}]}


class Connections(WireResponse):
    qdrant: Connection
    llm: Annotated[
        Connection, Field(description="What writes the answers: the book is quoted where no model is set.")
    ]


class Health(WireResponse):
    """One body for the `textbook` and `agent` contracts."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "healthy",
                    "timestamp": _NOW,
                    "services": {"qdrant": "connected", "llm": "connected"},
                    "qdrant_status": "connected",
                    "qdrant_collection_count": 1,
                    "llm_status": "connected",
                    "parts": _PARTS,
                }
            ]
        }
    )

    status: Status
    timestamp: datetime
    services: Connections
    qdrant_status: Connection
    qdrant_collection_count: Annotated[int, Field(ge=0, description="Collections that answer: one for each book.")]
    llm_status: Connection
    parts: Annotated[dict[str, State], Field(description="The same and more, and what is not configured.")]


class AcademicServices(WireResponse):
    postgres: Annotated[bool, Field(description="Whether the database answers, of whichever kind it is.")]
    qdrant: bool
    claude_api: Annotated[bool, Field(description="Whether what writes the answers does, of whichever vendor it is.")]


class AcademicHealth(WireResponse):
    """The body for who shows a key of the `academic` contract."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "status": "healthy",
                    "timestamp": _NOW,
                    "services": {"postgres": True, "qdrant": True, "claude_api": True},
                    "parts": _PARTS,
                }
            ]
        }
    )

    status: Status
    timestamp: datetime
    services: AcademicServices
    parts: Annotated[dict[str, State], Field(description="The same and more, and what is not configured.")]


class CoreHealth(CamelResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"status": "healthy", "version": "1.0.0", "timestamp": _NOW, "dependencies": _PARTS}]
        }
    )

    status: Status
    version: str
    timestamp: datetime
    dependencies: dict[str, State]


class AskHealth(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"status": "healthy", "qdrant": "up", "llm": "not configured"}]}
    )

    status: Status
    qdrant: State
    llm: State


def router(services: Services) -> APIRouter:
    routes = APIRouter(tags=["health"])
    state = PartStates(services)

    @routes.get(
        "/health",
        response_model=Health | AcademicHealth,
        responses=_down(Health | AcademicHealth),
        openapi_extra=_KEY_IS_OPTIONAL,
    )
    async def health(request: Request) -> Response:
        """Whether the service and the parts it needs are up; with a key in the words of `academic`."""
        examining = _examine(services, state)
        found, has_key = await asyncio.gather(examining, _shows_key(services, request))
        if has_key:
            return _response(_academic_health(found), found.academic_status)
        return _response(_health(found), found.status)

    @routes.get("/api/v1/health", response_model=CoreHealth, responses=_down(CoreHealth))
    async def core_health() -> Response:
        """The same for the `core` contract."""
        found = await _examine(services, state)
        body = CoreHealth(
            status=found.status, version=version("citebook"), timestamp=datetime.now(UTC), dependencies=found.parts
        )
        return _response(body, found.status)

    @routes.get("/api/health", response_model=AskHealth, responses=_down(AskHealth))
    async def ask_health() -> Response:
        """The same for the `ask` contract."""
        found = await _examine(services, state)
        return _response(AskHealth(status=found.status, qdrant=found.index, llm=found.generator), found.status)

    return routes


def _response(body: WireResponse, status: Status) -> Response:
    return JSONResponse(body.model_dump(mode="json", by_alias=True), http_status_of(status))


def http_status_of(status: Status) -> int:
    return 503 if status == "unhealthy" else 200


def _health(found: "_HealthReport") -> Health:
    index, generator = _connection(found.index), _connection(found.generator)
    return Health(
        status=found.status,
        timestamp=datetime.now(UTC),
        services=Connections(qdrant=index, llm=generator),
        qdrant_status=index,
        qdrant_collection_count=found.collections,
        llm_status=generator,
        parts=found.parts,
    )


def _academic_health(found: "_HealthReport") -> AcademicHealth:
    services = AcademicServices(
        postgres=found.database_is_up, qdrant=found.index != "down", claude_api=found.generator != "down"
    )
    return AcademicHealth(
        status=found.academic_status, timestamp=datetime.now(UTC), services=services, parts=found.parts
    )


def _connection(state: State) -> Connection:
    """Older clients know two words; without a language model answers are quoted, and nothing is missing."""
    return "disconnected" if state == "down" else "connected"


async def _shows_key(services: Services, request: Request) -> bool:
    """Whether an `academic` key came with the request; taken for one where the database cannot tell."""
    try:
        async with asyncio.timeout(_SECONDS):
            await services.doorkeeper.key_holder(request)
    except ProblemRaised:
        return False
    except Exception:  # whatever is wrong with the database, its state is what is asked for
        return True
    return True


def _down(model: Any) -> dict[int | str, dict[str, Any]]:
    return {503: {"model": model, "description": "A part that answers need is down."}}


class _HealthReport:
    def __init__(
        self,
        index: State,
        collections: int,
        database_is_up: bool,
        language_model: State,
        embedder: State,
        services: Services,
    ) -> None:
        self.index, self.collections, self.generator, self.embedder = index, collections, language_model, embedder
        self.database_is_up = database_is_up
        postgres: State = "not configured"
        if services.has_postgres:
            postgres = "up" if database_is_up else "down"
        self.parts: dict[str, State] = {
            "qdrant": self.index,
            "embedder": self.embedder,
            "llm": self.generator,
            "postgres": postgres,
            "claude_api": self.generator if services.has_claude else "not configured",
            "sessions": "up" if database_is_up else "down",
        }

    @property
    def status(self) -> Status:
        if "down" in (self.index, self.generator):
            return "unhealthy"
        return "healthy" if self.database_is_up and self.embedder != "down" else "degraded"

    @property
    def academic_status(self) -> Status:
        """Its audit is a promise, so without the database there is no answer."""
        return self.status if self.database_is_up else "unhealthy"


class PartStates:
    """What is known of the parts that are not asked each time."""

    def __init__(self, services: Services) -> None:
        self.language_model = _LanguageModelState(services.language_model)
        self.embedder = _EmbedderState(services.embedder)
        self.writing = _WritingState(services.database)


async def _examine(services: Services, state: PartStates) -> _HealthReport:
    books = list(services.books)
    *editions, database, is_writable, generator, embedder = await asyncio.gather(
        *(_within_time(services.book(book_id).index.edition()) for book_id in books),
        _within_time(services.database.ping(), default=True),
        state.writing.ask(),
        state.language_model.ask(),
        state.embedder.ask(),
    )
    found = [book_id for book_id, edition in zip(books, editions, strict=True) if edition is not None]
    index: State = "up" if services.default_book in found else "down"
    return _HealthReport(index, len(found), database is not None and is_writable, generator, embedder, services)


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


class _EmbedderState:
    """Believes what readers' questions showed; one that failed is asked again, at most once a second."""

    def __init__(self, probe: WatchedEmbedder | None) -> None:
        self._probe = probe
        self._asking = asyncio.Lock()
        self._asked_at = -inf

    async def ask(self) -> State:
        if self._probe is None:
            return "not configured"
        async with self._asking:
            if not self._probe.is_up and monotonic() - self._asked_at > _SECONDS_BETWEEN_PROBES:
                await _within_time(self._probe.ping())
                self._asked_at = monotonic()
        return "up" if self._probe.is_up else "down"


class _WritingState:
    """Writes to the database at most once a second, however often someone asks us."""

    def __init__(self, probe: DatabaseProbe) -> None:
        self._probe = probe
        self._asking = asyncio.Lock()
        self._is_writable = False
        self._asked_at = -inf

    async def ask(self) -> bool:
        async with self._asking:
            if monotonic() - self._asked_at > _SECONDS_BETWEEN_WRITES:
                written = await _within_time(self._probe.check_writing(), default=True)
                self._is_writable, self._asked_at = written is not None, monotonic()
        return self._is_writable


async def _within_time(work: Awaitable[Any], default: Any = None) -> Any:
    """What the work gives, or `default` where it gives nothing; None where it fails or takes too long."""
    try:
        async with asyncio.timeout(_SECONDS):
            result = await work
    except Exception:  # whatever is wrong with it, it is down
        return None
    return default if result is None else result

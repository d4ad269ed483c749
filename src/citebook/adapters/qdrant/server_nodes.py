"""How a Qdrant server is reached, and a cluster of several nodes by whichever of them answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import httpx
from qdrant_client import AsyncQdrantClient

REQUEST_SECONDS = 10
_READING_SECONDS = 0.7
"""That a node has to begin its answer to a reader, where another one can be asked."""
_SECONDS_AWAY = 5.0
"""For which a node that failed is asked last."""
_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=3.0)
"""A server closes connections that nobody used for 5 s."""
_READS = ("/points", "/points/scroll", "/points/query/batch", "/points/count")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    nodes: tuple[str, ...]
    """URLs; the first is asked first."""
    api_key: str | None = None
    grpc_port: int | None = None
    """gRPC is spoken with the first node only."""
    request_seconds: int = REQUEST_SECONDS

    def client(self) -> AsyncQdrantClient:
        return AsyncQdrantClient(
            url=self.nodes[0],
            api_key=self.api_key,
            timeout=self.request_seconds,
            check_compatibility=False,
            prefer_grpc=self.grpc_port is not None,
            grpc_port=self.grpc_port or 6334,
            transport=ClusterTransport(self.nodes),
        )


class ClusterTransport(httpx.AsyncBaseTransport):
    """Sends a request to the next node where one cannot be reached. All that we send may be sent twice."""

    def __init__(self, nodes: Sequence[str], reading_seconds: float = _READING_SECONDS) -> None:
        self._nodes = [httpx.URL(node) for node in nodes]
        self._reading_seconds = reading_seconds
        self._away_until = dict.fromkeys(range(len(nodes)), 0.0)
        self._transport = httpx.AsyncHTTPTransport(limits=_LIMITS)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        *others, last = self._in_order()
        for number in others:
            try:
                return await self._sent(number, request, hurried=_only_reads(request))
            except httpx.ReadTimeout:
                self._note_away(number)
                if not _only_reads(request):  # it may be at work on it still
                    raise
            except httpx.TransportError:
                self._note_away(number)
        return await self._sent(last, request, hurried=False)

    def _in_order(self) -> list[int]:
        """As they are listed, but those that failed just now come last."""
        now = monotonic()
        return sorted(self._away_until, key=lambda number: self._away_until[number] > now)

    def _note_away(self, number: int) -> None:
        self._away_until[number] = monotonic() + _SECONDS_AWAY

    async def _sent(self, number: int, request: httpx.Request, *, hurried: bool) -> httpx.Response:
        node = self._nodes[number]
        url = request.url.copy_with(scheme=node.scheme, host=node.host, port=node.port)
        extensions = dict(request.extensions)
        if hurried:
            extensions["timeout"] = {**extensions.get("timeout", {}), "read": self._reading_seconds}
        headers = {**request.headers, "host": url.netloc.decode()}
        sent = httpx.Request(request.method, url, headers=headers, stream=request.stream, extensions=extensions)
        return await self._transport.handle_async_request(sent)

    async def aclose(self) -> None:
        await self._transport.aclose()


def _only_reads(request: httpx.Request) -> bool:
    return request.method == "GET" or (request.method == "POST" and request.url.path.endswith(_READS))

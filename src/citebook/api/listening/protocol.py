"""HTTP/1.1 over one connection, with limits of time and size that the server of the framework lacks."""

import asyncio
import sys
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from citebook.api.listening.connections import Connections, Place, Silence
from citebook.api.no_room import without_room

LARGEST_HEAD = 16 * 1024
_SECONDS_TO_FLUSH = 5.0
_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class BoundedProtocol(H11Protocol):
    """Waits for a client only for so long, and only as one of so many."""

    everyone: Connections
    _place: Place = "none"
    _head_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _has_begun = False
    """Whether a part of the next request's head has come."""

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def silence(self) -> Silence:
        if self.cycle is None or self.cycle.response_complete:
            return 2
        return 1 if self.cycle.more_body or self.flow.write_paused else 0

    def give_up(self) -> None:
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._place = self.everyone.admit(self)
        if self._place == "none":
            self.give_up()
            return
        if self._place == "spare":
            self.app = without_room(self.app)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.everyone.leave(self)
        self._stop_waiting_for_head()
        self._stop_waiting_for_reader()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look_at_head()

    def on_response_complete(self) -> None:
        """A part of the next request may have come with the one before it."""
        super().on_response_complete()
        if self.conn.trailing_data[0] and not self.transport.is_closing():
            self._look_at_head()

    def _look_at_head(self) -> None:
        self._has_begun = self.silence == 2
        if not self._has_begun:
            self._stop_waiting_for_head()
        elif self._head_timer is None:
            self._await_head()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.everyone.rules.header_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        """Who has said nothing at all is told nothing: browsers connect before they have anything to ask."""
        self._end(_TOO_LATE if self._has_begun else b"")

    def _stop_waiting_for_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_waiting_for_reader(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def _end(self, words: bytes = b"") -> None:
        """Ends the connection, also where the client does not take the last words."""
        if words and not self.transport.is_closing():
            self.transport.write(words)
        self.transport.close()
        self.loop.call_later(_SECONDS_TO_FLUSH, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """Called where a request cannot be read; the error that says why is still being handled."""
        error = sys.exception()
        if isinstance(error, h11.RemoteProtocolError) and error.error_status_hint == 431:
            self._end(_TOO_LARGE)
            return
        with suppress(h11.LocalProtocolError):  # an answer may be under way
            super().send_400_response(msg)
        self._end()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._send_timer = self.loop.call_later(self.everyone.rules.send_seconds, self.give_up)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_waiting_for_reader()

    def timeout_keep_alive_handler(self) -> None:
        self._end()

    def shutdown(self) -> None:
        try:
            super().shutdown()
        except h11.LocalProtocolError:  # it is being ended already
            self._end()


def protocol_of(connections: Connections) -> type[BoundedProtocol]:
    """The protocol of all connections of one server."""

    class Bounded(BoundedProtocol):
        everyone = connections

    return Bounded

"""Who is connected, and whose connection is closed where there are too many."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

SPARE = 16
"""Connections beyond the most that are allowed: on these only health is answered."""

Silence = Literal[0, 1, 2]
"""How much a connection waits for its client: not at all; for the rest of a body or for it to read; for a request."""
Place = Literal["ordinary", "spare", "none"]


@dataclass(frozen=True, slots=True)
class ConnectionRules:
    most: int = 1000
    most_per_address: int = 500
    header_seconds: float = 10.0
    """For the whole head of a request, from its first byte or from the connection's beginning."""
    send_seconds: float = 30.0
    """A client that takes nothing of what is sent to it for so long is given up on."""
    is_proxy: Callable[[str], bool] = lambda _address: False
    """Proxies bring the connections of many: they count only among all."""


class Connection(Protocol):
    @property
    def address(self) -> str: ...

    @property
    def silence(self) -> Silence: ...

    def give_up(self) -> None:
        """Ends it at once."""
        ...


class Connections:
    """Nobody is shut out by those who connect and say nothing: where there are too many, the oldest of them goes."""

    def __init__(self, rules: ConnectionRules) -> None:
        self.rules = rules
        self._by_address: dict[str, dict[Connection, None]] = {}
        """The oldest first."""
        self._proxied: set[Connection] = set()
        self._spare: dict[Connection, None] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count + len(self._spare)

    def admit(self, newcomer: Connection) -> Place:
        """Where a new connection stands; with `none` it is to be ended at once."""
        if self.rules.is_proxy(newcomer.address):
            if self._count < self.rules.most or self._make_room(self._fullest_first()):
                self._proxied.add(newcomer)
                self._count += 1
                return "ordinary"
            return self._admit_to_spare(newcomer)
        neighbours = self._by_address.get(newcomer.address, {})
        if len(neighbours) >= self.rules.most_per_address and not self._make_room([neighbours]):
            return self._admit_to_spare(newcomer)
        if self._count >= self.rules.most and not self._make_room(self._fullest_first()):
            return self._admit_to_spare(newcomer)
        self._by_address.setdefault(newcomer.address, {})[newcomer] = None
        self._count += 1
        return "ordinary"

    def leave(self, connection: Connection) -> None:
        if connection in self._spare:
            del self._spare[connection]
        elif connection in self._proxied:
            self._proxied.discard(connection)
            self._count -= 1
        elif connection in (neighbours := self._by_address.get(connection.address, {})):
            del neighbours[connection]
            self._count -= 1
            if not neighbours:
                del self._by_address[connection.address]

    def _admit_to_spare(self, newcomer: Connection) -> Place:
        if len(self._spare) >= SPARE and not self._make_room([self._spare]):
            return "none"
        self._spare[newcomer] = None
        return "spare"

    def _fullest_first(self) -> list[dict[Connection, None]]:
        """One address with many connections gives way before many with one each."""
        return sorted(self._by_address.values(), key=len, reverse=True)

    def _make_room(self, groups: Iterable[dict[Connection, None]]) -> bool:
        """Ends the oldest connection that waits for its client; False where the server owes all of them something."""
        for group in groups:
            silent = max(group, key=lambda one: one.silence, default=None)  # of equals the first, which is the oldest
            if silent is not None and silent.silence:
                self.leave(silent)
                silent.give_up()
                return True
        return False

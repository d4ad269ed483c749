"""Who asks, and whether it may ask once more. The only place that decides either."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import ceil, inf
from time import monotonic
from typing import Any, Protocol, TypeVar
from uuid import UUID

from starlette.requests import HTTPConnection

from citebook.api.problems import Problem, ProblemKind, ProblemRaised, unauthorized
from citebook.domain.callers import Caller
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.limits import Allowance, Limit
from citebook.domain.policy import MINUTE, ContractPolicy
from citebook.ports import KeyStore, RateLimiter

Network = IPv4Network | IPv6Network
T = TypeVar("T")

SESSION_HEADER = "X-Session-Token"
_LONGEST_TOKEN = 4096
_NO_ADDRESS = "0.0.0.0"  # nosec B104
"""Of whoever has none; nothing is bound to it."""
_MOST_GUESSERS = 10_000
_READS = Limit(questions=1200, seconds=MINUTE)
_WRONG_KEYS = Limit(questions=20, seconds=MINUTE)
_NEEDS_KEY = "A valid API key is needed: send it as Authorization: Bearer KEY."


class VerifiesTokens(Protocol):
    async def user_id(self, token: str) -> UUID | None: ...


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """Knows callers and counts their questions."""

    keys: KeyStore
    limiter: RateLimiter
    tokens: VerifiesTokens | None
    trusted_proxies: Sequence[Network]
    reads: Limit = _READS
    """Of one address, for what is only read."""
    wrong_keys: Limit = _WRONG_KEYS
    """Of one address."""
    key_check_seconds: float = 0.5
    """How often it is looked whether the key of an answer in the making was revoked."""
    _guessers: dict[str, float] = field(default_factory=dict)
    """Addresses whose keys are not looked at, and until when by the monotonic clock."""

    async def reader(self, request: HTTPConnection) -> Caller:
        """Anonymous, the holder of a session, or a signed-in user. A Bearer token that is wrong is refused."""
        address = self._address(request)
        session_token = request.headers.get(SESSION_HEADER)
        bearer = _bearer(request)
        if bearer is None:
            kind = "anonymous" if session_token is None else "session"
            return Caller.model_validate({"kind": kind, "address": address, "session_token": session_token})
        user_id = await self.tokens.user_id(bearer) if self.tokens else None
        if user_id is None:
            raise unauthorized("The token is not valid. Sign in again.")
        return Caller(kind="user", address=address, user_id=user_id, session_token=session_token)

    def anonymous(self, request: HTTPConnection) -> Caller:
        return Caller(kind="anonymous", address=self._address(request))

    async def key_holder(self, request: HTTPConnection) -> Caller:
        address, bearer = self._address(request), _bearer(request)
        if bearer is None:
            raise unauthorized(_NEEDS_KEY)
        if (seconds := self._guessers.get(address, -inf) - monotonic()) > 0:
            raise _too_many("Too many keys of this address were wrong.", self._none_left(seconds))
        key = await self.keys.find(bearer)
        if key is None:
            await self._note_wrong_key(address)
            raise unauthorized(_NEEDS_KEY)
        return Caller(kind="key", address=address, key=key)

    async def while_key_holds(self, request: HTTPConnection, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives. It is ended, and `ProblemRaised`, where its caller's key is revoked meanwhile."""
        working = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({working}, timeout=self.key_check_seconds))[0]:
                if await self._is_revoked(request):
                    raise unauthorized(_NEEDS_KEY)
            return working.result()
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def _is_revoked(self, request: HTTPConnection) -> bool:
        """A database that does not say so has revoked nothing."""
        try:
            return await self.keys.find(_bearer(request) or "") is None
        except DatabaseUnavailable:
            return False

    async def _note_wrong_key(self, address: str) -> None:
        allowance = await self.limiter.take(f"wrong keys:{address}", self.wrong_keys)
        if allowance.remaining:
            return
        if len(self._guessers) >= _MOST_GUESSERS:
            self._guessers.clear()
        self._guessers[address] = monotonic() + self.wrong_keys.seconds

    def _none_left(self, seconds: float) -> Allowance:
        resets_at = datetime.now(UTC) + timedelta(seconds=seconds)
        return Allowance(allowed=False, limit=self.wrong_keys.questions, remaining=0, resets_at=resets_at)

    async def count_read(self, request: HTTPConnection) -> None:
        """Raises where an address has read too much for now."""
        allowance = await self.limiter.take(f"reads:{self._address(request)}", self.reads)
        if not allowance.allowed:
            raise _too_many("Too much was read from this address.", allowance)

    async def count(self, caller: Caller, policy: ContractPolicy) -> Allowance:
        """Raises where the caller has no question left."""
        allowance = await self.limiter.take(f"{policy.name}:{caller.identifier}", _limit(caller, policy))
        if not allowance.allowed:
            words = "You have asked as many questions as are allowed for now."
            raise _too_many(words, allowance)
        return allowance

    def _address(self, request: HTTPConnection) -> str:
        """The peer, or behind trusted proxies the last hop that is not one of them."""
        peer = request.client.host if request.client else _NO_ADDRESS
        forwarded = ",".join(request.headers.getlist("X-Forwarded-For"))  # some proxies add a line of their own
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        while hops and self.is_proxy(peer) and _is_address(hops[-1]):
            peer = hops.pop()
        return _one_client(peer) if _is_address(peer) else _NO_ADDRESS

    def is_proxy(self, address: str) -> bool:
        """Whether it brings the requests of others."""
        if not _is_address(address):
            return False
        parsed = ip_address(address)
        return any(parsed in network for network in self.trusted_proxies if network.version == parsed.version)


def _too_many(words: str, allowance: Allowance) -> ProblemRaised:
    words, seconds = f"{words} Please wait a little.", _seconds_until(allowance.resets_at)
    problem = Problem(ProblemKind.RATE_LIMITED, words, retryable=True, allowance=allowance, retry_after=seconds)
    return ProblemRaised(problem)


def check_tokens(allowance: Allowance) -> None:
    """Raises where the answers of a caller have cost as much as they may for now."""
    if not allowance.allowed:
        words = "Your questions have used up what a language model may cost you in a day."
        raise _too_many(words, allowance)


def _seconds_until(moment: datetime) -> int:
    return max(1, ceil((moment - datetime.now(UTC)).total_seconds()))


def networks(texts: Sequence[str]) -> list[Network]:
    return [ip_network(text, strict=False) for text in texts]


def _one_client(address: str) -> str:
    """One IPv6 client owns a whole /64 of addresses, so they count as one."""
    parsed = ip_address(address)
    if parsed.version == 6 and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed.version == 4:
        return str(parsed)
    return str(ip_network(f"{parsed}/64", strict=False).network_address)


def _limit(caller: Caller, policy: ContractPolicy) -> Limit:
    if caller.key is not None and caller.key.limit_per_minute is not None:
        return Limit(questions=caller.key.limit_per_minute, seconds=60)
    if caller.is_signed_in and policy.signed_in is not None:
        return policy.signed_in
    return policy.anonymous


def _bearer(request: HTTPConnection) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if not scheme:
        return None
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > _LONGEST_TOKEN:
        raise unauthorized("The Authorization header must read: Bearer TOKEN.")
    return token


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

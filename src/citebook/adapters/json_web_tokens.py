"""Says who a JSON Web Token speaks for, or that it speaks for nobody; never why, and never with its text."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from http.client import HTTPException
from time import monotonic
from typing import Literal, Self, TypeGuard
from urllib.parse import urlsplit
from uuid import UUID, uuid5

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from citebook.domain.errors import InvalidSettings

log = logging.getLogger(__name__)

Algorithm = Literal["HS256", "RS256"]
KeyFinder = Callable[[str], Awaitable[bytes | RSAPublicKey | None]]
"""The key that must have signed a token, if we know one."""

SUBJECTS = UUID("643e1e1a-932b-4b81-869c-c01e92ffa8e3")
"""Namespace of users whose subject is no UUID. Another one would part them from their sessions."""

LEEWAY_SECONDS = 30
_SHORTEST_SECRET = 32
_SHORTEST_RSA_KEY = 2048

_FETCH_SECONDS = 2.0
_KEYS_LIVE_SECONDS = 300.0
_FETCH_PAUSE_SECONDS = 10.0

# What a hostile token can make a parser raise, beside the library's own error.
_REFUSALS = (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


class TokenVerifier:
    """Accepts the one algorithm it was made for, whatever a token says of itself."""

    def __init__(
        self, algorithm: Algorithm, find_key: KeyFinder, audience: str | None = None, issuer: str | None = None
    ) -> None:
        self._algorithm, self._find_key = algorithm, find_key
        self._audience, self._issuer = audience, issuer

    @classmethod
    def by_secret(cls, secret: str, audience: str | None = None, issuer: str | None = None) -> Self:
        """HS256."""
        key = secret.encode()
        if len(key) < _SHORTEST_SECRET:
            raise InvalidSettings(f"The secret for JSON Web Tokens must have at least {_SHORTEST_SECRET} bytes")
        if b"-----BEGIN" in key:
            raise InvalidSettings("The secret for JSON Web Tokens is a PEM key: anyone who has it could sign")
        return cls("HS256", _always(key), audience, issuer)

    @classmethod
    def by_public_key(cls, pem: str, audience: str | None = None, issuer: str | None = None) -> Self:
        """RS256."""
        try:
            key = load_pem_public_key(pem.encode())
        except (ValueError, UnsupportedAlgorithm):
            raise InvalidSettings("The public key for JSON Web Tokens cannot be read as PEM") from None
        if not _is_strong(key):
            raise InvalidSettings(f"The key for JSON Web Tokens must be RSA of at least {_SHORTEST_RSA_KEY} bits")
        return cls("RS256", _always(key), audience, issuer)

    @classmethod
    def by_key_set(cls, url: str, audience: str | None = None, issuer: str | None = None) -> Self:
        """RS256, with the keys that an identity provider publishes."""
        parts = urlsplit(url)
        is_local = parts.scheme == "http" and parts.hostname in {"localhost", "127.0.0.1", "::1"}
        if not (is_local or parts.scheme == "https") or not parts.hostname:
            raise InvalidSettings("The address of the key set for JSON Web Tokens must begin with https://")
        return cls("RS256", _KeySet(url).key_of, audience, issuer)

    async def user_id(self, token: str) -> UUID | None:
        try:
            key = await self._find_key(token)
            return self._subject(token, key) if key is not None else None
        except _REFUSALS:
            return None

    def _subject(self, token: str, key: bytes | RSAPublicKey) -> UUID | None:
        """A token that names an audience is refused where none is configured: it was made for someone else."""
        claims = jwt.decode(
            token,
            key,
            algorithms=[self._algorithm],
            audience=self._audience,
            issuer=self._issuer,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "sub"], "verify_signature": True},
        )
        subject = claims["sub"]
        return _user_id(subject) if isinstance(subject, str) and subject else None


def _user_id(subject: str) -> UUID:
    """Only the usual spelling is a UUID: others of the same id may be other users to their provider."""
    try:
        user_id = UUID(subject)
    except ValueError:
        return uuid5(SUBJECTS, subject)
    return user_id if str(user_id) == subject.lower() else uuid5(SUBJECTS, subject)


def _always(key: bytes | RSAPublicKey) -> KeyFinder:
    async def find_key(_token: str) -> bytes | RSAPublicKey:
        return key

    return find_key


def _is_strong(key: object) -> TypeGuard[RSAPublicKey]:
    return isinstance(key, RSAPublicKey) and key.key_size >= _SHORTEST_RSA_KEY


class _KeySet:
    """Published keys. Tokens with made-up key names cause no more than one fetch in a while.

    While the provider cannot be reached, the keys that it published last are good.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_FETCH_SECONDS)
        self._keys: dict[str, RSAPublicKey] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def key_of(self, token: str) -> RSAPublicKey | None:
        name = jwt.get_unverified_header(token).get("kid")
        if not isinstance(name, str):
            return None
        now = monotonic()
        if name not in self._keys or now - self._fetched_at > _KEYS_LIVE_SECONDS:
            if now - self._tried_at > _FETCH_PAUSE_SECONDS:
                self._tried_at = now
                self._fetching = asyncio.create_task(self._fetch())
            if self._fetching is not None:
                # A caller that leaves must not take the keys away from all others.
                await asyncio.shield(self._fetching)
        return self._keys.get(name)

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(_FETCH_SECONDS):
                published = await asyncio.to_thread(self._client.get_signing_keys)
        except (jwt.PyJWTError, OSError, HTTPException, ValueError, RecursionError) as error:
            log.warning("The key set for JSON Web Tokens cannot be fetched (%s)", type(error).__name__)
            return
        self._keys = {
            key.key_id: key.key
            for key in published
            if key.key_id is not None and key.algorithm_name == "RS256" and _is_strong(key.key)
        }
        self._fetched_at = monotonic()

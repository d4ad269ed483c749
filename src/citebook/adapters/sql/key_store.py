"""API keys in SQL: found by their hash, compared in constant time, and never kept themselves."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import api_keys
from citebook.domain.callers import ApiKey
from citebook.domain.errors import KeyNameTaken

_PREFIX = "citebook_"
"""Lets people and secret scanners see what the string is."""


class SqlKeyStore:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def create(self, name: str, limit_per_minute: int | None = None) -> tuple[ApiKey, str]:
        secret = _PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(
            id=uuid4(),
            name=name,
            key_hash=_hash(secret),
            created_at=self._clock(),
            limit_per_minute=limit_per_minute,
        )
        async with self._database.transaction("write") as connection:
            try:
                await connection.execute(insert(api_keys).values(dict(key)))
            except IntegrityError:
                raise KeyNameTaken(f"There is a key named {name} already. Revoke it or take another name.") from None
        return key, secret

    @uninterrupted
    async def find(self, secret: str) -> ApiKey | None:
        wanted = _hash(secret)
        query = select(api_keys).where(api_keys.c.key_hash == wanted, api_keys.c.revoked_at.is_(None))
        async with self._database.transaction("read") as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        if row is None or not hmac.compare_digest(row["key_hash"], wanted):
            return None
        return ApiKey.model_validate(dict(row))

    @uninterrupted
    async def keys(self) -> tuple[ApiKey, ...]:
        """All keys, revoked ones too, oldest first."""
        async with self._database.transaction("read") as connection:
            rows = (await connection.execute(select(api_keys).order_by(api_keys.c.created_at))).mappings().all()
        return tuple(ApiKey.model_validate(dict(row)) for row in rows)

    @uninterrupted
    async def revoke(self, name: str) -> bool:
        active = (api_keys.c.name == name, api_keys.c.revoked_at.is_(None))
        async with self._database.transaction("write") as connection:
            revoked = await connection.execute(update(api_keys).where(*active).values(revoked_at=self._clock()))
        return revoked.rowcount > 0


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()

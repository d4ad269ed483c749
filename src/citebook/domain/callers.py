"""Who asks."""

import hashlib
from typing import Literal
from uuid import UUID

from pydantic import Field

from citebook.domain.book import Sha256
from citebook.domain.conversation import SessionOwner, hash_of_session_token
from citebook.domain.value import UtcTime, Value

CallerKind = Literal["anonymous", "session", "user", "key"]


class ApiKey(Value):
    """A key for another server. Only its hash is kept."""

    id: UUID
    name: str = Field(min_length=1, max_length=100)
    key_hash: Sha256
    created_at: UtcTime
    revoked_at: UtcTime | None = None
    limit_per_minute: int | None = Field(default=None, ge=1)
    """None for the contract's own limit."""


class Caller(Value):
    """A caller as far as it has proven who it is."""

    kind: CallerKind
    address: str
    user_id: UUID | None = None
    session_token: str | None = Field(default=None, repr=False)
    key: ApiKey | None = None

    @property
    def identifier(self) -> str:
        """What its questions are counted under."""
        if self.key is not None:
            return f"key:{self.key.id}"
        return f"user:{self.user_id}" if self.user_id is not None else f"anon:{self.address}"

    @property
    def client_id(self) -> str:
        """What stands for it in the audit log: an address only as a hash."""
        if self.key is not None or self.user_id is not None:
            return self.identifier
        return f"anon:{hashlib.sha256(self.address.encode()).hexdigest()[:16]}"

    @property
    def owner(self) -> SessionOwner:
        """What it shows to be the owner of a session; the token itself is not passed on."""
        token_hash = hash_of_session_token(self.session_token) if self.session_token is not None else None
        return SessionOwner(token_hash=token_hash, user_id=self.user_id)

    @property
    def is_signed_in(self) -> bool:
        return self.user_id is not None

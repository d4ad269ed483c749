"""How much a caller may ask, and how much an answer cost."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from ipaddress import ip_address
from types import MappingProxyType
from typing import Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from citebook.domain.value import UtcTime, Value

LimitTier = Literal["anonymous", "authenticated"]

RATE_LIMIT_WINDOW = timedelta(hours=1)
QUERIES_PER_WINDOW: Mapping[LimitTier, int] = MappingProxyType({"anonymous": 10, "authenticated": 50})
"""Defaults: an operator may set others."""


class TokenUsage(Value):
    input: int = Field(default=0, ge=0)
    output: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _total_is_the_sum(self) -> Self:
        if self.total != self.input + self.output:
            raise ValueError("total must be input + output")
        return self


class RateLimitState(Value):
    """How many questions a caller has asked in the window that runs, or ran last."""

    identifier: str = Field(max_length=100)
    """`user:{uuid}` for a signed-in caller, `anon:{ip}` for any other."""
    limit_tier: LimitTier
    window_start: UtcTime
    query_count: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _identifier_fits_the_tier(self) -> Self:
        kind, _, name = self.identifier.partition(":")
        if self.limit_tier == "authenticated" and not (kind == "user" and _is_uuid(name)):
            raise ValueError("the identifier of an authenticated caller must be user:{uuid}")
        if self.limit_tier == "anonymous" and not (kind == "anon" and _is_ip(name)):
            raise ValueError("the identifier of an anonymous caller must be anon:{ip}")
        return self

    def resets_at(self, now: datetime) -> datetime:
        """When the caller may ask the full number of questions again; `now` where that is so already."""
        return max(self.window_start + RATE_LIMIT_WINDOW, now)

    def remaining(self, limit: int, now: datetime) -> int:
        """How many questions of `limit` are left to the caller."""
        return limit if self._is_over(now) else max(0, limit - self.query_count)

    def after_query(self, now: datetime) -> Self:
        """The state once one more question is counted; the first after a window opens the next."""
        is_over = self._is_over(now)
        return type(self)(
            identifier=self.identifier,
            limit_tier=self.limit_tier,
            window_start=now if is_over else self.window_start,
            query_count=1 if is_over else self.query_count + 1,
        )

    def _is_over(self, now: datetime) -> bool:
        return now >= self.window_start + RATE_LIMIT_WINDOW


def _is_uuid(text: str) -> bool:
    """Only the usual spelling: each other one of the same id would be counted as another caller."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


class Limit(Value):
    """So many questions in so many seconds."""

    questions: int = Field(ge=1)
    seconds: int = Field(ge=1)


class Allowance(Value):
    """What a limiter says to one question."""

    allowed: bool
    limit: int
    remaining: int = Field(ge=0)
    resets_at: UtcTime

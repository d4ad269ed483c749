"""How much a caller may ask, and how much an answer cost."""

from typing import Self

from pydantic import Field, model_validator

from citebook.domain.value import UtcTime, Value


class TokenUsage(Value):
    input: int = Field(default=0, ge=0)
    output: int = Field(default=0, ge=0)
    total: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _total_is_the_sum(self) -> Self:
        if self.total != self.input + self.output:
            raise ValueError("total must be input + output")
        return self


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

"""The one rule of every value here: it does not change, and it knows all its fields."""

from datetime import UTC
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict

UtcTime = Annotated[AwareDatetime, AfterValidator(lambda time: time.astimezone(UTC))]
"""A moment. One without a time zone is rejected, one of another zone is turned into UTC."""


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

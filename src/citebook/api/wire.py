"""What all wire models share: strict types; unknown fields are ignored in what comes, and never sent."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class WireRequest(BaseModel):
    """Older clients send fields that a contract does not know: they are dropped here, and kept nowhere."""

    model_config = ConfigDict(strict=True, extra="ignore")


class WireResponse(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CamelRequest(WireRequest):
    """Takes camelCase and snake_case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class CamelResponse(WireResponse):
    """Gives camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

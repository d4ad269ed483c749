"""The part of the book that a question is asked of, as the contracts that have filters take it."""

from typing import Annotated, Literal

from pydantic import Field

from citebook.api.wire import CamelRequest
from citebook.domain.question import Filters


class QueryFilters(CamelRequest):
    module: Annotated[
        Annotated[int, Field(ge=1, le=10)] | Annotated[str, Field(max_length=200, pattern=r"[^\W\d_]")] | None,
        Field(description="The number of a module, its title, or the name of its folder."),
    ] = None
    difficulty: Literal["beginner", "intermediate", "advanced"] | None = None
    tags: list[Annotated[str, Field(min_length=1, max_length=100)]] | None = Field(default=None, max_length=20)


def filters_of(filters: QueryFilters | None) -> Filters:
    if filters is None:
        return Filters()
    module = filters.module
    return Filters(
        module=module if isinstance(module, int) else None,
        part=module if isinstance(module, str) else None,
        difficulty=filters.difficulty,
        tags=tuple(filters.tags or ()),
    )

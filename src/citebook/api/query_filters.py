"""The part of the book that a question is asked of, as the contracts take it: filters, and a scope."""

from typing import Annotated, Any, Literal

from pydantic import Field

from citebook.api.problems import invalid
from citebook.api.wire import CamelRequest
from citebook.domain.filter_choices import FilterChoices
from citebook.domain.question import Filters
from citebook.root.citebook import Book

_Module = Annotated[
    Annotated[int, Field(ge=1, le=10)] | Annotated[str, Field(max_length=200, pattern=r"[^\W\d_]")] | None,
    Field(description="The number of a module, its title, or the name of its folder."),
]


class QueryFilters(CamelRequest):
    """What a question is searched in first: the rest of the book is searched where that has little."""

    module: _Module = None
    difficulty: Literal["beginner", "intermediate", "advanced"] | None = None
    tags: list[Annotated[str, Field(min_length=1, max_length=100)]] | None = Field(default=None, max_length=20)


class QueryScope(CamelRequest):
    """All that a question is asked of: nothing outside of it is quoted."""

    chapter_id: Annotated[
        Annotated[str, Field(min_length=1, max_length=500)] | None,
        Field(description="A page: an id of the contents, or the `chapter_id` of a citation."),
    ] = None
    module: _Module = None


async def filters_of(filters: QueryFilters | None, scope: QueryScope | None, book: Book) -> Filters:
    """A scope stands in place of filters. Raises `ProblemRaised` where the book has no such part."""
    if scope is not None and (scope.chapter_id is not None or scope.module is not None):
        wanted = Filters(**_module(scope.module), chapter_id=scope.chapter_id, is_scope=True)
        await _check(wanted, book)
        return wanted
    if filters is None:
        return Filters()
    return Filters(**_module(filters.module), difficulty=filters.difficulty, tags=tuple(filters.tags or ()))


def _module(module: int | str | None) -> dict[str, Any]:
    return {"part": module} if isinstance(module, str) else {"module": module}


async def _check(scope: Filters, book: Book) -> None:
    edition = await book.index.edition()
    if scope.chapter_id is not None and not edition.files_of(scope.chapter_id):
        raise invalid("scope.chapter_id", "must be that of a page of the book")
    choices = FilterChoices.of(edition.chapters)
    if choices.lacking(choices.numbered(scope)):
        raise invalid("scope.module", "must be a module of the book")

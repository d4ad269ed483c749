"""The book itself, page by page, so that a citation can be followed with no other site running."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import ConfigDict, Field
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import Response

from citebook.api.problems import ProblemKind, not_found
from citebook.api.reader_routes import UNCHANGED, KnownTag, is_known, not_modified, reader_errors, reader_router
from citebook.api.services import Services
from citebook.api.wire import WireResponse
from citebook.domain.blocks import Block
from citebook.domain.book import BookPage, Chapter, Edition

_MADE_BEFORE = (
    "This page cannot be shown: the book was ingested by an older version. Run: citebook ingest PATH (only what "
    "changed is embedded again)."
)
_LINK: dict[str, Any] = {"id": "joints/gears", "title": "Gears", "url": "/docs/joints/gears"}


class ContentsEntry(WireResponse):
    id: str
    title: str
    url: str
    module: Annotated[int | None, Field(description="The number that questions are filtered by.")] = None
    module_title: Annotated[str | None, Field(description="The group that the page stands in.")] = None
    difficulty: Annotated[str | None, Field(description="Questions can be filtered by it too.")] = None
    tags: Annotated[list[str], Field(description="The same.", default_factory=list)]
    sections: Annotated[list[str], Field(description="The titles of its sections.", default_factory=list)]


class Contents(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "title": "About joints",
                    "language": "en",
                    "chapters": [
                        {
                            **_LINK,
                            "module": 1,
                            "module_title": "Module 1: Joints",
                            "difficulty": "beginner",
                            "tags": ["gears"],
                            "sections": ["Harmonic drives"],
                        }
                    ],
                }
            ]
        }
    )

    title: str
    language: Annotated[str, Field(description="Of the book's text, by its code.")] = "en"
    chapters: Annotated[list[ContentsEntry], Field(description="In the order of the book.")]


class PageLink(WireResponse):
    id: str
    title: str
    url: str


class SectionOfPage(WireResponse):
    id: Annotated[str, Field(description="The anchor of the section, or the chapter's id above the first heading.")]
    title: Annotated[str, Field(description="Plain text.")]
    level: Annotated[int, Field(ge=0, description="Of the heading; 0 above the first one.")]
    blocks: Annotated[
        list[Block],
        Field(description="All that stands in the section: every excerpt of this page is found in its text."),
    ]


class Page(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    **_LINK,
                    "module": 1,
                    "module_title": "Module 1: Joints",
                    "previous": None,
                    "next": {"id": "joints/motors", "title": "Motors", "url": "/docs/joints/motors"},
                    "sections": [
                        {
                            "id": "harmonic-drives",
                            "title": "Harmonic drives",
                            "level": 2,
                            "blocks": [
                                {
                                    "kind": "paragraph",
                                    "text": [
                                        {"text": "A ", "marks": []},
                                        {"text": "harmonic drive", "marks": ["strong"]},
                                        {"text": " is a gear that bends a thin steel cup.", "marks": []},
                                    ],
                                }
                            ],
                        }
                    ],
                }
            ]
        }
    )

    id: str
    title: str
    url: str
    module: int | None
    module_title: str | None
    previous: PageLink | None
    next: PageLink | None
    sections: list[SectionOfPage]


class _AnyPath(PathConvertor):
    """Starlette's own ends at a line break, and what follows would be no page of ours to say that it is missing."""

    regex = r"[\s\S]*"


register_url_convertor("any_path", _AnyPath())

ChapterId = Annotated[
    str, Path(description="An id of the contents, or the `chapter_id` of a citation.", examples=["joints/gears"])
]


def router(services: Services) -> APIRouter:
    routes = reader_router()

    @routes.get("/book/contents", response_model=Contents, responses={**reader_errors(), **UNCHANGED})
    async def contents(response: Response, known: KnownTag = None) -> Any:
        """What is in the book."""
        edition = await services.book().index.edition()
        title = services.book_title or title_of(edition)
        if is_known(response, known, edition.name, title):
            return not_modified(response)
        chapters = [_entry(chapter) for chapter in edition.chapters]
        return Contents(title=title, language=edition.language, chapters=chapters)

    @routes.get(
        "/book/pages/{chapter_id:any_path}",
        response_model=Page,
        responses={**reader_errors(ProblemKind.NOT_FOUND), **UNCHANGED},
    )
    async def page(response: Response, chapter_id: ChapterId, known: KnownTag = None) -> Any:
        """A page of the book, as Markdown; always of the edition that answers."""
        found = await services.book().index.page(chapter_id)
        if found is None:
            raise not_found("There is no such page in this book.")
        if not found.is_readable:
            raise not_found(_MADE_BEFORE)
        if is_known(response, known, found.edition, found.chapter.id):
            return not_modified(response)
        return _page(found)

    return routes


def title_of(edition: Edition) -> str:
    """What a book that nobody named is called: as its index page is headed, or else its first page in no group."""
    if edition.title:
        return edition.title
    pages = sorted(edition.chapters, key=lambda chapter: chapter.category is not None)
    if not pages:
        return "The book"
    top = min(pages, key=lambda chapter: len(chapter.url))
    is_index = top.url.endswith("/") and all(page.url.startswith(top.url) for page in pages)
    first = top if is_index else pages[0]
    return first.heading or first.title


def _entry(chapter: Chapter) -> ContentsEntry:
    return ContentsEntry(
        id=chapter.id,
        title=chapter.title,
        url=chapter.url,
        module=chapter.module,
        module_title=chapter.category,
        difficulty=chapter.difficulty,
        tags=list(chapter.tags),
        sections=list(chapter.sections),
    )


def _page(found: BookPage) -> Page:
    chapter = found.chapter
    return Page(
        id=chapter.id,
        title=chapter.title,
        url=chapter.url,
        module=chapter.module,
        module_title=chapter.category,
        previous=_link(found.previous),
        next=_link(found.next),
        sections=[
            SectionOfPage(id=part.id, title=part.title, level=part.level, blocks=list(part.blocks))
            for part in found.sections
        ],
    )


def _link(chapter: Chapter | None) -> PageLink | None:
    return PageLink(id=chapter.id, title=chapter.title, url=chapter.url) if chapter else None

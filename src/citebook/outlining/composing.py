"""Composes what the guide says of the book or a part of it: an introduction, and the places to quote."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citebook.domain.outline import OutlinePage, OutlineSection, Place
from citebook.language.languages import Language
from citebook.outlining.asking import AboutBook, AboutPart, AboutTopic, BookQuestion, ListOf
from citebook.outlining.structure import BookStructure, Unit

_MOST_TITLES = 60
_MOST_PAGES = 20
"""Titles of pages, where the book has no parts."""
_NAMED_ALL_OVER = 3
_LONGEST_TITLES = 2_000
"""Characters of all titles in an introduction."""
_SHORT = 2
"""Sentences that are quoted of each of several pages."""


@dataclass(frozen=True, slots=True)
class Composed:
    introduction: str
    places: tuple[Place, ...]


class Composer:
    def __init__(self, structure: BookStructure, language: Language) -> None:
        self._structure, self._language = structure, language
        self._cues = language.guiding

    def compose(self, asked: BookQuestion) -> Composed | None:
        """None where the outline does not tell."""
        composed = self._composed(asked) if self._structure.outline.pages else None
        return composed if composed and composed.places else None

    def of_page(self, chapter_id: str) -> Composed | None:
        """What one page says it is about; None where there is no such page."""
        page = next((page for page in self._structure.outline.pages if page.id == chapter_id), None)
        composed = self._page(page, page.title, wants_summary=False) if page else None
        return composed if composed and composed.places else None

    def _composed(self, asked: BookQuestion) -> Composed | None:
        match asked:
            case AboutBook(asks_audience=asks_audience):
                return self._book(None, asks_audience=asks_audience)
            case ListOf(kind=kind, tells_of_each=tells_of_each):
                return self._book(kind, tells_of_each=tells_of_each)
            case AboutPart(kind=kind, wants_summary=wants_summary):
                units = self._structure.numbered(kind, asked.first, asked.last, asked.within)
                return self._units(units, kind, wants_summary=wants_summary)
            case AboutTopic(topic=topic, wants_summary=wants_summary, or_book=or_book):
                if or_book and self._is_named_all_over(topic):
                    return self._book(None)
                return self._units(self._on(topic), "chapter", wants_summary=wants_summary) or (
                    self._book(None) if or_book else None
                )
        return None

    # --- the book

    def _book(self, kind: str | None, *, asks_audience: bool = False, tells_of_each: bool = True) -> Composed | None:
        units = self._structure.units(kind) if kind else self._structure.top
        if not units or (kind and not _are_all(units)):
            return None
        of_book = self._of_opening(self._opening_page(), asks_audience=asks_audience)
        of_each = [_line(unit.pages[0]) for unit in units] if kind and tells_of_each else []
        places = [*of_each, *of_book, *([] if kind else _announced(units))]
        count = self._count(units, kind or self._kind_of(units))
        if kind and (inside := self._inside(units)):
            count = self._cues.words.among.format(count=count, inside=inside)
        most = _MOST_PAGES if all(len(unit.pages) == 1 for unit in units) else _MOST_TITLES
        titles = self._titles(_telling_apart([unit.title for unit in units]), most)
        introduction = self._cues.words.book.format(count=count, titles=titles)
        return Composed(introduction, _different(places))

    def _inside(self, units: Sequence[Unit]) -> str:
        """How many larger parts they stand in."""
        top = self._structure.top
        holders = [part for part in top if any(unit.pages[0] in part.pages for unit in units)]
        if len(holders) < 2 or len(holders) >= len(units):
            return ""
        return self._count(holders, self._kind_of(holders))

    def _opening_page(self) -> OutlinePage:
        """By its title; of several, one that stands in no part. Where many are called so, each opens a part only."""
        pages = [page for page in self._structure.outline.pages if page.opening] or self._structure.outline.pages
        named = Counter((page.title.casefold(), len(page.parts)) for page in pages)
        alone = [page for page in pages if named[page.title.casefold(), len(page.parts)] == 1]
        outermost_first = sorted(alone, key=lambda page: len(page.parts))
        titled = (page for form in self._cues.opening_pages for page in outermost_first if form.fullmatch(page.title))
        return next(titled, pages[0])

    def _of_opening(self, page: OutlinePage, *, asks_audience: bool) -> Iterator[Place | None]:
        """What the page says that opens the book, and its sections on whom it is for and what it holds."""
        yield page.opening
        if asks_audience:
            yield from (section.opening for section in self._sections(page, self._cues.audience_sections))
        telling = self._sections(page, self._cues.telling_sections)
        yield from (place for section in telling[:2] for place in (section.announcement, section.opening))

    @staticmethod
    def _sections(page: OutlinePage, cue: re.Pattern[str]) -> list[OutlineSection]:
        return [section for section in page.sections if section.depth > 0 and cue.fullmatch(section.title)]

    # --- parts

    def _on(self, topic: str) -> tuple[Unit, ...]:
        """The part or page whose title, or else description, has most of the topic."""
        wanted = self._language.term_set(topic)
        pages = tuple(Unit(page.title, page.number, (page,)) for page in self._structure.outline.pages)
        units = (*self._structure.named("chapter"), *self._structure.top, *pages)
        scored = [(self._likeness(wanted, unit), -place) for place, unit in enumerate(units)]
        best, place = max(scored, default=(0.0, 0))
        return (units[-place],) if best >= 0.5 else ()

    def _is_named_all_over(self, topic: str) -> bool:
        """Whether so many pages are called so that it is the name of the book."""
        wanted = self._language.term_set(topic)
        named = [page for page in self._structure.outline.pages if wanted <= self._language.term_set(page.title)]
        return len(named) >= _NAMED_ALL_OVER

    def _likeness(self, wanted: frozenset[str], unit: Unit) -> float:
        """0 where half of the topic is missing: “Cell Structure” is not the part on the cell membrane."""
        title = self._language.term_set(unit.title)
        described = title | self._language.term_set(unit.pages[0].description or "")
        if 2 * len(wanted & described) <= len(wanted):
            return 0.0
        return (len(wanted & title) + 0.5 * len(wanted & (described - title))) / len(wanted)

    def _units(self, units: Sequence[Unit], kind: str, *, wants_summary: bool) -> Composed | None:
        if not units:
            return None
        pages = [page for unit in units for page in unit.pages]
        title = self._title(units, kind)
        if len(pages) == 1:
            return self._page(pages[0], title, wants_summary=wants_summary)
        places = [_line(page, wants_summary=wants_summary) for page in pages]
        inner = [Unit(page.title, None, (page,)) for page in pages]
        count = self._count(inner, "section" if kind == "chapter" and len(units) == 1 else self._kind_of(inner))
        return Composed(self._introduced(title, count, (page.title for page in pages)), _different(places))

    def _page(self, page: OutlinePage, title: str, *, wants_summary: bool) -> Composed:
        sections = [section for section in page.sections if section.depth == 1 and section.opening]
        told = [section for section in sections if not section.is_summary] or sections
        first = [page.summary, page.opening] if wants_summary else [page.opening, page.objectives, page.announcement]
        places = [*first, *(_short(section.opening) for section in told)]
        if not told:
            return Composed(f"{title}:", _different(places))
        count = self._count([Unit(section.title, None, ()) for section in told], "section")
        return Composed(self._introduced(title, count, (section.title for section in told)), _different(places))

    # --- words

    def _title(self, units: Sequence[Unit], kind: str) -> str:
        word = self._cues.parts[kind][0].capitalize()
        if len(units) == 1:
            return self._structure.title(kind, units[0], word)
        return ", ".join(dict.fromkeys(f"{word} {unit.number}" for unit in units))

    def _introduced(self, title: str, count: str, titles: Iterable[str]) -> str:
        return self._cues.words.part.format(title=title, count=count, titles=self._titles(titles))

    def _count(self, units: Sequence[Unit], kind: str) -> str:
        one, several = self._cues.parts[kind][:2]
        return f"{len(units)} {one if len(units) == 1 else several}"

    def _kind_of(self, units: Sequence[Unit]) -> str:
        """What the book calls them, by their names; parts, or pages where each is one."""
        for kind in self._cues.parts:
            named = {unit.pages for unit in self._structure.named(kind)}
            if all(unit.pages in named for unit in units):
                return kind
        return "page" if all(len(unit.pages) == 1 for unit in units) else "part"

    def _titles(self, titles: Iterable[str], most: int = _MOST_TITLES) -> str:
        listed = list(titles)
        shown, length = 0, 0
        while shown < min(len(listed), most) and length <= _LONGEST_TITLES:
            length += len(listed[shown])
            shown += 1
        rest = [self._cues.words.more.format(number=len(listed) - shown)] if shown < len(listed) else []
        return "; ".join([*listed[:shown], *rest])


def _telling_apart(titles: Sequence[str]) -> list[str]:
    """Without those that several have, such as “Introduction”, unless all do."""
    counts = Counter(titles)
    return [title for title in titles if counts[title] == 1] or list(counts)


def _announced(units: Sequence[Unit]) -> list[Place]:
    """What the parts say of themselves, where most of them do: one alone would stand for all."""
    told = [place for unit in units if (place := unit.pages[0].announcement or unit.pages[0].objectives)]
    return told if 2 * len(told) >= len(units) else []


def _are_all(units: Sequence[Unit]) -> bool:
    """Whether their numbers say that none is missing, so that they may be counted."""
    numbers = {unit.number for unit in units if unit.number is not None}
    return len(numbers) in (0, len(range(min(numbers, default=0), max(numbers, default=-1) + 1)))


def _line(page: OutlinePage, *, wants_summary: bool = False) -> Place | None:
    """What tells most of a page in few words."""
    if wants_summary and page.summary:
        return page.summary
    return page.announcement or page.objectives or _short(page.opening) or page.summary


def _short(place: Place | None) -> Place | None:
    return place and Place(place.chunk_id, place.first, min(place.last, place.first + _SHORT - 1))


def _different(places: Iterable[Place | None]) -> tuple[Place, ...]:
    """Each once; those that follow each other in the book as one."""
    joined: list[Place] = []
    for place in dict.fromkeys(place for place in places if place is not None):
        before = joined[-1] if joined else None
        if before and before.chunk_id == place.chunk_id and before.last + 1 == place.first:
            joined[-1] = Place(before.chunk_id, before.first, place.last)
        else:
            joined.append(place)
    return tuple(joined)

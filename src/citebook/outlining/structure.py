"""What a book is made of: its chapters, modules, weeks …, found by their names, folders and numbers."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from citebook.domain.book import Part
from citebook.domain.outline import Outline, OutlinePage
from citebook.language.languages import Language

_MOST_CHAPTERS = 40
"""Pages in one folder without any number; of more of them nobody would say which is the third chapter."""
_HOLDERS = ("chapter", "module", "unit", "part")
"""What sections and lessons are parts of, where a book has these."""
_NO_RANGE = r"(?!\.? \d+\s*[–-]\s*\d)"
"""“Review of chapters 3-13” is no chapter; the file ch04-01 is."""
_INDEX = re.compile(r"(?:index|readme|intro(?:duction)?|overview)$|.*[-_]00[-_]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the book by its number: one page, or all pages of a folder."""

    title: str
    """Empty where pages share nothing but the number."""
    number: int | None
    pages: tuple[OutlinePage, ...]


class BookStructure:
    def __init__(self, outline: Outline, language: Language) -> None:
        self.outline, self._language = outline, language
        self._numbering = {
            kind: re.compile(rf"(?<![^\W_])(?:{'|'.join(words)})s?{_NO_RANGE}[-_ .:]*0*(\d+)", re.IGNORECASE)
            for kind, words in language.guiding.parts.items()
        }

    def units(self, kind: str) -> tuple[Unit, ...]:
        """All of a kind, in reading order: as the book calls them, or else as a reader would."""
        return self.named(kind) or self._by_position(kind)

    def numbered(self, kind: str, first: int, last: int, within: str = "") -> tuple[Unit, ...]:
        """Without “Bonus unit 2” where there is a “Unit 2”; of several sixth parts the one `within` something."""
        units = self._within(within, kind) if within else self.units(kind)
        found = [unit for unit in units if unit.number is not None and first <= unit.number <= last]
        plain = [unit for unit in found if kind in self._numbering and self._numbering[kind].match(unit.title)]
        return tuple(plain or found)

    def title(self, kind: str, unit: Unit, word: str) -> str:
        """With what it is and its number before it, unless the title says that."""
        if unit.number is None or (unit.title and self._found(kind, [unit.title]) == unit.number):
            return unit.title
        return f"{word} {unit.number}: {unit.title}" if unit.title else f"{word} {unit.number}"

    @cached_property
    def top(self) -> tuple[Unit, ...]:
        """The outermost parts where most pages stand in them, or else the pages."""
        parts, pages = self._parts_at(0), self.outline.pages
        if 2 * sum(len(part.pages) for part in parts) > len(pages):
            return parts
        return tuple(Unit(page.title, page.number, (page,)) for page in pages)

    def named(self, kind: str) -> tuple[Unit, ...]:
        """Those that are called so: folders, or else pages; pages of one number in one folder are one."""
        if kind not in self._numbering:
            return ()
        for depth in range(max((len(page.parts) for page in self.outline.pages), default=0)):
            units = self._parts_at(depth)
            named = [(unit, self._number_of(kind, unit.pages[0].parts[depth])) for unit in units]
            found = tuple(Unit(unit.title, number, unit.pages) for unit, number in named if number)
            if found:
                return found
        return tuple(self._named_pages(kind))

    def _within(self, holder: str, kind: str) -> Iterator[Unit]:
        """The pages that are called so and have the words for what holds them in their folder or title."""
        wanted = self._language.term_set(holder)
        for page, number in self._numbered_pages(kind) if wanted else ():
            folders = re.sub(r"\W+", " ", str(PurePosixPath(page.source_file).parent))
            named = " ".join((folders, page.title, *(part.name for part in page.parts)))
            if wanted <= self._language.term_set(named):
                yield Unit(page.title, number, (page,))

    def _number_of(self, kind: str, part: Part) -> int | None:
        return self._found(kind, (part.folder, part.name))

    def _named_pages(self, kind: str) -> Iterator[Unit]:
        groups: dict[tuple[tuple[Part, ...], int], list[OutlinePage]] = {}
        for page, number in self._numbered_pages(kind):
            groups.setdefault((page.parts[:1], number), []).append(page)
        for (_, number), pages in groups.items():
            is_titled = len(pages) == 1 or _INDEX.match(PurePosixPath(pages[0].source_file).stem)
            yield Unit(pages[0].title if is_titled else "", number, tuple(pages))

    def _numbered_pages(self, kind: str) -> Iterator[tuple[OutlinePage, int]]:
        """By file, title or first heading; where more headings have numbers, it is a page on several chapters."""
        for page in self.outline.pages if kind in self._numbering else ():
            titles = [section.title for section in page.sections]
            is_on_several = sum(self._found(kind, [title]) is not None for title in titles) > 1
            heading = titles[0] if titles and not is_on_several else ""
            number = self._found(kind, (PurePosixPath(page.source_file).stem, page.title, heading))
            if number:
                yield page, number

    def _found(self, kind: str, names: Iterable[str]) -> int | None:
        found = (self._numbering[kind].search(name) for name in names)
        return next((int(match[1]) for match in found if match), None)

    def _by_position(self, kind: str) -> tuple[Unit, ...]:
        """By their numbers in the sidebar, or else by counting; only for the parts that any book has.

        What has number 0 stands before the first of them.
        """
        if kind not in ("chapter", "module", "unit", "part", "section", "lesson"):
            return ()
        is_inner = bool(self._parts_at(0)) and (not self._parts_are_numbered or any(map(self.named, _HOLDERS)))
        if kind in ("section", "lesson") and is_inner:
            return ()
        units = tuple(unit for unit in self.top if unit.number)
        if not units and not self._parts_at(0) and len(self.top) > _MOST_CHAPTERS:
            return ()
        return units or tuple(Unit(unit.title, number, unit.pages) for number, unit in enumerate(self.top, start=1))

    @property
    def _parts_are_numbered(self) -> bool:
        parts = self._parts_at(0)
        return 2 * sum(part.number is not None for part in parts) > len(parts)

    def _parts_at(self, depth: int) -> tuple[Unit, ...]:
        groups: dict[tuple[Part, ...], list[OutlinePage]] = {}
        for page in self.outline.pages:
            if len(page.parts) > depth:
                groups.setdefault(page.parts[: depth + 1], []).append(page)
        return tuple(
            Unit(_readable(path[-1].name), path[-1].number, tuple(_index_first(pages)))
            for path, pages in groups.items()
        )


def _readable(name: str) -> str:
    """A label as it is; the name of a folder in words."""
    if " " in name or not re.search(r"[-_]", name):
        return name[:1].upper() + name[1:]
    words = re.sub(r"[-_]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def _index_first(pages: list[OutlinePage]) -> list[OutlinePage]:
    return sorted(pages, key=lambda page: not _INDEX.match(PurePosixPath(page.source_file).stem))

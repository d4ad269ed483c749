"""What a book can be searched by: its modules, levels of difficulty and tags."""

import re
from collections.abc import Iterable

from citebook.domain.book import Chapter
from citebook.domain.question import Filters
from citebook.domain.value import Value

_MOST_TAGS = 20
_PREFIX = re.compile(r"^\d+[-_. ]+")
"""By which folders are put in order."""


class FilterChoices(Value):
    modules: dict[int, str]
    """Number and title."""
    folders: dict[int, str]
    """Number and name of the folder, where it has one."""
    difficulties: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, chapters: Iterable[Chapter]) -> "FilterChoices":
        """Each once, in the order of the book."""
        chapters = tuple(chapters)
        modules: dict[int, str] = {}
        for chapter in chapters:
            if chapter.module is not None and not modules.get(chapter.module):
                modules[chapter.module] = chapter.parts[0].name if chapter.parts else chapter.category or ""
        folders = {
            chapter.module: chapter.parts[0].folder
            for chapter in chapters
            if chapter.module is not None and chapter.parts and chapter.parts[0].folder
        }
        difficulties = dict.fromkeys(chapter.difficulty for chapter in chapters if chapter.difficulty)
        tags = dict.fromkeys(tag for chapter in chapters for tag in chapter.tags)
        return cls(modules=modules, folders=folders, difficulties=tuple(difficulties), tags=tuple(tags))

    def numbered(self, filters: Filters) -> Filters:
        """With the number of the module that is named by its title or its folder; as they are where there is none."""
        if filters.part is None:
            return filters
        wanted = _plain(filters.part)
        number = next((number for number in self.modules if wanted in self._names(number)), None)
        return filters if number is None else filters.model_copy(update={"module": number, "part": None})

    def _names(self, number: int) -> set[str]:
        """“Module 2: Simulation” is also called “Simulation”, and “02-module-2-simulation” so without its number."""
        title, folder = self.modules[number], self.folders.get(number, "")
        names = (title, title.rpartition(":")[2], folder, _PREFIX.sub("", folder))
        return {_plain(name) for name in names} - {""}

    def lacking(self, filters: Filters) -> list[tuple[str, str]]:
        """What is asked for that the book has not, each with what it has instead."""
        found: list[tuple[str, str]] = []
        if filters.part is not None or (filters.module is not None and filters.module not in self.modules):
            titled = (f"{number} ({title})" if title else str(number) for number, title in self.modules.items())
            found.append((f"module: {filters.part or filters.module}", _listed("module", titled)))
        if filters.difficulty is not None and filters.difficulty not in self.difficulties:
            found.append((f"difficulty: {filters.difficulty}", _listed("difficulty", self.difficulties)))
        if filters.tags and not set(filters.tags) & set(self.tags):
            found.append((f"tags: {', '.join(filters.tags)}", _listed("tags", self.tags[:_MOST_TAGS])))
        return found


def _listed(name: str, values: Iterable[str]) -> str:
    listed = ", ".join(values)
    return f"{name}: {listed}" if listed else ""


def _plain(text: str) -> str:
    return " ".join(text.replace("-", " ").casefold().split())

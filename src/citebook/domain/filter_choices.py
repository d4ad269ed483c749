"""What a book can be searched by: its modules, levels of difficulty and tags."""

from collections.abc import Iterable

from citebook.domain.book import Chapter
from citebook.domain.question import Filters
from citebook.domain.value import Value

_MOST_TAGS = 20


class FilterChoices(Value):
    modules: dict[int, str]
    """Number and title."""
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
        difficulties = dict.fromkeys(chapter.difficulty for chapter in chapters if chapter.difficulty)
        tags = dict.fromkeys(tag for chapter in chapters for tag in chapter.tags)
        return cls(modules=modules, difficulties=tuple(difficulties), tags=tuple(tags))

    def numbered(self, filters: Filters) -> Filters:
        """The filters with the number of the module that they name by its title; as they are where there is none."""
        if filters.part is None:
            return filters
        wanted = _plain(filters.part)
        number = next((number for number, title in self.modules.items() if wanted in _names(title)), None)
        return filters if number is None else filters.model_copy(update={"module": number, "part": None})

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


def _names(title: str) -> set[str]:
    """“Module 2: Simulation” is also called “Simulation”."""
    return {_plain(title), _plain(title.rpartition(":")[2])} - {""}


def _plain(text: str) -> str:
    return " ".join(text.replace("-", " ").casefold().split())

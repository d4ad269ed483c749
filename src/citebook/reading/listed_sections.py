"""Lists whose items are sections: “Built-in providers”, with a section on each of them below."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from citebook.domain.book import Chunk
from citebook.domain.units import UnitKind
from citebook.language.languages import Language
from citebook.reading.passages import ReadPassage
from citebook.reading.quote import Quote
from citebook.reading.sentence_scoring import Asked
from citebook.reading.unit_scoring import LISTS

_FEWEST, _MOST = 3, 5
"""Sections that are told as a list; of more only a part could be told, and it would look like all."""
_MUCH_OF_QUESTION = 0.2
_LONGEST_ITEM = 300
_MOST_OF_THEM = 0.6

_Headings = tuple[str, ...]


def items_around(quote: Quote, read: Sequence[tuple[Chunk, ReadPassage]], asked: Asked) -> list[Quote]:
    """What each section opens with below the heading that names the things asked for; none of too few or many.

    The quotation stands under that heading or above it, on the same page.
    """
    of_page = sorted((one for one in read if one[0].place == quote.chunk.place), key=lambda one: one[0].start)
    below: dict[_Headings, dict[str, Quote]] = {}
    for chunk, passage in of_page:
        item = _opening(chunk, passage, quote) if len(chunk.heading_path) > 1 else None
        if item is not None:
            below.setdefault(chunk.heading_path[:-1], {}).setdefault(chunk.section, item)
    own = quote.chunk.heading_path
    holders = [path for path in below if own[: len(path)] == path or path[: len(own)] == own]
    named = [path for path in holders if _FEWEST <= len(below[path]) <= _MOST and _names_them(path[-1], asked)]
    best = max(named, key=lambda path: asked.share(asked.terms & asked.language.term_set(path[-1])), default=None)
    if best is None:
        return []
    items = list(below[best].values())
    summary = _summary_of(items, of_page, asked.language)
    return [summary] if summary is not None else items


def _summary_of(
    items: Sequence[Quote], of_page: Iterable[tuple[Chunk, ReadPassage]], language: Language
) -> Quote | None:
    """The list or table of the page that names most of the sections: it has those, too, that were not found."""
    titles = [language.term_set(item.chunk.section_title) for item in items]
    names = [title - frozenset.intersection(*titles) for title in titles]
    for chunk, passage in of_page:
        for unit in passage.units:
            named = sum(bool(name & unit.terms) for name in names)
            if unit.kind in LISTS and unit.tells and named >= _MOST_OF_THEM * len(items):
                return replace(items[0], chunk=chunk, first=unit.first, last=unit.last)
    return None


def _names_them(heading: str, asked: Asked) -> bool:
    """Whether it names several things, and the question the same."""
    language = asked.language
    share = asked.share(asked.terms & language.term_set(heading))
    return share >= _MUCH_OF_QUESTION and bool(asked.terms & language.term_set(" ".join(_plurals(heading, language))))


def _plurals(heading: str, language: Language) -> Iterable[str]:
    return (
        word for word in language.words(heading) if len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    )


def _opening(chunk: Chunk, passage: ReadPassage, like: Quote) -> Quote | None:
    telling = next((unit for unit in passage.units if unit.tells and not unit.is_title), None)
    if telling is None or telling.kind is UnitKind.TABLE:
        return None
    item = replace(like, chunk=chunk, first=telling.first, last=telling.first, headed=True)
    while item.last < telling.last and len((longer := replace(item, last=item.last + 1)).text) <= _LONGEST_ITEM:
        item = longer
    return item

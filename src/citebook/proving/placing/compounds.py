"""“The teeth of a gear” as “gear teeth”, in any order of a claim's words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citebook.language.paraphrase import Paraphrase
from citebook.proving.placing.atoms import POSSESSIVE
from citebook.proving.placing.order import Element
from citebook.proving.placing.reading import Kind

_LONGEST = 3
"""Words of either side."""


def compounds(elements: Sequence[Element], lists: Paraphrase) -> Iterator[list[Element]]:
    """One for each “of”, and for each way to tell where the two names begin and end."""
    between = lists.relatives | {POSSESSIVE, ""}
    for number, element in enumerate(elements):
        if element.lead not in lists.of or not number:
            continue
        for end in _ends(elements, number):
            owner = [replace(element, lead="", begins=False), *elements[number + 1 : end]]
            for start in _starts(elements, number):
                owned = [replace(elements[start], behind=between), *elements[start + 1 : number]]
                yield [*elements[:start], *owner, *owned, *elements[end:]]


def _ends(elements: Sequence[Element], number: int) -> Iterator[int]:
    for end in range(number + 1, min(number + _LONGEST, len(elements)) + 1):
        yield end
        if end < len(elements) and _is_new(elements[end]):
            return


def _starts(elements: Sequence[Element], number: int) -> Iterator[int]:
    for start in range(number - 1, max(-1, number - 1 - _LONGEST), -1):
        yield start
        if _is_new(elements[start]):
            return


def _is_new(element: Element) -> bool:
    return bool(element.lead) or element.begins or element.word.kind in (Kind.PREPOSITION, Kind.OPERATOR)

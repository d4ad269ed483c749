"""Code in several pieces: whether one goes on with what another has defined."""

import re
from collections.abc import Iterable

from citebook.reading.passages import ReadUnit

_DEFINED = re.compile(
    r"^\s*(?:(?:const|let|var|val|auto|mut|static|final)\s+)*([A-Za-z_]\w*)\s*(?::[^=\n]{1,40})?=(?![=>])",
    re.MULTILINE,
)
_NAME = re.compile(r"[A-Za-z_]\w*")
_SHORTEST_NAME = 3


def is_part_of_program(unit: ReadUnit, units: Iterable[ReadUnit]) -> bool:
    """Whether other code of the section uses what it defines, or defines what it uses.

    Pieces that define the same names are one another's alternatives: of those one is told.
    """
    own = _defined(unit)
    others = [other for other in units if other is not unit and other.code_length]
    if any(own & _defined(other) for other in others):
        return False
    return any(own & _named(other) or _defined(other) & _named(unit) for other in others)


def _defined(unit: ReadUnit) -> set[str]:
    return {name for name in _DEFINED.findall(unit.text) if len(name) >= _SHORTEST_NAME}


def _named(unit: ReadUnit) -> set[str]:
    return set(_NAME.findall(unit.text))

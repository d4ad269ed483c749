"""The words by which numbers, units, denials and opposites of a claim are known."""

from typing import Any

from pydantic import Field, field_validator

from citebook.domain.value import Value
from citebook.language.word_lists import Words


class Claims(Value):
    """What the checks of a claim look for."""

    contractions: tuple[tuple[str, str], ...] = ()
    """Spellings and what they are read as, in the order in which they are replaced."""
    possessives: tuple[str, ...] = ()
    """Endings that do not belong to a name."""
    negations: Words = frozenset()
    not_denied: Words = frozenset()
    """What a negation in front of it does not deny: “not only”."""
    scope_ends: Words = frozenset()
    """Words that end what a negation denies."""
    quantifiers: Words = frozenset()
    own_voice: Words = frozenset()
    opposites: tuple[tuple[Words, Words], ...] = ()
    opposite_prefixes: tuple[str, ...] = ()
    opposite_endings: tuple[tuple[str, str], ...] = ()
    symmetric: Words = frozenset()
    """Stems of words whose two sides may be swapped."""
    relations: Words = frozenset()
    """Words without a meaning of their own whose two sides may not be swapped."""
    passive_agent: Words = frozenset()
    number_words: dict[str, int] = Field(default_factory=dict)
    tens: dict[str, int] = Field(default_factory=dict)
    magnitudes: dict[str, int] = Field(default_factory=dict)
    money_magnitudes: dict[str, int] = Field(default_factory=dict)
    number_endings: Words = frozenset()
    indefinite: Words = frozenset()
    """Before a unit or a magnitude they are one: “a thousand”."""
    ordinals: Words = frozenset()
    """Those of the number words that count places."""
    rates: Words = frozenset()
    """What stands between a unit and that of time: “per”."""
    """Also where no unit stands before them: “a day” behind a word."""
    per: Words = frozenset()
    """That of them which says nothing else."""
    times: Words = frozenset()
    """Units of time."""
    ranges: Words = frozenset()
    """What stands between two numbers that share the unit of the second."""
    units: dict[str, str] = Field(default_factory=dict)
    """Each spelling of a unit with the one that stands for all."""

    @field_validator("units", mode="before")
    @classmethod
    def _by_spelling(cls, lines: Any) -> Any:
        if not isinstance(lines, list):
            return lines
        return {spelling: line.split()[0] for line in lines for spelling in line.split()}

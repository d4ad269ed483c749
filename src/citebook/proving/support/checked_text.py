"""A text as the checks of a claim look at it."""

import re
from functools import cached_property, lru_cache

from citebook.language.languages import Language

EDGES = ".,;:!?()[]{}<>\"'“”‘’«»*`…–—"
"""Punctuation that may stand around a word."""
_TOKEN = re.compile(r"[^\W_]+|[,;:.!?()]")
_JOINTS = re.compile(r"[-/–—_.:]")


class CheckedText:
    """Each view is made once, in time that grows with the length of the text."""

    def __init__(self, text: str, language: Language) -> None:
        self.text, self.language = text, language

    @cached_property
    def tokens(self) -> list[str]:
        """Words and punctuation, in small letters; the "n't" of a verb is a "not" of its own."""
        plain = self.text.lower().replace("’", "'")
        for spelling, words in self.language.claims.contractions:
            plain = plain.replace(spelling, words)
        return _TOKEN.findall(plain)

    @cached_property
    def words(self) -> list[str]:
        return [token for token in self.tokens if token[0].isalnum()]

    @cached_property
    def roots(self) -> list[str]:
        return [root(word, self.language) for word in self.words]

    @cached_property
    def root_set(self) -> frozenset[str]:
        return frozenset(self.roots)

    @cached_property
    def pieces(self) -> list[str]:
        """What stands between white space, without the punctuation around it."""
        return [stripped for piece in self.text.split() if (stripped := piece.strip(EDGES))]

    @cached_property
    def piece_set(self) -> frozenset[str]:
        """The pieces and their parts, in small letters."""
        folded = [fold(piece, self.language) for piece in self.pieces]
        return frozenset(folded).union(part for piece in folded for part in parts(piece))


@lru_cache(maxsize=50_000)
def root(word: str, language: Language) -> str:
    """The stem of a word, a unit in its one spelling; a word without a meaning of its own stays as it is."""
    if word in language.stop_words:
        return word
    unit = language.claims.units.get(word, "").lower()
    return unit if len(unit) > 1 else next(iter(language.terms(word)), word)


def fold(piece: str, language: Language) -> str:
    """In small letters and without the ending of a possessive."""
    lower = piece.lower()
    ending = next((ending for ending in language.claims.possessives if lower.endswith(ending)), "")
    return lower.removesuffix(ending)


def parts(piece: str) -> list[str]:
    """What hyphens, slashes, dots, colons and underscores join."""
    return [part for part in _JOINTS.split(piece) if part]

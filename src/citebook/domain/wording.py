"""The words of a book as readers may type them, and what was put for those that they mistyped."""

from dataclasses import dataclass

from citebook.domain.book import DEFAULT_LANGUAGE
from citebook.domain.value import Value


class Correction(Value):
    """A word of the question that stands nowhere in the book, and the one that was searched for in its place."""

    typed: str
    searched: str


@dataclass(frozen=True, slots=True)
class Wording:
    """What an edition keeps of its words beside its terms, which are stems."""

    edition: str
    words: bytes = b""
    """A word, a tab and the number of chunks that have it on each line, in the order of bytes."""
    language: str = DEFAULT_LANGUAGE
    """That of the book."""

    def __post_init__(self) -> None:
        """Raises `ValueError` where the lines are not what was written."""
        is_cut_off = bool(self.words) and not self.words.endswith(b"\n")
        if is_cut_off or self.words.count(b"\t") != self.words.count(b"\n"):
            raise ValueError("the list of words is damaged")

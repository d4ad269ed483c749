"""How sure it is that an answer answers its question, in words: the same on the page, on a terminal and in JSON.

What is quoted is always the book's; what is uncertain is whether it is what was asked for.
"""

from enum import StrEnum


class Support(StrEnum):
    LIKELY = "likely"
    UNSURE = "unsure"
    CLOSEST = "closest"
    """More likely than not it is no answer; nothing in the book comes nearer."""
    TALK = "talk"
    """A greeting or the like: there was nothing to find."""

    @property
    def words(self) -> str | None:
        """As a reader is told; nothing where nothing was to be answered."""
        return _WORDS.get(self)


_WORDS = {
    Support.LIKELY: "Likely answers your question",
    Support.UNSURE: "May not answer it",
    Support.CLOSEST: "Closest in the book",
}

LIKELY_FROM = 0.70
UNSURE_FROM = 0.50
"""Below it, an answer more likely than not is none."""


def support_of(confidence: float, *, low_confidence: bool = False) -> Support:
    """Of an answer, by its confidence; what a reader is warned of is never more than the closest."""
    if low_confidence or confidence < UNSURE_FROM:
        return Support.CLOSEST
    return Support.LIKELY if confidence >= LIKELY_FROM else Support.UNSURE

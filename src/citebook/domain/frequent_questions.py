"""Questions that a book answers under a heading of their own: what can be told while its index cannot be reached."""

from pydantic import Field

from citebook.domain.value import Value


class FrequentQuestion(Value):
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    """The book's own words."""
    url: str
    """Where they stand."""


class FrequentQuestions(Value):
    edition: str
    """Of which they were made."""
    entries: tuple[FrequentQuestion, ...] = ()

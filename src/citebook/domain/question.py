"""A reader's question with the rules under which it is to be answered."""

from datetime import UTC, datetime
from typing import Self
from uuid import uuid4

from pydantic import Field, field_validator, model_validator

from citebook.domain.book import Difficulty, PagePlace
from citebook.domain.conversation import Exchange
from citebook.domain.errors import InvalidQuestion
from citebook.domain.value import UtcTime, Value


class Filters(Value):
    """Which part of the book to search."""

    module: int | None = Field(default=None, ge=0)
    part: str | None = None
    """The title of a module, in place of its number."""
    difficulty: Difficulty | None = None
    tags: tuple[str, ...] = ()
    chapter_id: str | None = None
    """One page, with its partials."""
    source_files: tuple[str, ...] = ()
    """The files of that page, which stand in its place."""
    is_scope: bool = False
    """Whether nothing beyond it may be quoted, however little it has; else it is given up for a better answer."""

    @field_validator("tags")
    @classmethod
    def _tags_in_small_letters(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        """Tags of a book are kept in small letters, so that a reader need not know how they were written."""
        return tuple(tag.lower() for tag in tags)

    @property
    def by_number(self) -> Self:
        """Those that an index knows to search by."""
        return self.model_copy(update={"part": None})

    def holds(self, place: PagePlace) -> bool:
        """Whether a page is in this part of the book; a name must have become a number or files before."""
        return (
            (self.module is None or place.module == self.module)
            and (self.difficulty is None or place.difficulty == self.difficulty)
            and (not self.tags or not set(self.tags).isdisjoint(place.tags))
            and (self.chapter_id is None or place.source_file in self.source_files)
        )

    @property
    def is_empty(self) -> bool:
        """Whether it is all of the book."""
        return self == Filters(is_scope=self.is_scope)


class TextRule(Value):
    """How long a text may be."""

    min_characters: int = Field(default=1, ge=0)
    max_characters: int | None = Field(default=10_000, ge=1)
    max_words: int | None = Field(default=None, ge=1)


class Policy(Value):
    """What a contract demands of a question and of its answer."""

    question: TextRule = TextRule()
    selection: TextRule = TextRule()
    top_k: int = Field(default=5, ge=1, le=20)
    refuse_below: float = Field(default=0.20, ge=0, le=1)
    warn_below: float = Field(default=0.30, ge=0, le=1)

    @model_validator(mode="after")
    def _warning_starts_where_refusal_ends(self) -> Self:
        if self.warn_below < self.refuse_below:
            raise ValueError("warn_below must not be lower than refuse_below")
        return self


class Question(Value):
    """What was asked, to the letter; matching normalises a copy."""

    text: str
    selected_text: str | None = None
    only_selected_text: bool = False
    streamed: bool = False
    """Whether the reader sees sentences as they come, so that later ones may take longer."""
    filters: Filters = Filters()
    history: tuple[Exchange, ...] = ()
    book_title: str | None = None
    """What a refusal calls the book, where the contract wants it named."""
    policy: Policy = Policy()
    id: str = Field(default_factory=lambda: str(uuid4()))
    asked_at: UtcTime = Field(default_factory=lambda: datetime.now(UTC))

    @field_validator("history")
    @classmethod
    def _five_exchanges_are_enough(cls, history: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
        return history[-5:]

    def check(self) -> None:
        """Raises `InvalidQuestion` that names the field and the rule it breaks."""
        if not self.text.strip():
            raise InvalidQuestion("question", "must not be empty")
        _check_text("question", self.text, self.policy.question)
        if self.selected_text is not None:
            _check_text("selected_text", self.selected_text, self.policy.selection)
        elif self.only_selected_text:
            raise InvalidQuestion("selected_text", "must be given")


def _check_text(field: str, text: str, rule: TextRule) -> None:
    text = text.strip()
    if "\x00" in text:
        raise InvalidQuestion(field, "must not contain NUL characters")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidQuestion(field, "must be valid Unicode")
    if len(text) < rule.min_characters:
        raise InvalidQuestion(field, f"must have at least {rule.min_characters} characters")
    if rule.max_characters is not None and len(text) > rule.max_characters:
        raise InvalidQuestion(field, f"must have at most {rule.max_characters} characters", is_too_long=True)
    words = len(text.split())
    if rule.max_words is not None and words > rule.max_words:
        raise InvalidQuestion(field, f"exceeds {rule.max_words} words (has {words})", is_too_long=True)

"""The word lists of a language, in the groups in which the rooms need them.

Every list may be empty. A language of which nothing else is known still has words, stems and sentences.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo

from citebook.domain.value import Value
from citebook.language.phrases import pattern_of
from citebook.language.replies import Replies

NEVER = re.compile("(?!)")


def _split(value: Any) -> Any:
    return value.split() if isinstance(value, str) else value


def _in_any_case(value: Any, info: ValidationInfo) -> Any:
    return pattern_of(value, (info.context or {}).get("lists", {}), re.IGNORECASE)


def _as_written(value: Any, info: ValidationInfo) -> Any:
    return pattern_of(value, (info.context or {}).get("lists", {}))


def _any_of_these(value: Any, info: ValidationInfo) -> Any:
    return _with_lists("|".join(value) or NEVER.pattern, info)


def _each_of_these(value: Any, info: ValidationInfo) -> Any:
    return tuple(_with_lists(expression, info) for expression in value)


def _with_lists(expression: str, info: ValidationInfo) -> re.Pattern[str]:
    for name, words in (info.context or {}).get("lists", {}).items():
        expression = expression.replace(f"<{name}>", f"(?:{'|'.join(words)})")
    return re.compile(expression, re.IGNORECASE)


def _one_of_its_own(value: Any) -> Any:
    return re.compile(value, re.IGNORECASE)


Words = Annotated[frozenset[str], BeforeValidator(_split)]
"""Written as one string, with white space between the words."""
Phrases = frozenset[str]
Cue = Annotated[re.Pattern[str], BeforeValidator(_in_any_case)]
"""Finds any of a list of phrases, in small letters or capitals."""
CaseCue = Annotated[re.Pattern[str], BeforeValidator(_as_written)]
"""Finds any of a list of phrases, as they are written."""
Expression = Annotated[re.Pattern[str], BeforeValidator(_one_of_its_own)]
"""A regular expression, in small letters or capitals."""
Expressions = Annotated[re.Pattern[str], BeforeValidator(_any_of_these)]
"""Finds any of a list of regular expressions: for what phrases cannot say, such as what a question compares.

In them `<part>` stands for any expression of the list `part`.
"""

Forms = Annotated[tuple[re.Pattern[str], ...], BeforeValidator(_each_of_these)]
"""The same, tried one after the other, so that each may have groups with the same names."""


class Spelling(Value):
    """What is usual in writing words of the language."""

    twins: Words = frozenset()
    """Pairs of letters such as `our/or`, either of which may stand in the same word."""

    def twins_of(self, word: str) -> Iterator[str]:
        """The word as others spell it; most of these are no words."""
        for pair in sorted(self.twins):
            first, second = pair.split("/")
            yield from (word.replace(*way) for way in ((first, second), (second, first)) if way[0] in word)


class Conversation(Value):
    """Small talk, in small letters and without punctuation."""

    greetings: Phrases = frozenset()
    thanks: Phrases = frozenset()
    about_itself: Phrases = frozenset()
    introductions: Expressions = NEVER
    """How readers tell their names; each has a group `name`."""
    replies: Replies


class FollowUps(Value):
    """How a question leans on what was said before it."""

    pointing_back: Cue = NEVER
    """What stands for something else: “it”, “which one”."""
    owning: Cue = NEVER
    """What stands for the owner of something: “its”."""
    doing: Expressions = NEVER
    """What a reader does, at the end of what was said: it names nothing."""
    idle: Cue = NEVER
    """What looks like either and stands for nothing: “is it possible to”."""
    joints: Cue = NEVER
    """What begins another clause."""
    going_on: Cue = NEVER
    """What asks for something beside what was told."""
    in_its_place: Cue = NEVER
    """What ends a question after something else of the same subject, whatever names it has."""
    both: Cue = NEVER
    """What stands for the last two subjects."""
    asking: Words = frozenset()
    """Words that ask for something and name nothing."""
    aspects: Words = frozenset()
    """Words that name a side of a subject, and no subject."""
    auxiliaries: Words = frozenset()
    """First words of a question that has a verb of its own."""
    relating: Words = frozenset()
    """Words that put what follows them in relation to the rest: “in”, “without”."""
    articles: Words = frozenset()
    definite_article: Words = frozenset()
    capitals: Words = frozenset()
    """What is written with a capital and is no name."""
    standing_alone: Words = frozenset()
    """First words of a question that names its one subject itself."""
    turning_to: Expressions = NEVER
    """With a group around the subject that a question turns to."""
    subjects: tuple[Expression, ...] = ()
    """Each with a group around the subject of a question; the first that fits is taken."""
    asking_for_more: Phrases = frozenset()
    """Whole questions that ask for more of the same."""
    saying_nothing: Phrases = frozenset()
    """Whole questions that name no subject, and say what of it is asked for."""
    ordinals: dict[str, int] = Field(default_factory=dict)
    """What stands for a thing by its place, with that place: 1 for the first, -1 for the last."""
    counters: Words = frozenset()
    """What may stand behind an ordinal in place of a name: “one”."""

    @cached_property
    def definite(self) -> re.Pattern[str]:
        """The word behind a definite article."""
        return self._behind_article(r"(\w+)")

    @cached_property
    def counted(self) -> re.Pattern[str]:
        """An ordinal behind a definite article: “the second one”, with a group around the ordinal."""
        ordinals, ones = "|".join(sorted(self.ordinals)), "|".join(sorted(self.counters))
        return self._behind_article(rf"({ordinals})(?: (?:{ones}))?\b") if ordinals else NEVER

    def _behind_article(self, pattern: str) -> re.Pattern[str]:
        articles = "|".join(sorted(self.definite_article))
        return re.compile(rf"\b(?:{articles}) {pattern}", re.IGNORECASE) if articles else re.compile("(?!)()")


class Selections(Value):
    """What may be asked of a text that the reader selected, by whole questions without punctuation."""

    explaining: Expressions = NEVER
    summarising: Expressions = NEVER
    in_one_sentence: Cue = NEVER


class Strangers(Value):
    """Questions that have nothing to do with most books."""

    questions: tuple[str, ...] = ()


class Questions(Value):
    """What a question asks for, by its wording."""

    kinds: dict[str, Cue] = Field(default_factory=dict)
    """By the kind of question, in the order in which they are tried; see `reading.answer_cues.QuestionKind`."""
    asks_what: Cue = NEVER
    asks_share: Cue = NEVER
    asks_money: Cue = NEVER
    asks_for_digits: Cue = NEVER
    """For a number that is written in figures: a value, a version."""
    wants_list: Cue = NEVER
    wants_code: Cue = NEVER
    """Code may be the answer."""
    asks_for_code: Cue = NEVER
    """Nothing but code is."""
    wants_command: Cue = NEVER
    asks_for_one_thing: Cue = NEVER
    """A thing, or yes or no."""
    asking_for_kinds: Expressions = NEVER
    """With a group around the thing whose kinds are asked for."""
    asking_for_meaning: Expressions = NEVER
    """With a group around the thing whose meaning is asked for."""
    asked_for_meaning: str = "{thing}"
    """The question as it is searched for."""
    within_subject: Expressions = NEVER
    """A name, `before` or `behind` the rest, in which or with which something is asked for."""
    framed_before: Expressions = NEVER
    """What readers say before a question, from its very beginning."""
    framed_behind: Expressions = NEVER
    """What they say behind it, up to its very end."""
    indirect: Expressions = NEVER
    """A question after a meaning as it stands behind “tell me”, with a group around the thing."""
    parting: Expressions = NEVER
    """What stands between two questions that are asked in one breath."""
    telling_of_oneself: Expression = NEVER
    """How readers begin who tell of themselves before they ask."""
    comparing: Expressions = NEVER
    """With a group around each of the two things that are compared."""
    asked_of_side: str = "{side}"
    """The question to which one of them, the `{side}`, is the answer."""
    defining: Expressions = NEVER
    """With a group around the thing that is to be defined."""
    opening_of_definition: str = ""
    """How a sentence opens that says what `{term}` is: a regular expression, in small letters."""
    saying_what: Expression = NEVER
    """How such a sentence goes on that says what it is."""
    naming_of_definition: str = ""
    """How a sentence calls by its name what it has described: the same."""
    only_naming: Cue = NEVER
    """In a short sentence that opens so, and gives another name instead of saying what it is."""


class Answers(Value):
    """What a sentence has to offer of the kind that was asked for."""

    months: CaseCue = NEVER
    periods: CaseCue = NEVER
    eras: Words = frozenset()
    numbers: Cue = NEVER
    kinds: Cue = NEVER
    task_headings: Expressions = NEVER
    """Of sections that may be steps of one procedure, as they say what is to be done."""
    step_headings: Expressions = NEVER
    """Of those that are, with a group around the number."""
    trouble: Cue = NEVER
    """Of something that went wrong."""
    points_at_block: Cue = NEVER
    """Of what says that a table, a list or code stands behind it."""
    history_pages: Expressions = NEVER
    """Titles of pages that tell what changed from one version to the next."""
    asked_of_history: Cue = NEVER
    """Of what is told there."""
    share: CaseCue = NEVER
    money: CaseCue = NEVER
    reason: Cue = NEVER
    means: Cue = NEVER
    name_particles: Words = frozenset()
    """Small words inside names of people and places."""
    before_places: CaseCue = NEVER
    """What stands before the name of a place: “in the northern …”."""

    @cached_property
    def date(self) -> re.Pattern[str]:
        year = r"\b(?:1\d{3}|20\d{2})s?\b"
        eras = rf"\b\d{{1,4}} ?(?:{'|'.join(sorted(self.eras)) or '(?!)'})\b"
        return re.compile("|".join((year, self.months.pattern, self.periods.pattern, eras)))

    @cached_property
    def digits(self) -> re.Pattern[str]:
        return re.compile(r"\b\d+(?:[.,]\d+)*")

    @cached_property
    def number(self) -> re.Pattern[str]:
        return re.compile(f"{self.digits.pattern}|{self.numbers.pattern}", re.IGNORECASE)

    @cached_property
    def percentage(self) -> re.Pattern[str]:
        return re.compile(f"%|{self.share.pattern}")

    @cached_property
    def sum_of_money(self) -> re.Pattern[str]:
        return re.compile(f"[$£€¥]|{self.money.pattern}")

    @cached_property
    def full_name(self) -> re.Pattern[str]:
        particles = "".join(rf"|{re.escape(word)} " for word in sorted(self.name_particles))
        return re.compile(rf"\b[A-Z][\w’'-]+(?: (?:[A-Z]\. {particles})?[A-Z][\w’'-]+)+")

    @cached_property
    def name_of_place(self) -> re.Pattern[str]:
        """With a group around the name."""
        return re.compile(rf"(?:{self.before_places.pattern}) ([A-Z][\w’'-]+)")


class Passages(Value):
    """What tells statements from questions, and whole thoughts from halves."""

    stating: CaseCue = NEVER
    """What leads to a question that a sentence defines something by: “X asks the opposite: which Y gives Z?”"""
    pointing_back: CaseCue = NEVER
    """How a sentence opens that needs the one before it."""
    relative: CaseCue = NEVER
    """What makes a sentence need the one before it wherever it stands."""

    @cached_property
    def statement(self) -> re.Pattern[str]:
        return re.compile(rf"[^,:;?]*(?:{self.stating.pattern})[^?]*[:,]")

    @cached_property
    def dependent(self) -> re.Pattern[str]:
        return re.compile(rf".*(?:{self.relative.pattern})|{self.pointing_back.pattern}")


class GuideWords(Value):
    """What the guide says in its own words; titles stand for `{titles}`, a number and its word for `{count}`."""

    book: str = "{count}: {titles}"
    part: str = "{title}, {count}: {titles}"
    where: str = ""
    on_page: str = "{title} ({page})"
    """The title of a section, and the page in its source that is quoted."""
    among: str = "{count}, {inside}"
    """How many there are, in how many larger parts."""
    more: str = "…"
    what_is: str = "{term}?"
    what_are: str = "{term}?"
    """How one asks for a definition, of one thing or of many."""


class Guiding(Value):
    """Questions about the book itself, and what the guide says to them."""

    about_book: Expressions = NEVER
    about_audience: Expressions = NEVER
    book_words: Words = frozenset()
    """What a book is called."""
    overview_words: Words = frozenset()
    """What is asked of the whole: a question that has nothing but these and a word for the book is about it."""
    about_part: Forms = ()
    """With the groups `kind` and `number`, and `last` where several are asked for."""
    about_topic: Forms = ()
    """With the group `topic`: what the chapter is about that is asked for."""
    wants_summary: Expressions = NEVER
    listing: Forms = ()
    """With the group `kind`: of what all are asked for, or how many there are."""
    where: Forms = ()
    """With the group `topic`."""
    parts: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Kinds of parts: one, several, and other words for it that stand before its number."""
    numbers: dict[str, int] = Field(default_factory=dict)
    """Numbers in words."""
    opening_pages: Forms = ()
    """Titles of pages that say what the book is about, the likeliest first."""
    about_each: Expressions = NEVER
    """What in a question for a list asks for more than the names."""
    telling_sections: Expressions = NEVER
    """Titles of sections on such pages that say what the book holds."""
    audience_sections: Expressions = NEVER
    asking_titles: Expressions = NEVER
    """Titles that ask what something is; those without a question mark with the groups `term` and `many`."""
    definitions: Expressions = NEVER
    """How a sentence begins that says what something is, with the groups `term` and `many`."""
    words: GuideWords = GuideWords()

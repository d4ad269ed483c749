"""How a language makes a question of a heading, in the words that a reader would type."""

import re

from pydantic import Field

from citebook.domain.value import Value
from citebook.language.word_lists import NEVER, Expression, Expressions, Words


class AskingForm(Value):
    """A heading that asks for something by its form."""

    heading: Expression
    """Whole, with groups around what the question takes over."""
    asked: str
    """The question, with the names of these groups in braces."""


class Offering(Value):
    naming_nothing: Expressions = NEVER
    """Whole headings that name no subject, such as “Summary”."""
    before: Expressions = NEVER
    """What stands in front of the subject of a heading: “Chapter 3:”, “Introduction to”."""
    behind: Expressions = NEVER
    """What stands behind it: “: an overview”."""
    forms: tuple[AskingForm, ...] = ()
    """In the order in which they are tried."""
    doing: dict[str, str] = Field(default_factory=dict)
    """What opens a heading on how something is done, and how one asks for that: “installing”, “install”."""
    commands: Words = frozenset()
    """The same for headings in the form of a command."""
    asked_doing: str = "{doing}?"
    no_deeds: Expressions = NEVER
    """What shows that a heading which opens so does not go on with what is done."""
    objects: Expressions = NEVER
    """What may be done something to as it stands, beside what has a name that means many or has no article."""
    more_deeds: Expressions = NEVER
    """A second deed, with a group `deed` around it."""
    no_names: Words = frozenset()
    """Words that no name of a thing has within it."""
    no_openings: Expressions = NEVER
    """How no name of a thing opens: with what is done to it."""
    vague: Words = frozenset()
    """Words that are no subject by themselves: “system”, “approach”."""
    article: str = "(?!)"
    """Where a text has `{term}` with the article that one asks for it with: a group `article`."""
    definite_article: str = ""
    """That of what there is only one of, and the space behind it."""
    articles: Expressions = NEVER
    """Those that a heading may open with, and the space behind them."""
    of_something: Expressions = NEVER
    """Names of what belongs to something else, of which there is only one."""
    told: str = "(?!)"
    """Where a text says what `{term}` is."""
    bare: str = "(?!)"
    """The same where it stands without an article."""
    plural: Expressions = NEVER
    """How names end that mean many."""
    uncountable: Expressions = NEVER
    """How names end that have no article, where the text does not tell."""
    asked_headings: Expressions = NEVER
    """How a heading opens that is a question by itself."""
    leaning: Expressions = NEVER
    """What makes a question lean on the text around its heading."""

    def found(self, form: str, term: str, text: str) -> re.Match[str] | None:
        """Where a text has the form with this term in it."""
        return re.search(form.replace("{term}", re.escape(term)), text, re.IGNORECASE)

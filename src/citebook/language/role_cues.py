"""How a language words the parts of a book that tell nothing themselves."""

from citebook.domain.value import Value
from citebook.language.word_lists import NEVER, Expressions


class Roles(Value):
    """What tells the parts of a book that say something from those that do not. Headings count whole."""

    objective_headings: Expressions = NEVER
    announcement_headings: Expressions = NEVER
    task_headings: Expressions = NEVER
    doubtful_headings: Expressions = NEVER
    """Of sections that set tasks if they open with an order."""
    orders: Expressions = NEVER
    """How a sentence opens that says what the reader is to do."""
    reference_headings: Expressions = NEVER
    mixed_headings: Expressions = NEVER
    """Of sections whose lists are tasks, while the rest tells something."""
    glossary_headings: Expressions = NEVER
    summary_headings: Expressions = NEVER
    telling_headings: Expressions = NEVER
    """What tells something though it stands below one of those: the common mistakes of an exercise."""
    objectives: Expressions = NEVER
    """How a sentence opens that says what the reader will be able to do; a list may follow."""
    announcements: Expressions = NEVER
    """How a sentence opens that says what a part of the book will tell; a list may follow."""
    tasks: Expressions = NEVER
    """How a sentence opens that asks something of the reader, or sends the reader elsewhere."""
    captions: Expressions = NEVER
    """How a paragraph opens that is the caption of a figure."""
    references: Expressions = NEVER
    """How a paragraph opens that is an entry of a bibliography."""

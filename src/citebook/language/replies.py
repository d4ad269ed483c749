"""What is said to a reader beside the words of the book, in the language of the book."""

from citebook.domain.value import Value


class Replies(Value):
    """What is said to a reader without looking into the book."""

    greeting: str
    thanks: str
    about_itself: str
    clarify: str
    not_covered: str
    not_covered_in: str
    """The same where a contract names the book; `{title}` stands for what it is called."""
    not_in_scope: str
    """The same of the part of the book that the reader asked of."""
    not_in_selection: str
    explained_by_quoting: str
    """Before what the book says around a selection that was to be explained."""
    closest: str
    """Before an answer that more likely than not is none."""
    closest_in_scope: str
    """The same where it is of the part of the book that the reader asked of."""
    elsewhere: str
    """`{titles}` stands for chapters beside the chosen part of the book that may say more."""
    searched_everywhere: str
    """The chosen part of the book has too little."""
    no_such_part: str
    """`{wanted}` stands for a module, difficulty or tag that the book has not."""
    parts_of_book: str
    """Behind it: `{offered}` stands for those that it has."""
    model_failed: str
    """Before an answer that is quoted because the language model failed."""
    nothing_proven: str
    """The same where the book proves nothing of what the model wrote."""
    other_language: str | None = None
    """`{language}` stands for the name of the book's language. Without it, a question in any language is searched."""

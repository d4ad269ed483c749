"""Questions after a meaning, put as the book is searched: “mean” and “definition” are no words of an answer."""

from citebook.language.languages import Language

_LONGEST = 120
"""Characters of a question that asks for a meaning and nothing else."""


def as_put_for_search(text: str, language: Language) -> str:
    questions = language.questions
    match = questions.asking_for_meaning.search(text) if len(text) <= _LONGEST else None
    thing = next((group for group in match.groups() if group), None) if match else None
    return questions.asked_for_meaning.format(thing=thing) if thing and language.terms(thing) else text

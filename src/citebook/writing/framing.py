"""What readers say around a question, such as “can you tell me”: none of it is searched."""

import re

from citebook.language.languages import Language

_LONGEST = 300
"""Characters; a longer question says what it is about in so many words that a few more do no harm."""
_MOST = 4
"""Of what stands around it, one after the other."""


def unframed(text: str, language: Language) -> str:
    """The question alone; as it was where nothing would be left to search for."""
    questions = language.questions
    if len(text) > _LONGEST:
        return text
    bare = text.strip()
    for _ in range(_MOST):
        shorter = questions.framed_behind.sub("", questions.framed_before.sub("", bare, count=1)).strip()
        if shorter == bare or not language.terms(shorter):
            break
        bare = shorter
    return _direct(bare, language) if bare != text.strip() else text


def _direct(text: str, language: Language) -> str:
    """“what a gear is”, as it stands behind “tell me”, put as a question."""
    indirect: re.Match[str] | None = language.questions.indirect.fullmatch(text.rstrip("?!. "))
    return language.questions.asked_for_meaning.format(thing=indirect[1]) if indirect else text

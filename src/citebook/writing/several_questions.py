"""Questions that are asked in one breath: each by itself, with what it takes from those before it."""

from citebook.domain.conversation import Exchange
from citebook.language.languages import Language
from citebook.writing.follow_ups import stand_alone

_MOST = 3
_LONGEST = 500
"""Characters; a longer text, or one of several lines, has a passage in it."""


def questions_in(text: str, language: Language) -> list[str]:
    """Each of several, so that it can be searched for alone; the text itself where it is one question."""
    if len(text) > _LONGEST or "\n" in text:
        return [text]
    parts = [part.strip(" ,") for part in language.questions.parting.split(text)]
    several = [part for part in parts if part][:_MOST]
    if len(several) < 2:
        return [text]
    named: list[Exchange] = []
    whole = []
    for part in several:
        whole.append(stand_alone(part, named, language))
        if whole[-1] == part:
            named = [Exchange(question=part, answer="")]
    return whole

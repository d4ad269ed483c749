"""Questions that are asked in one breath: each by itself, with what it takes from those before it."""

from citebook.domain.conversation import Exchange
from citebook.language.languages import Language
from citebook.writing.follow_ups import stand_alone, with_topic
from citebook.writing.leaning import telling_words

_MOST = 3
_LONGEST = 500
"""Characters; a longer text, or one of several lines, has a passage in it."""
_END_OF_SENTENCE = "?"
_SAYS_LITTLE = 3
"""Telling words with which a part may not name what it is about."""


def questions_in(text: str, language: Language) -> list[str]:
    """Each of several, so that it can be searched for alone; the text itself where it is one question."""
    if len(text) > _LONGEST or "\n" in text:
        return [text]
    frame, several = _framed(_with_what_is_told(_parted(text, language), language), language)
    if len(several) < 2:
        return [text]
    named: list[Exchange] = []
    whole = []
    for part, goes_on in several[:_MOST]:
        asked = f"{frame}{part}"
        whole.append(_made_whole(asked, named, language, goes_on=goes_on))
        if whole[-1] == asked:
            named = [Exchange(question=asked, answer="")]
    return whole


def _parted(text: str, language: Language) -> list[tuple[str, bool]]:
    """The parts of a text, and whether each goes on with the sentence before it."""
    parts, start, goes_on = [], 0, False
    for joint in language.questions.parting.finditer(text):
        parts.append((text[start : joint.start()], goes_on))
        start, goes_on = joint.end(), _END_OF_SENTENCE not in joint.group()
    parts.append((text[start:], goes_on))
    stripped = [(part.strip(" ,"), goes_on) for part, goes_on in parts]
    return [(part, goes_on) for part, goes_on in stripped if part]


def _with_what_is_told(parts: list[tuple[str, bool]], language: Language) -> list[tuple[str, bool]]:
    """What readers tell of themselves first belongs to what they ask then (“My map is empty, how do I …”)."""
    if len(parts) < 2:
        return parts
    (first, goes_on), (second, _), *others = parts
    asks = language.questions.asks_what.search(first) is not None
    if asks or language.questions.telling_of_oneself.search(first) is None:
        return parts
    return [(f"{first}, {second}", goes_on), *others]


def _framed(parts: list[tuple[str, bool]], language: Language) -> tuple[str, list[tuple[str, bool]]]:
    """What all parts are about, which asks nothing itself (“In the first lab, …”); and the parts."""
    first = parts[0][0] if parts else ""
    relates = next(language.words(first), None) in language.follow_ups.relating
    is_frame = relates and language.questions.asks_what.search(first) is None
    return (f"{first}, ", parts[1:]) if is_frame else ("", parts)


def _made_whole(text: str, named: list[Exchange], language: Language, *, goes_on: bool) -> str:
    """A part that goes on and says little itself is about what was asked before, unless it brings something in."""
    whole = stand_alone(text, named, language)
    if whole != text or not goes_on or not named:
        return whole
    brings_in = language.follow_ups.articles - language.follow_ups.definite_article
    if not brings_in.isdisjoint(language.words(text)):
        return text
    is_thin = len(telling_words(text, language)) <= _SAYS_LITTLE
    names_it = not language.term_set(text).isdisjoint(language.terms(named[-1].question))
    leans = language.follow_ups.pointing_back.search(text) is not None or (is_thin and not names_it)
    return with_topic(text, named, language) if leans else text

"""Tells whether a question leans on what was said before it, or names all that it is about."""

import re
from collections.abc import Collection

from citebook.language.languages import Language

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_JOINTS_OF_A_WORD = re.compile("['’.-]")
_PAUSE = re.compile("[,;:.?!](?: |$)")
_FEW = 2
_ENOUGH = 4
"""Telling words with which a question names what it is about."""
_MANY = 8
"""Telling words with which whatever it points at stands in the question itself."""
_LOOKED_AT = 500
"""Characters of a question in which pronouns are looked for: what is longer names what it is about."""


def has_nothing_to_search(text: str, language: Language) -> bool:
    """Whether the words alone name no subject at all, as in “tell me more”."""
    cues, plain = language.follow_ups, " ".join(language.words(text))
    return not language.terms(plain) or plain in cues.saying_nothing or plain in cues.asking_for_more


def leans_back(text: str, known: Collection[str], language: Language) -> bool:
    """Whether a question needs what was said before it to be understood; `known` are the terms of the conversation.

    Where nothing is known of how a language points back, only a question without any subject does.
    """
    cues, asked = language.follow_ups, list(language.words(text))
    if not asked or has_nothing_to_search(text, language):
        return True
    if not cues.asking:
        return False
    if turned_to(text, language) or counted(text, language) or cues.both.search(text):
        return True
    own = telling_words(text, language)
    subjects = _subjects(text, language)
    if len(subjects) < _MANY and _points_back(text, language):
        return True
    if cues.in_its_place.search(text) and len(subjects) <= _ENOUGH:
        return True
    if any(_is_name(word, language) for word in _WORD.findall(text)[1:]):
        return False
    if not subjects or (cues.going_on.search(text) and len(subjects) < _ENOUGH):
        return True
    if len(own) == 1:
        return asked[0] not in cues.standing_alone and own[0].lower() != asked[0]
    return len(own) <= _FEW and _names_what_is_known(text, known, language)


def telling_words(text: str, language: Language) -> list[str]:
    """The words that are neither function words nor words that only ask."""
    silent = language.stop_words | language.follow_ups.asking
    return [word for word in _WORD.findall(text) if not silent.issuperset(language.words(word))]


def _subjects(text: str, language: Language) -> list[str]:
    aspects = language.follow_ups.aspects
    return [word for word in telling_words(text, language) if word.lower() not in aspects]


def turned_to(text: str, language: Language) -> str | None:
    """What “what about …?” or “and …?” turns to; None where a question of its own follows."""
    found = language.follow_ups.turning_to.match(text.strip())
    if found is None:
        return None
    subject = next(group for group in found.groups() if group)
    first = next(language.words(subject), "")
    cues = language.follow_ups
    return None if not first or first in cues.asking or first in cues.auxiliaries else subject


def stands_for_another(subject: str, language: Language) -> bool:
    """As “the cheaper one” does."""
    return not language.follow_ups.counters.isdisjoint(language.words(subject))


def counted(text: str, language: Language) -> re.Match[str] | None:
    """Where “the second one” stands; “the second law” and “the first of the laws” are something else."""
    found = language.follow_ups.counted.finditer(text)
    return next((match for match in found if _stands_for_a_thing(match, language)), None)


def _stands_for_a_thing(ordinal: re.Match[str], language: Language) -> bool:
    cues, following = language.follow_ups, next(language.words(ordinal.string[ordinal.end() :]), "")
    if not following or following in cues.relating:
        return not following
    return following in language.stop_words or not cues.counters.isdisjoint(language.words(ordinal.group()))


def _points_back(text: str, language: Language) -> bool:
    cues = language.follow_ups
    said = cues.idle.sub(" ", text[:_LOOKED_AT])
    if any(not _is_named_before(found, language) for found in cues.pointing_back.finditer(said)):
        return True
    before = (cues.doing.sub(" ", said[: found.start()]) for found in cues.owning.finditer(said))
    return any(not _subjects(said_before, language) for said_before in before)


def _is_named_before(pronoun: re.Match[str], language: Language) -> bool:
    """Whether a clause before the pronoun's names anything, or its own names enough and ends in something else."""
    said, rest = pronoun.string[: pronoun.start()], pronoun.string[pronoun.end() :]
    joints = [*language.follow_ups.joints.finditer(said), *_PAUSE.finditer(said)]
    last = max((found.start() for found in joints), default=0)
    if telling_words(said[:last], language):
        return True
    return len(_subjects(said, language)) > _FEW and any(language.words(rest))


def _names_what_is_known(text: str, known: Collection[str], language: Language) -> bool:
    """As in “the drive”, after a drive was asked about."""
    named = language.follow_ups.definite.findall(text)
    return any(term in known for word in named for term in language.terms(word))


def _is_name(word: str, language: Language) -> bool:
    return word[0].isupper() and _JOINTS_OF_A_WORD.split(word, maxsplit=1)[0] not in language.follow_ups.capitals

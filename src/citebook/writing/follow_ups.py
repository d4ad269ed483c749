"""Makes a follow-up stand alone: adds what it leaves to the conversation before it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import FiniteFloat

from citebook.domain.conversation import Exchange
from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import language_of
from citebook.language.text import terms, words

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_JOINTS = re.compile("['’.-]")
_ENGLISH = language_of("en")
_CUES = _ENGLISH.follow_ups
_SAYING_NOTHING = _ENGLISH.stop_words | _CUES.asking | _CUES.pointing_back | _CUES.going_on


class FollowUpWeights(Value):
    """Which words of a conversation a follow-up most likely leans on."""

    most_words_added: int
    least_weight: FiniteFloat
    """What a word must count to be added."""
    older: FiniteFloat
    """What a word counts for each exchange further back."""
    first: FiniteFloat
    """What it counts more in the first question, which names the subject."""
    answered: FiniteFloat
    """What a word of the last answer counts against one of a question."""
    answered_before: FiniteFloat
    """The same for earlier answers."""
    named: FiniteFloat
    """How much more a name counts."""


@cache
def shipped_weights() -> Fitted[FollowUpWeights]:
    return Fitted[FollowUpWeights].of("citebook.writing")


def has_nothing_to_search(text: str) -> bool:
    """Whether the words alone name no subject at all, as in “tell me more”."""
    plain = " ".join(words(text))
    return not terms(plain) or plain in _CUES.saying_nothing


def leans_back(text: str, history: Sequence[Exchange]) -> bool:
    """Whether a question needs what was said before it to be understood."""
    asked = list(words(text))
    if not asked or has_nothing_to_search(text) or " ".join(asked).startswith(tuple(_CUES.turning_to)):
        return True
    if _CUES.pointing_back.union(_CUES.going_on).intersection(asked):
        return True
    telling = [word for word in asked if word not in _ENGLISH.stop_words and word not in _CUES.asking]
    if len(telling) <= 1:
        return asked[0] not in _CUES.standing_alone
    if any(_is_name(word) for word in _WORD.findall(text)[1:]):
        return False
    known = {term for exchange in history for term in terms(exchange.question)}
    named = [found.lower() for found in _CUES.definite.findall(text)]
    return any(found in _CUES.counted or known.intersection(terms(found)) for found in named)


def stand_alone(text: str, history: Sequence[Exchange], weights: FollowUpWeights | None = None) -> str:
    """The question behind the last one that names a subject, and other words of the conversation it may lean on."""
    text = text.strip()
    if not history or not leans_back(text, history):
        return text
    before = _last_real_question(history)
    subject = _subject(f"{before} {text}", history, weights or shipped_weights().weights)
    added = " ".join(word.text for word in subject)
    return "\n".join(part for part in (before, text, added) if part)


def _last_real_question(history: Sequence[Exchange]) -> str:
    return next((e.question.strip() for e in reversed(history) if not has_nothing_to_search(e.question)), "")


@dataclass(slots=True)
class _Word:
    text: str
    weight: float = 0.0


def _subject(text: str, history: Sequence[Exchange], weights: FollowUpWeights) -> list[_Word]:
    """The words that most likely name what the question is about."""
    found: dict[str, _Word] = {}
    for place, exchange in enumerate(history):
        age = len(history) - 1 - place
        weight = weights.older**age + (weights.first if place == 0 else 0.0)
        answered = weights.answered if age == 0 else weights.answered_before
        _weigh(exchange.question, weight, weights.named, found)
        _weigh(exchange.answer, weight * answered, weights.named, found)
    own = set(terms(text))
    others = [word for term, word in found.items() if term not in own and word.weight >= weights.least_weight]
    chosen = sorted(others, key=lambda word: -word.weight)[: weights.most_words_added]
    return [word for word in others if word in chosen]


def _weigh(said: str, weight: float, named: float, found: dict[str, _Word]) -> None:
    """Each word counts once, where it first stands."""
    spoken = _WORD.findall(said)
    counted: set[str] = set()
    for place, word in enumerate(spoken):
        if word.isdecimal() or word.lower() in _SAYING_NOTHING:
            continue
        is_name = _is_name(word) and (place > 0 or len(spoken) < 6)
        for term in terms(word):
            if term not in counted:
                counted.add(term)
                found.setdefault(term, _Word(word)).weight += weight * (named if is_name else 1.0)


def _is_name(word: str) -> bool:
    return word[0].isupper() and _JOINTS.split(word, maxsplit=1)[0] not in _CUES.capitals

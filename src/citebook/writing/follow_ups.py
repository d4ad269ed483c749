"""Makes a follow-up stand alone: adds what it leaves to the conversation before it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from pydantic import FiniteFloat

from citebook.domain.conversation import Exchange
from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import Language

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_JOINTS = re.compile("['’.-]")


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


def has_nothing_to_search(text: str, language: Language) -> bool:
    """Whether the words alone name no subject at all, as in “tell me more”."""
    plain = " ".join(language.words(text))
    return not language.terms(plain) or plain in language.follow_ups.saying_nothing


def leans_back(text: str, history: Sequence[Exchange], language: Language) -> bool:
    """Whether a question needs what was said before it to be understood.

    Where nothing is known of how a language points back, only a question without any subject does.
    """
    cues, asked = language.follow_ups, list(language.words(text))
    if not asked or has_nothing_to_search(text, language):
        return True
    if not cues.asking:
        return False
    if " ".join(asked).startswith(tuple(cues.turning_to)) or (cues.pointing_back | cues.going_on).intersection(asked):
        return True
    telling = [word for word in asked if word not in language.stop_words and word not in cues.asking]
    if len(telling) <= 1:
        return asked[0] not in cues.standing_alone
    if any(_is_name(word, language) for word in _WORD.findall(text)[1:]):
        return False
    known = {term for exchange in history for term in language.terms(exchange.question)}
    named = [found.lower() for found in cues.definite.findall(text)]
    return any(found in cues.counted or known.intersection(language.terms(found)) for found in named)


def stand_alone(
    text: str, history: Sequence[Exchange], language: Language, weights: FollowUpWeights | None = None
) -> str:
    """The question behind the last one that names a subject, and other words of the conversation it may lean on."""
    text = text.strip()
    if not history or not leans_back(text, history, language):
        return text
    before = _last_real_question(history, language)
    words = _SaidWords(language, weights or shipped_weights().weights).subject(f"{before} {text}", history)
    return "\n".join(part for part in (before, text, " ".join(words)) if part)


def _last_real_question(history: Sequence[Exchange], language: Language) -> str:
    real = (said.question.strip() for said in reversed(history) if not has_nothing_to_search(said.question, language))
    return next(real, "")


@dataclass(slots=True)
class _Word:
    text: str
    weight: float = 0.0


class _SaidWords:
    """The words of a conversation, each with how likely it names what a question is about."""

    def __init__(self, language: Language, weights: FollowUpWeights) -> None:
        self._language, self._weights = language, weights
        self._found: dict[str, _Word] = {}

    def subject(self, text: str, history: Sequence[Exchange]) -> list[str]:
        """The words that most likely name what the question is about, and that it does not say itself."""
        weights = self._weights
        for place, exchange in enumerate(history):
            age = len(history) - 1 - place
            weight = weights.older**age + (weights.first if place == 0 else 0.0)
            self._weigh(exchange.question, weight)
            self._weigh(exchange.answer, weight * (weights.answered if age == 0 else weights.answered_before))
        own = set(self._language.terms(text))
        others = [
            word for term, word in self._found.items() if term not in own and word.weight >= weights.least_weight
        ]
        chosen = sorted(others, key=lambda word: -word.weight)[: weights.most_words_added]
        return [word.text for word in others if word in chosen]

    def _weigh(self, said: str, weight: float) -> None:
        """Each word counts once, where it first stands."""
        spoken = _WORD.findall(said)
        counted: set[str] = set()
        for place, word in enumerate(spoken):
            if word.isdecimal() or word.lower() in self._saying_nothing:
                continue
            is_name = _is_name(word, self._language) and (place > 0 or len(spoken) < 6)
            for term in self._language.terms(word):
                if term not in counted:
                    counted.add(term)
                    more = weight * (self._weights.named if is_name else 1.0)
                    self._found.setdefault(term, _Word(word)).weight += more

    @cached_property
    def _saying_nothing(self) -> frozenset[str]:
        cues = self._language.follow_ups
        return self._language.stop_words | cues.asking | cues.pointing_back | cues.going_on


def _is_name(word: str, language: Language) -> bool:
    return word[0].isupper() and _JOINTS.split(word, maxsplit=1)[0] not in language.follow_ups.capitals

"""Makes a follow-up stand alone: adds what it leaves to the conversation before it."""

import re
from collections.abc import Sequence

from citebook.domain.conversation import Exchange
from citebook.language.languages import Language
from citebook.writing.leaning import (
    counted,
    has_nothing_to_search,
    leans_back,
    stands_for_another,
    telling_words,
    turned_to,
)
from citebook.writing.subjects import items_of, with_subject

_FIRST_SENTENCE = re.compile(r"[^?!]*[?!]?")
_STOPS = "?!. "
_LONGEST_NAME = 4
"""Words of a thing with its article; more of them describe it."""
_MOST_CARRIED = 8
"""Words, so that a long question before this one does not drown it."""


def is_follow_up(text: str, history: Sequence[Exchange], language: Language) -> bool:
    """Whether a question needs what was said before it to be understood."""
    return _Conversation(history, language).leans(text)


def stand_alone(text: str, history: Sequence[Exchange], language: Language) -> str:
    """The question with what it refers to; as it is where it names that itself."""
    return _Conversation(history, language).made_whole(text.strip())


def with_topic(text: str, history: Sequence[Exchange], language: Language) -> str:
    """The question with the telling words of what was asked before it, whether it leans on that or not."""
    return _Conversation(history, language).carrying(text.strip())


class _Conversation:
    """What a conversation has come to: each question is made whole by those before it."""

    def __init__(self, history: Sequence[Exchange], language: Language) -> None:
        self._language = language
        self._last = ""
        """The last question that names a subject, made whole."""
        self._topics: list[str] = []
        """The telling words of each question that named its own subject, or turned to another."""
        self._aside: list[str] = []
        """Those of the last question, where it leaned on one before."""
        self._items: list[str] = []
        """The list that was shown last."""
        self._known: set[str] = set()
        self._told: set[str] = set()
        """The terms of the last answer."""
        for exchange in history:
            self._hear(exchange)

    def leans(self, text: str) -> bool:
        return bool(self._last) and leans_back(text, self._known | self._told, self._language)

    def made_whole(self, text: str) -> str:
        if not self.leans(text):
            return text
        if has_nothing_to_search(text, self._language):
            return self._asked_again(text)
        if chosen := self._with_item(text):
            return self._with_words(chosen, self._carried(chosen))
        subject = turned_to(text, self._language)
        if subject is None or stands_for_another(subject, self._language):
            return self._with_words(text, self._carried(text))
        first = _FIRST_SENTENCE.match(subject)
        assert first is not None
        turned = f"{with_subject(self._last, first.group(), self._language)}{subject[first.end() :]}"
        return self._with_words(turned, self._carried(turned)) if self._aside or self._is_of_it(subject) else turned

    def carrying(self, text: str) -> str:
        return self._with_words(text, self._carried(text))

    def _is_of_it(self, subject: str) -> bool:
        """“the value that the function returns” belongs to what was asked about; “the belt” stands in its place."""
        words = subject.split()
        return words[0].lower() in self._language.follow_ups.definite_article and len(words) > _LONGEST_NAME

    def _hear(self, exchange: Exchange) -> None:
        text = exchange.question.strip()
        self._items = items_of(exchange.answer) or self._items
        self._told = set(self._language.terms(exchange.answer))
        if has_nothing_to_search(text, self._language):
            return
        whole, leans = self.made_whole(text), self.leans(text)
        own = telling_words(whole, self._language)
        if leans and not turned_to(text, self._language):
            self._aside = telling_words(text, self._language)
        else:
            self._topics.append(" ".join(own))
            self._aside = []
        self._last = whole
        self._known.update(self._language.terms(text))

    def _asked_again(self, text: str) -> str:
        """For “why?” the question is asked again with it, for “tell me more” as it was."""
        if " ".join(self._language.words(text)) in self._language.follow_ups.asking_for_more:
            return self._last
        return f"{text.rstrip(_STOPS)}: {self._last}"

    def _with_item(self, text: str) -> str | None:
        """The question with the item of the last list, or the earlier subject, that “the second one” stands for."""
        found = counted(text, self._language)
        if found is None:
            return None
        place = self._language.follow_ups.ordinals[found.group(1).lower()]
        choices = self._items or self._topics
        if abs(place) > len(choices):
            return None
        item = choices[place - 1 if place > 0 else place]
        return f"{text[: found.start()]}{item}{text[found.end() :]}"

    def _carried(self, text: str) -> str:
        """The telling words of what the question leans on, without those that it says itself."""
        topics = self._topics[-2:] if self._language.follow_ups.both.search(text) else self._topics[-1:]
        words = dict.fromkeys(word for words in (*topics, " ".join(self._aside)) for word in words.split())
        own = set(self._language.terms(text))
        others = [word for word in words if not own.issuperset(self._language.terms(word))]
        things = [word for word in others if word.lower() not in self._language.follow_ups.aspects]
        return " ".join((things or others)[:_MOST_CARRIED])

    def _with_words(self, text: str, words: str) -> str:
        """The words stand within the first question of a text: behind it they would be another one."""
        first = _FIRST_SENTENCE.match(text)
        assert first is not None
        joint = self._language.questions.parting.search(first.group())
        asked = first.group()[: joint.start() if joint else None].rstrip(_STOPS)
        return f"{asked} ({words}){text[len(asked) :]}" if words else text

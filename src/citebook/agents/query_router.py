"""QueryRouterAgent: decides what a reader's words ask for before anything is searched."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from citebook.domain.question import Question
from citebook.language.languages import language_of
from citebook.language.text import words
from citebook.pacing.workers import Workers
from citebook.ports import LanguageModel
from citebook.writing.follow_up_writing import reworded
from citebook.writing.follow_ups import has_nothing_to_search, leans_back, stand_alone

_ENGLISH = language_of("en")
_FOREIGN_WORDS = frozenset(
    """qué que cómo como es una el los las del para por cuál cuáles dónde cuando porque está son
    quel quelle quels est une les des pour dans avec pourquoi comment où qu sont ce cette
    was ist eine der die das wie warum und nicht für mit wo wann sind welche
    cos è che perché dove quando sono gli della nel qual uma não os são quais
    wat een het hoe waarom zijn""".split()
)
_ENGLISH_HOMOGRAPHS = frozenset("a an as des die do he in me no on so son to was will".split())


class RouteKind(StrEnum):
    SEARCH = "search"
    GREETING = "greeting"
    CLARIFY = "clarify"
    NOT_ENGLISH = "not_english"


@dataclass(frozen=True, slots=True)
class Route:
    kind: RouteKind
    text: str
    """What to search for, or what to reply."""
    leans_back: bool = False
    """Whether the question needs what was said before it to be understood."""


class QueryRouterAgent:
    def __init__(self, workers: Workers, model: LanguageModel | None = None) -> None:
        """With a language model, follow-ups are worded by it; without one, or where it fails, by rule."""
        self._workers, self._model = workers, model

    async def route(self, question: Question) -> Route:
        """By rule. Raises `InvalidQuestion` where one is broken."""
        return await self._workers.run(route_by_rule, question)

    def asks_model(self, route: Route) -> bool:
        return self._model is not None and route.leans_back

    async def reworded(self, question: Question, route: Route) -> Route:
        """The route of a follow-up as the language model words it; as it was where the model fails."""
        assert self._model is not None
        worded = await reworded(self._model, question.text.strip(), question.history)
        return replace(route, text=worded) if worded else route


def route_by_rule(question: Question) -> Route:
    """What a question asks for, as far as its words alone tell. Raises `InvalidQuestion`."""
    question.check()
    plain = " ".join(words(question.text))
    talk = _ENGLISH.conversation
    if plain in talk.greetings:
        return Route(RouteKind.GREETING, talk.replies.greeting)
    if plain in talk.thanks:
        return Route(RouteKind.GREETING, talk.replies.thanks)
    if plain in talk.about_itself:
        return Route(RouteKind.GREETING, talk.replies.about_itself)
    if talk.replies.other_language and _is_not_english(question.text):
        return Route(RouteKind.NOT_ENGLISH, talk.replies.other_language.format(language=_ENGLISH.name))
    if has_nothing_to_search(plain) and not question.history and not question.selected_text:
        return Route(RouteKind.CLARIFY, talk.replies.clarify)
    return _search_route(question)


def _search_route(question: Question) -> Route:
    """The question with what it refers to: the selected text, or what was said before."""
    text = question.text.strip()
    if question.selected_text:
        return Route(RouteKind.SEARCH, f"{text}\n{question.selected_text.strip()}")
    is_follow_up = bool(question.history) and leans_back(text, question.history)
    return Route(RouteKind.SEARCH, stand_alone(text, question.history), is_follow_up)


def _is_not_english(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    foreign_script = sum(not _is_latin_or_greek(character) for character in letters)
    if letters and foreign_script > len(letters) / 2:
        return True
    asked = re.findall(r"[^\W\d_]+", text.lower())
    foreign = [word for word in asked if word in _FOREIGN_WORDS and word not in _ENGLISH_HOMOGRAPHS]
    english = [
        word for word in asked if word in _ENGLISH.stop_words and word not in _FOREIGN_WORDS | _ENGLISH_HOMOGRAPHS
    ]
    has_accents = any(character > "\x7f" and character.isalpha() for character in text)
    return len(foreign) >= (1 if has_accents else 2) and not english


def _is_latin_or_greek(character: str) -> bool:
    """Greek letters stand in formulas."""
    return character < "\u0400" or "\u1e00" <= character <= "\u1fff"

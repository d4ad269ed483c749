"""QueryRouterAgent: decides what a reader's words ask for before anything is searched."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from citebook.domain.question import Question
from citebook.language.text import STOP_WORDS, words
from citebook.pacing.workers import Workers
from citebook.ports import LanguageModel
from citebook.writing.follow_up_writing import reworded
from citebook.writing.follow_ups import has_nothing_to_search, leans_back, stand_alone

_GREETINGS = frozenset(
    """hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|greetings|howdy|yo
    |how are you|how are you doing|whats up|what s up""".replace("\n", "")
    .replace(" " * 4, "")
    .split("|")
)
_THANKS = frozenset(
    """thanks|thank you|thank you very much|thanks a lot|many thanks|cheers|ok thanks|great thanks|ok|okay
    |great|cool|nice|bye|goodbye|see you|good night""".replace("\n", "")
    .replace(" " * 4, "")
    .split("|")
)
_ABOUT_ITSELF = frozenset(
    """who are you|what are you|what can you do|what do you do|help|help me|how do you work|are you a bot
    |are you human""".replace("\n", "")
    .replace(" " * 4, "")
    .split("|")
)
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
    if plain in _GREETINGS:
        return Route(RouteKind.GREETING, "Hello! Ask me anything that this book covers.")
    if plain in _THANKS:
        return Route(RouteKind.GREETING, "You're welcome. Ask me anything else that this book covers.")
    if plain in _ABOUT_ITSELF:
        return Route(
            RouteKind.GREETING,
            "I answer questions about this book, only from what it says, and show you where it says it. "
            "Ask me about a term, a method or a comparison.",
        )
    if _is_not_english(question.text):
        return Route(RouteKind.NOT_ENGLISH, "This book is in English. Please ask your question in English.")
    if has_nothing_to_search(plain) and not question.history and not question.selected_text:
        return Route(
            RouteKind.CLARIFY,
            "What would you like to know more about? Please name a term or a topic of the book.",
        )
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
    english = [word for word in asked if word in STOP_WORDS and word not in _FOREIGN_WORDS | _ENGLISH_HOMOGRAPHS]
    has_accents = any(character > "\x7f" and character.isalpha() for character in text)
    return len(foreign) >= (1 if has_accents else 2) and not english


def _is_latin_or_greek(character: str) -> bool:
    """Greek letters stand in formulas."""
    return character < "\u0400" or "\u1e00" <= character <= "\u1fff"

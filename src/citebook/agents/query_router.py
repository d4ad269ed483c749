"""QueryRouterAgent: decides what a reader's words ask for before anything is searched."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from citebook.domain.question import Question
from citebook.domain.wording import Correction, Wording
from citebook.language.languages import Language, language_of
from citebook.language.spoken import is_in_another_language
from citebook.outlining.asking import BookQuestion, recognise
from citebook.pacing.workers import Workers
from citebook.ports import LanguageModel
from citebook.searching.own_name import OwnName
from citebook.searching.spelling import Spelled, Speller
from citebook.writing.follow_up_writing import reworded
from citebook.writing.follow_ups import is_follow_up, stand_alone
from citebook.writing.framing import unframed
from citebook.writing.leaning import has_nothing_to_search
from citebook.writing.meanings import as_put_for_search


class RouteKind(StrEnum):
    SEARCH = "search"
    GREETING = "greeting"
    CLARIFY = "clarify"
    OTHER_LANGUAGE = "other_language"
    BOOK = "book"
    """About the book itself."""


@dataclass(frozen=True, slots=True)
class Route:
    kind: RouteKind
    text: str
    """What to search for, or what to reply."""
    leans_back: bool = False
    """Whether the question needs what was said before it to be understood."""
    asked_of_book: BookQuestion | None = None
    """What is asked about the book itself; what to search for stands beside it, should the outline not tell."""


class Understood(NamedTuple):
    question: Question
    """As the reader meant to type it."""
    corrections: tuple[Correction, ...]
    route: Route


class QueryRouterAgent:
    def __init__(self, workers: Workers, model: LanguageModel | None = None) -> None:
        """With a language model, follow-ups are worded by it; without one, or where it fails, by rule."""
        self._workers, self._model = workers, model
        self._speller: Speller | None = None
        self._own_name: OwnName | None = None
        """Of the edition that was asked last, as is the speller."""

    async def understand(self, question: Question, wording: Wording) -> Understood:
        """The question in the book's own spelling, and its route by rule. Raises `InvalidQuestion`."""
        return await self._workers.run(self._understand, question, wording)

    def _understand(self, question: Question, wording: Wording) -> Understood:
        language = language_of(wording.language)
        spelled = Spelled(question.text) if question.only_selected_text else self._spelled(question.text, wording)
        meant = question.model_copy(update={"text": spelled.text})
        route = route_by_rule(meant, language)
        if route.kind is RouteKind.SEARCH and not question.selected_text:
            route = replace(route, text=self._without_own_name(route.text, wording))
        return Understood(meant, spelled.corrections, route)

    def _without_own_name(self, text: str, wording: Wording) -> str:
        if self._own_name is None or self._own_name.edition != wording.edition:
            self._own_name = OwnName(wording, language_of(wording.language))
        return self._own_name.left_out(text)

    def _spelled(self, text: str, wording: Wording) -> Spelled:
        language = language_of(wording.language)
        if self._speller is None or self._speller.edition != wording.edition:
            self._speller = Speller(wording, language)
        spelled = self._speller.spell(text)
        return Spelled(text) if spelled.text != text and is_in_another_language(text, language) else spelled

    def asks_model(self, route: Route) -> bool:
        return self._model is not None and route.leans_back

    async def reworded(self, question: Question, route: Route, language: Language) -> Route:
        """The route of a follow-up as the language model words it; as it was where the model fails."""
        assert self._model is not None
        worded = await reworded(self._model, question.text.strip(), question.history, language)
        return replace(route, text=worded) if worded else route


def route_by_rule(question: Question, language: Language) -> Route:
    """What a question to a book in this language asks for, by its words alone. Raises `InvalidQuestion`."""
    question.check()
    plain = " ".join(language.words(question.text))
    talk = language.conversation
    if plain in talk.greetings:
        return Route(RouteKind.GREETING, talk.replies.greeting)
    if plain in talk.thanks:
        return Route(RouteKind.GREETING, talk.replies.thanks)
    if plain in talk.about_itself:
        return Route(RouteKind.GREETING, talk.replies.about_itself)
    if talk.replies.other_language and is_in_another_language(question.text, language):
        return Route(RouteKind.OTHER_LANGUAGE, talk.replies.other_language.format(language=language.name))
    if has_nothing_to_search(plain, language) and not question.history and not question.selected_text:
        return Route(RouteKind.CLARIFY, talk.replies.clarify)
    asked_of_book = None if question.selected_text else _recognised(question.text, language)
    if asked_of_book is not None:
        return replace(_search_route(question, language), kind=RouteKind.BOOK, asked_of_book=asked_of_book)
    return _search_route(question, language)


def _recognised(text: str, language: Language) -> BookQuestion | None:
    return recognise(text, language) or recognise(unframed(text, language), language)


def _search_route(question: Question, language: Language) -> Route:
    """The question with what it refers to: the selected text, or what was said before."""
    text = question.text.strip()
    if question.selected_text:
        return Route(RouteKind.SEARCH, f"{text}\n{question.selected_text.strip()}")
    text = as_put_for_search(unframed(text, language), language)
    leans = is_follow_up(text, question.history, language)
    return Route(RouteKind.SEARCH, stand_alone(text, question.history, language), leans)

"""One language of books: its words, stems and sentences, and the word lists that the rooms need."""

import re
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from citebook.domain.value import Value
from citebook.language import text as plain_text
from citebook.language.claim_words import Claims
from citebook.language.lexicon import Lexicon
from citebook.language.offering import Offering
from citebook.language.paraphrase import Paraphrase
from citebook.language.role_cues import Roles
from citebook.language.word_lists import (
    Answers,
    Conversation,
    FollowUps,
    Guiding,
    Passages,
    Questions,
    Selections,
    Spelling,
    Strangers,
    Words,
)

Group = TypeVar("Group", bound=Value)

_SHORTEST_STEM = 3

_WINDOW = 4_000
"""Characters in which sentences are looked for at once; hardly any paragraph is longer."""


class LanguageFacts(Value):
    """What `languages.toml` says of a language."""

    name: str
    stemmer: str | None = None
    scripts: Words = frozenset({"LATIN"})
    words: Words = frozenset()
    particles: Words = frozenset()


class _FunctionWords(Value):
    stop_words: Words
    homographs: Words = frozenset()


class Language:
    """Get it by `language_of`. Its lists are read when they are first needed."""

    def __init__(self, code: str, facts: LanguageFacts) -> None:
        self.code, self.facts = code, facts
        self._stem = lru_cache(maxsize=200_000)(_stemmer(facts.stemmer))
        self._known_term_sets = lru_cache(maxsize=20_000)(lambda sentence: frozenset(self.terms(sentence)))

    @property
    def name(self) -> str:
        """In English."""
        return self.facts.name

    def words(self, text: str) -> Iterator[str]:
        """The words of a text in small letters; `cmd_vel` gives itself and its parts."""
        return plain_text.words(text)

    def terms(self, text: str) -> list[str]:
        """The stems of the words of a text that carry meaning, in order, repeats included."""
        stop_words = self.stop_words
        return [self._stem(word) for word in plain_text.words(text) if word not in stop_words]

    def term_set(self, sentence: str) -> frozenset[str]:
        """The different terms of a sentence. Kept, because good sentences are looked at again and again."""
        return self._known_term_sets(sentence)

    def sentence_spans(self, text: str, unbroken: Iterable[tuple[int, int]] = ()) -> list[tuple[int, int]]:
        """Where the sentences of a text begin and end, without the white space around them.

        A stop in an unbroken range, such as that of the code `panic!`, ends no sentence.
        """
        spans = []
        for start, end in self._sentences(plain_text.without_stops(text, unbroken)):
            sentence = text[start:end]
            if stripped := sentence.strip():
                start += len(sentence) - len(sentence.lstrip())
                spans.append((start, start + len(stripped)))
        return spans

    def _sentences(self, text: str) -> Iterator[tuple[int, int]]:
        """Found in one window after the other: the time for a whole text would grow with the square of its length.

        The last sentence of a window is looked at again with what follows it; one that fills half of it is cut.
        """
        from sentencex import get_sentence_boundaries

        start = 0
        while start < len(text):
            end = plain_text.window_end(text, start, _WINDOW)
            found = [
                (start + one["start_index"], start + one["end_index"])
                for one in get_sentence_boundaries(self.code, text[start:end])
            ]
            if end < len(text) and found and found[-1][0] >= start + _WINDOW // 2:
                end = found.pop()[0]
            yield from found
            start = end

    @property
    def stop_words(self) -> frozenset[str]:
        return self._function_words.stop_words

    @property
    def homographs(self) -> frozenset[str]:
        """Words of this language that others use as function words."""
        return self._function_words.homographs

    @cached_property
    def _function_words(self) -> _FunctionWords:
        own = self._table("stop_words")
        return _FunctionWords.model_validate(own or {"stop_words": self.facts.words | self.facts.particles})

    @cached_property
    def conversation(self) -> Conversation:
        """A language without replies of its own has those of English, and takes questions in any language."""
        if own := self._table("conversation"):
            return Conversation.model_validate(own)
        replies = language_of("en").conversation.replies
        return Conversation(replies=replies.model_copy(update={"other_language": None}))

    @cached_property
    def follow_ups(self) -> FollowUps:
        return self._group("follow_ups", FollowUps)

    @cached_property
    def selections(self) -> Selections:
        return self._group("selections", Selections)

    @cached_property
    def questions(self) -> Questions:
        return self._group("questions", Questions)

    @cached_property
    def strangers(self) -> Strangers:
        return self._group("strangers", Strangers)

    @cached_property
    def answers(self) -> Answers:
        return self._group("answers", Answers)

    @cached_property
    def passages(self) -> Passages:
        return self._group("passages", Passages)

    @cached_property
    def roles(self) -> Roles:
        return self._group("roles", Roles)

    @cached_property
    def guiding(self) -> Guiding:
        return self._group("guiding", Guiding)

    @cached_property
    def offering(self) -> Offering:
        return self._group("offering", Offering)

    @cached_property
    def claims(self) -> Claims:
        return self._group("claims", Claims)

    @cached_property
    def paraphrase(self) -> Paraphrase:
        return self._group("paraphrase", Paraphrase)

    @cached_property
    def spelling(self) -> Spelling:
        return self._group("spelling", Spelling)

    @cached_property
    def known_words(self) -> Lexicon:
        """Words that are no misspellings, though a book may not have them; empty where there is no list."""
        file = self._file("known_words.txt")
        return Lexicon(file.read_bytes() if file.is_file() else b"")

    def has_word(self, term: str) -> bool:
        """Whether a term is the stem of a known word; True where there is no list of them."""
        words = self.known_words
        begin_alike = words.beginning_with(term[:-1] if len(term) > _SHORTEST_STEM else term)
        return not len(words) or any(self.terms(entry.word) == [term] for entry in begin_alike)

    def _group(self, name: str, kind: type[Group]) -> Group:
        table = self._table(name)
        lists = table.pop("lists", {})
        return kind.model_validate(table, context={"lists": lists})

    def _table(self, name: str) -> dict[str, Any]:
        """A file of the language's folder; empty where there is none."""
        file = self._file(f"{name}.toml")
        return _read(file) if file.is_file() else {}

    def _file(self, name: str) -> Traversable:
        return files("citebook.language") / self.name.lower() / name


def language_of(code: str) -> Language:
    """The language of a code such as `en`, `de` or `pt-BR`; of a code that is not known, one without any lists.

    Raises `ValueError` for what cannot be a code.
    """
    language = code.lower().replace("_", "-").partition("-")[0]
    if not re.fullmatch("[a-z]{2,3}", language):
        raise ValueError(f"{code!r} is no language code, such as en, de or pt-BR")
    return _language(language)


@cache
def known_languages() -> dict[str, LanguageFacts]:
    table = _read(files("citebook.language") / "languages.toml")
    return {code: LanguageFacts.model_validate(facts) for code, facts in table.items()}


@cache
def _language(code: str) -> Language:
    return Language(code, known_languages().get(code) or LanguageFacts(name=code))


def _read(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _stemmer(algorithm: str | None) -> Callable[[str], str]:
    """The stemmer keeps state between calls, so threads take turns."""
    if algorithm is None:
        return str
    lock = threading.Lock()

    def stem(word: str) -> str:
        with lock:
            stemmed: str = _snowball(algorithm).stemWord(word)
        return stemmed

    return stem


@cache
def _snowball(algorithm: str) -> Any:
    from Stemmer import Stemmer

    return Stemmer(algorithm, 0)

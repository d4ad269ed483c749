"""What kind of thing a question asks for, and what a sentence has of that kind to offer."""

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from citebook.language.languages import Language


class QuestionKind(StrEnum):
    WHEN = "when"
    NUMBER = "number"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    DEFINITION = "definition"
    OTHER = "other"


_NAME_IN = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w’'-]+")

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_LONGEST_OPENING = 60
"""Characters of the name of what is defined."""
_GROUPS = 2
"""Of an expression that finds what is compared: the last thing, and those before it."""
_MOST_SIDES = 4
_WORDING = 500
"""How much of a question is looked at for how it is put; the rest of a very long one only costs time."""


def asking_part(question: str, language: Language) -> str:
    """The last of several sentences, if that asks, where the reader tells something before it."""
    wording, cues = question[:_WORDING], language.questions
    *before, last = _SENTENCE_END.split(wording.strip())
    asks = last.endswith("?") or cues.asks_what.search(last) is not None
    return last if before and asks and cues.telling_of_oneself.search(before[0]) else wording


def kind_of(question: str, language: Language) -> QuestionKind:
    asked = asking_part(question, language).lower()
    kinds = language.questions.kinds
    return next((QuestionKind(kind) for kind, cue in kinds.items() if cue.search(asked)), QuestionKind.OTHER)


def wants_list(question: str, language: Language) -> bool:
    return language.questions.wants_list.search(asking_part(question, language)) is not None


def wants_code(question: str, language: Language) -> bool:
    return language.questions.wants_code.search(question[:_WORDING]) is not None


def asks_for_code(question: str, language: Language) -> bool:
    return language.questions.asks_for_code.search(question[:_WORDING]) is not None


def wants_command(question: str, language: Language) -> bool:
    return language.questions.wants_command.search(question[:_WORDING]) is not None


def asks_for_one_thing(question: str, language: Language) -> bool:
    return language.questions.asks_for_one_thing.search(asking_part(question, language)) is not None


def asked_kinds_of(question: str, language: Language) -> frozenset[str]:
    """The terms of the thing whose kinds are asked for; none where no kinds are."""
    match = language.questions.asking_for_kinds.search(question[:_WORDING])
    return language.term_set(match[1]) if match else frozenset()


def asked_of_sides(question: str, language: Language) -> list[str]:
    """A question for each of the things that are compared; none where nothing is."""
    return [language.questions.asked_of_side.format(side=side) for side in sides_of(question, language)]


def sides_of(question: str, language: Language) -> tuple[str, ...]:
    """The two things or more that a question compares, as it names them; none where it compares nothing.

    “online vs offline evaluation” compares online evaluation with offline evaluation.
    """
    match = language.questions.comparing.search(question[:_WORDING])
    groups = tuple(side.strip(" ?.!,") for side in match.groups() if side) if match else ()
    if len(groups) != _GROUPS or not all(language.terms(side) for side in groups):
        return ()
    one, other = groups
    listed = tuple(part.strip() for part in one.split(",") if language.terms(part))
    if len(listed) > 1:
        return (*listed[: _MOST_SIDES - 1], other)
    first, _, shared = other.partition(" ")
    return (f"{one} {shared}", other) if shared and first and " " not in one else groups


def compared(question: str, language: Language) -> tuple[frozenset[str], ...] | None:
    """The terms of each of the things that a question compares, without those that others have, too."""
    sides = [frozenset(language.terms(side)) for side in sides_of(question, language)]
    counts = Counter(term for side in sides for term in side)
    own = tuple(frozenset(term for term in side if counts[term] == 1) for side in sides)
    return own if own and all(own) else None


@dataclass(frozen=True, slots=True)
class CueFinder:
    """Looks in sentences for what a question asks for; the question's own words do not count."""

    kind: QuestionKind
    asked: Set[str]
    """The question's words, in small letters."""
    definition: re.Pattern[str] | None
    """How a sentence opens that defines what was asked for, or names it in the end."""
    asks_share: bool
    asks_money: bool
    asks_for_digits: bool
    language: Language
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The cues of sentences that were looked at before."""

    @classmethod
    def of(cls, question: str, asked: Set[str], language: Language) -> "CueFinder":
        questions = language.questions
        return cls(
            kind_of(question, language),
            asked,
            _definition_of(question, language),
            asks_share=questions.asks_share.search(question) is not None,
            asks_money=questions.asks_money.search(question) is not None,
            asks_for_digits=questions.asks_for_digits.search(question) is not None,
            language=language,
        )

    def found_in(self, sentence: str) -> tuple[str, ...]:
        """Names of the cues in the sentence, as the table of weights has them."""
        if sentence not in self._known:
            self._known[sentence] = tuple(self._cues(sentence))
        return self._known[sentence]

    def says_what_it_is(self, sentence: str) -> bool:
        """Whether a definition opens so: “X is a …”, and not “X is used …”."""
        if self.definition is None or "definition" not in self.found_in(sentence):
            return False
        found = self.language.questions.saying_what.search(sentence)
        return found is not None and found.start() <= _LONGEST_OPENING

    def _cues(self, sentence: str) -> Iterator[str]:
        answers = self.language.answers
        match self.kind:
            case QuestionKind.WHEN:
                if self._has_new(answers.date, sentence):
                    yield "date"
            case QuestionKind.NUMBER:
                if self._has_new(answers.digits if self.asks_for_digits else answers.number, sentence):
                    yield "number"
                if self.asks_share and _found(answers.percentage, sentence):
                    yield "percentage"
                if self.asks_money and _found(answers.sum_of_money, sentence):
                    yield "money"
            case QuestionKind.WHO:
                if self._has_new(_NAME_IN, sentence):
                    yield "name of someone"
                if any(map(self._has_new_word, _found(answers.full_name, sentence))):
                    yield "full name"
            case QuestionKind.WHERE:
                if self._has_new(_NAME_IN, sentence):
                    yield "name of somewhere"
                if self._has_new(answers.name_of_place, sentence):
                    yield "name after a word of place"
            case QuestionKind.WHY:
                if _found(answers.reason, sentence):
                    yield "reason"
            case QuestionKind.HOW:
                if _found(answers.means, sentence):
                    yield "means"
        if self.definition is not None and self.definition.match(sentence.lower()):
            yield "definition"

    def _has_new(self, cue: re.Pattern[str], sentence: str) -> bool:
        return any(word not in self.asked for word in _found(cue, sentence))

    def _has_new_word(self, name: str) -> bool:
        stop_words = self.language.stop_words
        return any(word not in self.asked and word not in stop_words for word in name.split())


@lru_cache(maxsize=20_000)
def _found(cue: re.Pattern[str], sentence: str) -> tuple[str, ...]:
    """In small letters. Kept, because good sentences are looked at again and again."""
    return tuple(found.lower() for found in cue.findall(sentence))


def _definition_of(question: str, language: Language) -> re.Pattern[str] | None:
    """For “what is X”: a sentence that opens with X and says what it is, or says something and calls it X."""
    questions = language.questions
    match = questions.defining.match(question.strip().rstrip("?. "))
    if match is None:
        return None
    term = re.escape(next(group for group in match.groups() if group).lower())
    opening = questions.opening_of_definition.replace("{term}", term)
    naming = questions.naming_of_definition.replace("{term}", term)
    return re.compile(f"{opening}|[^\n]*?{naming}" if naming else opening)

"""What kind of thing a question asks for, and what a sentence has of that kind to offer."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import StrEnum

from citebook.language.text import STOP_WORDS, terms


class QuestionKind(StrEnum):
    WHEN = "when"
    NUMBER = "number"
    WHO = "who"
    WHERE = "where"
    WHY = "why"
    HOW = "how"
    DEFINITION = "definition"
    OTHER = "other"


_MONTH = r"January|February|March|April|May|June|July|August|September|October|November|December"
_UNIT = r"years?|date|month|day|century|decade|era|period|time"
_MEASURE = (
    r"many|much|long|old|far|tall|large|big|high|often|fast|deep|wide|heavy|close|small|short|quickly|late|early"
)
_COUNT = (
    r"percent|percentage|number|amount|proportion|fraction|share|value|rate|range|frequency|voltage|population|size"
    r"|score|cost|price|length|age|temperature|total|ratio|distance"
)
_PLACE = (
    r"city|country|state|place|region|continent|location|area|town|river|stadium|county|province|street|district"
    r"|island|mountain|building"
)
_PERSON = (
    r"person|scientist|author|king|president|philosopher|mathematician|physicist|actor|singer|artist|player|leader"
    r"|emperor|general|man|woman|engineer|inventor"
)
_NUMBER = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|dozens?|hundreds?|thousands?|millions?|billions?|half|third|quarter|twice|once|double|several"
)

_KINDS: tuple[tuple[QuestionKind, re.Pattern[str]], ...] = (
    (QuestionKind.WHEN, re.compile(rf"\bwhen\b|\b(what|which) ({_UNIT})\b")),
    (
        QuestionKind.NUMBER,
        re.compile(rf"\bhow ({_MEASURE})\b|\b(what|which) (?:(?:is|was|are|were) the )?(?:[a-z]+ )?({_COUNT})\b"),
    ),
    (QuestionKind.WHO, re.compile(rf"\b(who|whom|whose)\b|\b(what|which) ({_PERSON})\b")),
    (QuestionKind.WHERE, re.compile(rf"\bwhere\b|\b(what|which) ({_PLACE})\b")),
    (
        QuestionKind.WHY,
        re.compile(
            r"\bwhy\b|\bwhat (caused|causes|reason|(is|was) the reason)\b|\bwhat (\w+ ){1,4}(cause|lead to)\b"
        ),
    ),
    (QuestionKind.HOW, re.compile(r"^\W*how\b|\bhow (do|does|did|can|is|are|was|were|to)\b")),
    (
        QuestionKind.DEFINITION,
        re.compile(
            r"^\W*what (is|are|was|were)\b|\bwhat does\b.*\bmean|\bdefine\b|\bname for\b"
            r"|\bwhat\b.*\b(called|known as|term|name|word)\b"
        ),
    ),
)

_DATE_IN = re.compile(
    rf"\b(1\d{{3}}|20\d{{2}})s?\b|\b({_MONTH})\b|\b(century|decade)\b|\b\d{{1,4}} ?(BC|AD|BCE|CE)\b"
)
_NUMBER_IN = re.compile(rf"\b\d+(?:[.,]\d+)*|\b({_NUMBER})\b", re.IGNORECASE)
_SHARE_IN = re.compile(r"%|\bper ?cent")
_MONEY_IN = re.compile(r"[$£€¥]|\b(dollars|pounds|euros)\b")
_REASON_IN = re.compile(
    r"\b(because|due to|since|as a result|caus(?:ed?|es|ing)|therefore|thus|hence|in order to|so that|so as to"
    r"|reasons?|leads? to|led to|owing to|to (?:avoid|prevent|ensure|allow|protect|reduce|keep)|result(?:ed|s)? in"
    r"|which means)\b",
    re.IGNORECASE,
)
_MEANS_IN = re.compile(r"\b(by \w+ing|through|using|via|by means of|in which)\b", re.IGNORECASE)
_NAME_IN = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w’'-]+")
_FULL_NAME_IN = re.compile(r"\b[A-Z][\w’'-]+(?: (?:[A-Z]\. |de |von |van |of )?[A-Z][\w’'-]+)+")
_NAME_AFTER_PLACE_WORD = re.compile(
    r"\b(?:in|at|near|from|to|of|on|into|across|throughout|around|between|outside|within|called) "
    r"(?:the )?(?:[a-z]+ern )?([A-Z][\w’'-]+)"
)
_DEFINING = re.compile(
    r"(?:what|who) (?:is|are|was|were) (?:an? |the )?([\w/+.-]+(?: [\w/+.-]+){0,3})$"
    r"|(?:what does|define) ([\w/+.-]+)",
    re.IGNORECASE,
)
_COMPARING = re.compile(
    r"\bdifferences? between (?P<a>.+?) and (?P<b>.+)|\bcompare (?P<c>.+?) (?:and|with|to) (?P<d>.+)"
    r"|\b(?:how (?:do|does|is|are) )?(?P<e>.+?) (?:differ|different) from (?P<f>.+)"
    r"|(?P<g>.+?) (?:vs\.?|versus) (?P<h>.+)",
    re.IGNORECASE,
)
_LISTING = re.compile(
    r"\b(what|which|list|name|give)\b.*\b(steps|stages|phases|types|kinds|parts|components|layers|requirements"
    r"|benefits|advantages|disadvantages|rules|options|ways|reasons|features|elements|principles|examples|methods"
    r"|properties|prerequisites|modules|chapters|tools|tips|conditions|causes|goals)\b|^\W*list\b"
    r"|\bhow (do|can|should) (i|you|we)\b|\bhow to\b",
    re.IGNORECASE,
)
_CODING = re.compile(
    r"\b(code|commands?|examples?|snippet|script|syntax|listing|show me|write|install|run|launch|start|call|type"
    r"|configure|create)\b|\bhow (do|can|should) (i|you|we)\b|\bhow to\b",
    re.IGNORECASE,
)

_WORDING = 500
"""How much of a question is looked at for how it is put; the rest of a very long one only costs time."""


def kind_of(question: str) -> QuestionKind:
    asked = question[:_WORDING].lower()
    return next((kind for kind, pattern in _KINDS if pattern.search(asked)), QuestionKind.OTHER)


def wants_list(question: str) -> bool:
    return _LISTING.search(question[:_WORDING]) is not None


def wants_code(question: str) -> bool:
    return _CODING.search(question[:_WORDING]) is not None


def compared(question: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The terms of each of the two things that a question compares, without those that they share."""
    match = _COMPARING.search(question[:_WORDING])
    if match is None:
        return None
    one, other = (frozenset(terms(side)) for side in match.groups() if side)
    return (one - other, other - one) if one - other and other - one else None


@dataclass(frozen=True, slots=True)
class CueFinder:
    """Looks in sentences for what a question asks for; the question's own words do not count."""

    kind: QuestionKind
    asked: Set[str]
    """The question's words, in small letters."""
    opening: re.Pattern[str] | None
    """How a sentence opens that defines what was asked for."""
    asks_share: bool
    asks_money: bool

    @classmethod
    def of(cls, question: str, asked: Set[str]) -> "CueFinder":
        lowered = question.lower()
        return cls(
            kind_of(question),
            asked,
            _opening_of_definition(question),
            asks_share="percent" in lowered,
            asks_money="how much" in lowered or "cost" in lowered,
        )

    def found_in(self, sentence: str) -> Iterator[str]:
        """Names of the cues in the sentence, as the table of weights has them."""
        match self.kind:
            case QuestionKind.WHEN:
                if any(self._is_new(match.group()) for match in _DATE_IN.finditer(sentence)):
                    yield "date"
            case QuestionKind.NUMBER:
                if any(self._is_new(match.group()) for match in _NUMBER_IN.finditer(sentence)):
                    yield "number"
                if self.asks_share and _SHARE_IN.search(sentence):
                    yield "percentage"
                if self.asks_money and _MONEY_IN.search(sentence):
                    yield "money"
            case QuestionKind.WHO:
                if self._has_new_name(sentence):
                    yield "name of someone"
                if any(self._has_new_word(match.group()) for match in _FULL_NAME_IN.finditer(sentence)):
                    yield "full name"
            case QuestionKind.WHERE:
                if self._has_new_name(sentence):
                    yield "name of somewhere"
                if any(self._is_new(match.group(1)) for match in _NAME_AFTER_PLACE_WORD.finditer(sentence)):
                    yield "name after a word of place"
            case QuestionKind.WHY:
                if _REASON_IN.search(sentence):
                    yield "reason"
            case QuestionKind.HOW:
                if _MEANS_IN.search(sentence):
                    yield "means"
        if self.opening is not None and self.opening.match(sentence.lower()):
            yield "definition"

    def _is_new(self, word: str) -> bool:
        return word.lower() not in self.asked

    def _has_new_word(self, name: str) -> bool:
        return any(word.lower() not in self.asked and word.lower() not in STOP_WORDS for word in name.split())

    def _has_new_name(self, sentence: str) -> bool:
        return any(self._is_new(name) for name in _NAME_IN.findall(sentence))


def _opening_of_definition(question: str) -> re.Pattern[str] | None:
    """For “what is X”: a sentence that opens with X and says what it is."""
    match = _DEFINING.match(question.strip().rstrip("?. "))
    if match is None:
        return None
    term = re.escape((match.group(1) or match.group(2)).lower())
    return re.compile(rf"(?:an? |the |in \w+, )?{term}s?(?: \([^)]{{1,40}}\))?,? (is|are|was|were|means|refers)\b")

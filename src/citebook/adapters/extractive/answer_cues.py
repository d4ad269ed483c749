"""What kind of thing a question asks for, and whether a sentence has such a thing to offer."""

import re
from collections.abc import Callable, Set

Cue = Callable[[str, Set[str]], bool]
"""Whether a sentence offers what was asked; the question's own words do not count."""

_MONTH = r"January|February|March|April|May|June|July|August|September|October|November|December"
_UNIT = r"year|date|month|day|century|decade"
_MEASURE = r"many|much|long|old|far|tall|large|big|high|often|fast|deep|wide|heavy|close|small|short|quickly"
_COUNT = r"percent|percentage|number|amount|proportion|fraction|share|value|rate|range|frequency|voltage"
_PLACE = r"city|country|state|place|region|continent|location|area|town|river"
_NUMBER = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion"
    r"|half|third|quarter|twice|once|double"
)

_DATE_IN = re.compile(rf"\b(1\d{{3}}|20\d{{2}})s?\b|\b({_MONTH})\b|\bcentury\b|\b\d{{1,4}} ?(BC|AD|BCE|CE)\b")
_NUMBER_IN = re.compile(rf"\d|\b({_NUMBER})\b", re.IGNORECASE)
_REASON_IN = re.compile(
    r"\b(because|due to|since|as a result|caused?|therefore|in order to|so that|reasons?|leads? to|led to)\b",
    re.IGNORECASE,
)
_NAME_IN = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]+")
_DEFINING = re.compile(
    r"(what|who) (is|are|was|were) (?:an? |the )?([\w/+.-]+(?: [\w/+.-]+){0,3})|(?:what does|define) ([\w/+.-]+)",
    re.IGNORECASE,
)


def cue_for(question: str) -> Cue | None:
    """The cue that answers to the question must have, if its wording tells."""
    asked = question.lower()
    for pattern, cue in _CUES:
        if pattern.search(asked):
            return cue
    return _definition_of(question)


def _has_date(sentence: str, _asked: Set[str]) -> bool:
    return _DATE_IN.search(sentence) is not None


def _has_number(sentence: str, _asked: Set[str]) -> bool:
    return _NUMBER_IN.search(sentence) is not None


def _has_reason(sentence: str, _asked: Set[str]) -> bool:
    return _REASON_IN.search(sentence) is not None


def _has_new_name(sentence: str, asked: Set[str]) -> bool:
    return any(name.lower() not in asked for name in _NAME_IN.findall(sentence))


def _definition_of(question: str) -> Cue | None:
    """For “what is X”: a sentence that opens with X and says what it is."""
    match = _DEFINING.match(question.strip().rstrip("?. "))
    if match is None:
        return None
    term = re.escape((match.group(3) or match.group(4)).lower())
    opening = re.compile(rf"(?:an? |the |in \w+, )?{term}s?(?: \([^)]{{1,40}}\))?,? (is|are|was|were|means|refers)\b")
    return lambda sentence, _asked: opening.match(sentence.lower()) is not None


_CUES: tuple[tuple[re.Pattern[str], Cue], ...] = (
    (re.compile(rf"\bwhen\b|\b(what|which) ({_UNIT})\b|\bwhat time\b"), _has_date),
    (re.compile(rf"\bhow ({_MEASURE})\b|\bwhat ({_COUNT})\b"), _has_number),
    (re.compile(r"\b(who|whom|whose)\b"), _has_new_name),
    (re.compile(rf"\bwhere\b|\b(what|which) ({_PLACE})\b"), _has_new_name),
    (
        re.compile(r"\bwhy\b|\bwhat (caused|causes|is the reason|was the reason)\b|\bfor what reason\b"),
        _has_reason,
    ),
)

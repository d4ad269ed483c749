"""Personal data in what readers write: e-mail addresses, phone and card numbers, names that they give as theirs."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from citebook.domain.audit import AuditRecord
from citebook.domain.book import DEFAULT_LANGUAGE
from citebook.domain.errors import InvalidQuestion
from citebook.domain.question import Question
from citebook.language.languages import language_of

PersonalDataRule = Literal["off", "mask", "refuse"]

_MASKED = ("user_query_text", "retrieval_query", "llm_prompt", "llm_response", "answer_text")
"""What of a record may repeat a reader's words. Citations are the book's own."""
_CASE = {"retrieval_query": re.IGNORECASE}
"""What is searched for is in lower case: “Will” cannot be told from “will” there."""

_E_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,9}\.[^\W\d_]{2,63}")
"""Parts are no longer than mail allows: without that, a word of 10,000 letters takes half a second."""
_PHONE = re.compile(
    r"(?<![\w+.])(?:"
    r"\+\d[\d ./()-]{6,22}\d"  # with the code of the country
    r"|\(?0\d{1,4}\)?[ ./-]?\d[\d ./-]{4,16}\d"  # with the zero of a trunk call
    r"|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}"  # North American
    r")(?!\w)"
)
_CARD = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?![\w.])")


class Finding(NamedTuple):
    kind: str
    text: str

    @property
    def mask(self) -> str:
        return f"[{self.kind}]"


class PersonalData:
    """What is done about personal data in a question."""

    def __init__(self, rule: PersonalDataRule = "off", language: str = DEFAULT_LANGUAGE) -> None:
        self.rule = rule
        self._introductions = language_of(language).conversation.introductions

    def check(self, question: Question) -> None:
        """Raises `InvalidQuestion` that names the kind of what must not be sent, never the data."""
        if self.rule == "refuse" and (found := next(self.find(question.text), None)):
            raise InvalidQuestion("question", f"must not contain personal data: leave out the {found.kind}")

    def masked(self, record: AuditRecord, *said: str) -> AuditRecord:
        """The record with a mask for all personal data in what the reader said, wherever it repeats it."""
        if self.rule == "off":
            return record
        found = {finding.text: finding.mask for text in said for finding in self.find(text)}
        texts = {name: getattr(record, name) for name in _MASKED}
        hidden = {name: _hide(found, text, _CASE.get(name, 0)) for name, text in texts.items() if text}
        return record.model_copy(update=hidden)

    def find(self, text: str) -> Iterator[Finding]:
        """The most telling kinds first."""
        yield from _findings("e-mail address", _E_MAIL.findall(text))
        yield from _findings("card number", _CARD.findall(text), _is_card)
        yield from _findings("phone number", _PHONE.findall(text), _is_phone)
        yield from _findings("name", (match["name"] for match in self._introductions.finditer(text)))


def _findings(kind: str, texts: Iterable[str], is_one: Callable[[str], bool] = bool) -> Iterator[Finding]:
    return (Finding(kind, text) for text in texts if is_one(text))


def _hide(masks: Mapping[str, str], text: str, case: int) -> str:
    """In one pass: a thousand addresses would else be a thousand passes."""
    if not masks:
        return text
    either = "|".join(map(re.escape, sorted(masks, key=len, reverse=True)))
    folded = {said.casefold(): mask for said, mask in masks.items()}

    def mask_of(found: re.Match[str]) -> str:
        """A few letters are the same to a pattern that ignores case, and to nothing else."""
        return folded.get(found[0].casefold(), "[personal data]")

    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", mask_of, text, flags=case)


def _is_phone(text: str) -> bool:
    """At least nine digits, or eight with a country's code; and no row of bits."""
    digits = re.sub(r"\D", "", text)
    return (8 if text.startswith("+") else 9) <= len(digits) <= 15 and not set(digits) <= {"0", "1"}


def _is_card(text: str) -> bool:
    """By the check digit (Luhn), and the first one: 2 to 6 are cards. An ISBN begins with 9."""
    digits = [int(digit) for digit in text if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return 2 <= digits[0] <= 6 and (sum(digits[::-2]) + sum(doubled)) % 10 == 0

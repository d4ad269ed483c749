"""A text cut into what is read one by one: words, numbers as they are written, and marks between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from citebook.language.paraphrase import Paraphrase

STOP, BREAK, POSSESSIVE = ".", ",", "'s"
_ALIKE = str.maketrans({**dict.fromkeys("’‘ʼ", "'"), "−": "-", "‐": "-", "‑": "-", "–": "–", "µ": "μ", "­": ""})
_DASH = re.compile(r"—|\s–\s|\s-\s|\s--\s|--")
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3})[ \u00a0\u202f](\d{3})(?![\d.,]\d|\d)")
_OPENING, _CLOSING = "([{\"'“‘«*`¿¡", ".,;:!?)]}\"'”’»*`…"
_ENDS = frozenset(";:!?…")
_SYMBOLS = frozenset("?!*`")
"""By themselves they are names of things: the operator “?”."""
_NUMBER_NAME = re.compile(r"[A-Z][A-Za-z]{0,5}-\d+[A-Za-z]?")
_SPLIT = re.compile(r"[-–](?=[^\W_])")


@dataclass(frozen=True, slots=True)
class Atom:
    text: str
    lower: str
    begins: bool = False
    """Whether a sentence may begin with it, so that its capital says nothing."""
    is_joined: bool = False
    """Whether a hyphen joins it to the next or the last."""

    @property
    def is_mark(self) -> bool:
        return self.text in (STOP, BREAK, POSSESSIVE)


def atoms_of(text: str, lists: Paraphrase) -> list[Atom]:
    """In time that grows with the length of the text."""
    plain = _THOUSANDS.sub(r"\1\2", _DASH.sub(" ; ", text.translate(_ALIKE)))
    found: list[Atom] = []
    begins = True
    for raw in _expanded(plain, lists).split():
        for atom in _of_piece(raw, begins=begins):
            found.append(atom)
            begins = atom.text == STOP or (begins and atom.is_mark)
    return found


def _expanded(text: str, lists: Paraphrase) -> str:
    for pattern, words in _contractions(lists.contractions):
        text = pattern.sub(words, text)
    return text


@lru_cache(maxsize=8)
def _contractions(pairs: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(rf"{re.escape(short)}(?!\w)", re.IGNORECASE), words) for short, words in pairs]


def _of_piece(raw: str, *, begins: bool) -> Iterator[Atom]:
    """The words of what stands between white space, and the marks around them."""
    if raw in _SYMBOLS:
        yield Atom(raw, raw)
        return
    core = raw.lstrip(_OPENING)
    opening = raw[: len(raw) - len(core)]
    stripped = core.rstrip(_CLOSING)
    closing = core[len(stripped) :]
    if any(mark in "([{" for mark in opening):
        yield _mark(BREAK)
    if stripped:
        quoted = begins or any(mark in "\"“'" for mark in opening)
        yield from _words(stripped, begins=quoted)
    if _ENDS.intersection(closing) or ("." in closing and not _is_abbreviation(stripped)):
        yield _mark(STOP)
    elif any(mark in ",)]}" for mark in closing):
        yield _mark(BREAK)


def _is_abbreviation(word: str) -> bool:
    return "." in word or (len(word) == 1 and word.isalpha() and word != "I")


def _words(core: str, *, begins: bool) -> Iterator[Atom]:
    owner = core.removesuffix("'s") if core.lower().endswith("'s") else core
    is_possessive = owner != core
    is_whole = _NUMBER_NAME.fullmatch(owner) or any(mark in owner for mark in "_<:\\") or owner[:1] in "-–"
    parts = [owner] if is_whole else [part for part in _SPLIT.split(owner) if part]
    for index, part in enumerate(parts):
        yield Atom(part, part.lower(), begins and index == 0, is_joined=len(parts) > 1)
    if is_possessive:
        yield _mark(POSSESSIVE)


def _mark(mark: str) -> Atom:
    return Atom(mark, mark)

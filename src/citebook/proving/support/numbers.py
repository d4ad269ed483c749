"""The numbers of a text, each as a value and a unit, however they are written."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from citebook.language.claim_words import Claims
from citebook.proving.support.checked_text import EDGES

_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)
_SIGNS = ("%", "°")
_MONEY = ("$", "£", "€")
_MAX_DIGITS = 30
_LONGEST_UNIT = 16


class Number(NamedTuple):
    value: Decimal
    unit: str
    """In one spelling; empty where no unit that we know follows."""
    is_telling: bool
    """False for "one", "two" and "first", which often are no numbers ("one of the two")."""


def missing_numbers(claim: str, source: str, lists: Claims) -> int:
    """How many numbers of the claim do not stand in the source, or only with another unit."""
    ours = [number for number in numbers(claim, lists) if number.is_telling]
    if not ours:
        return 0
    units: dict[Decimal, set[str]] = {}
    for number in numbers(source, lists):
        units.setdefault(number.value, set()).add(number.unit)
    return sum(not _is_among(number, units) for number in ours)


def is_number(word: str, lists: Claims) -> bool:
    return word.isdigit() or word in lists.number_words or word in lists.tens or word in lists.magnitudes


def _is_among(number: Number, units: dict[Decimal, set[str]]) -> bool:
    found = units.get(number.value)
    return found is not None and (not number.unit or "" in found or number.unit in found)


def numbers(text: str, lists: Claims) -> Iterator[Number]:
    pieces = text.replace("−", "-").split()
    for index, piece in enumerate(pieces):
        following = pieces[index + 1 : index + 3]
        if _DIGIT.search(piece):
            yield from _in_digits(piece, following, lists)
        else:
            yield from _in_words(piece, following, lists)


def _in_digits(piece: str, following: Sequence[str], lists: Claims) -> Iterator[Number]:
    if piece.strip(EDGES).count(".") > 1:
        piece = piece.replace(".", "/")  # a date, not a decimal
    for match in _NUMBER.finditer(piece):
        start, end = match.span()
        before = piece[start - 1 : start]
        letters = _leading_letters(piece[end : end + _LONGEST_UNIT].removeprefix("-"))
        if before.isalpha() or before == "_" or end - start > _MAX_DIGITS:
            continue  # a part of a name, such as TF2
        is_last = not piece[end:].strip(EDGES)
        if before in _MONEY and letters in lists.money_magnitudes:
            factor, unit = lists.money_magnitudes[letters], ""
        else:
            factor, unit = _scale(following if is_last else [letters], lists)
        is_joined = piece[end : end + 1].isalpha()
        if is_joined and factor == 1 and not unit and letters not in lists.number_endings:
            continue  # a name, such as 3D
        is_negative = before == "-" and (start == 1 or piece[start - 2] in _MONEY or piece[start - 2] == "(")
        value = Decimal(match.group().replace(",", ""))
        yield Number((-value if is_negative else value) * factor, unit, is_telling=True)


def _leading_letters(text: str) -> str:
    """The letters, or the one sign, that follow a number at once."""
    if text[:1] in _SIGNS:
        return text[:1]
    end = next((index for index, character in enumerate(text) if not character.isalpha()), len(text))
    return text[:end]


def _in_words(piece: str, following: Sequence[str], lists: Claims) -> Iterator[Number]:
    word = piece.strip(EDGES).lower()
    tens, _, ones = word.partition("-")
    if tens in lists.tens and 0 < lists.number_words.get(ones, 0) < 10:
        value = lists.tens[tens] + lists.number_words[ones]
    elif tens in lists.number_words or tens in lists.tens:
        value = lists.number_words[tens] if tens in lists.number_words else lists.tens[tens]
        following = [ones] if ones else following  # "third-largest", "ten-metre"
    else:
        return
    factor, unit = _scale(following, lists)
    yield Number(Decimal(value) * factor, unit, is_telling=value > 2 or factor > 1)


def _scale(following: Sequence[str], lists: Claims) -> tuple[int, str]:
    """The magnitude and the unit that the words behind a number name."""
    factor = 1
    for word in following:
        plain = word.strip(EDGES)
        if factor == 1 and plain.lower() in lists.magnitudes:
            factor = lists.magnitudes[plain.lower()]
            continue
        return factor, lists.units.get(plain) or lists.units.get(plain.lower(), "")
    return factor, ""

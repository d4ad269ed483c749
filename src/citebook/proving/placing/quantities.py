"""Numbers with their units, read from the atoms that name them."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from citebook.language.claim_words import Claims
from citebook.proving.placing.atoms import Atom

_WRITTEN = re.compile(r"([±+-]?)([$€£]?)(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(\.\d+)?(.*)", re.ASCII | re.DOTALL)
_FACTOR = re.compile(r"([A-Za-zμ%]+|°[CF]?)\^?(-?\d?)", re.ASCII)
_MONEY = {"$": "dollar", "€": "euro", "£": "pound"}
_POWERS = str.maketrans("²³", "23")
_MOST_DIGITS = 30
_FEWEST_LETTERS = 3


class Quantity(NamedTuple):
    value: str
    unit: str
    taken: int
    """So many atoms are read."""


def quantity_at(atoms: Sequence[Atom], index: int, lists: Claims) -> Quantity | None:
    """The number that begins at an atom, with its unit; None where none does."""
    atom = atoms[index]
    if atom.text[:1].isdigit() or (atom.text[:1] in "±+-$€£" and any(c.isdigit() for c in atom.text[1:4])):
        return _in_digits(atoms, index, lists)
    return _in_words(atoms, index, lists)


def _in_digits(atoms: Sequence[Atom], index: int, lists: Claims) -> Quantity | None:
    match = _WRITTEN.fullmatch(atoms[index].text)
    if match is None or len(atoms[index].text) > _MOST_DIGITS:
        return None
    sign, money, whole, part, rest = match.groups()
    value = Decimal(whole.replace(",", "") + (part or ""))
    if rest in lists.number_endings:
        return Quantity(f"#{value.normalize():f}" if rest != "s" else f"{value:f}s", "", 1)
    if rest and unit_of(rest, lists) is None:
        return None  # a name, such as 3D
    prefix = sign.replace("+", "")
    if rest:
        return _with_rate(atoms, index, index + 1, prefix, value, unit_of(rest, lists) or "", lists)
    return _scaled(atoms, index, index + 1, prefix, value, _MONEY.get(money, ""), lists)


def _in_words(atoms: Sequence[Atom], index: int, lists: Claims) -> Quantity | None:
    word = atoms[index].lower
    following = atoms[index + 1].lower if index + 1 < len(atoms) else ""
    if word in lists.tens and 0 < lists.number_words.get(following, 0) < 10 and following not in lists.ordinals:
        return _scaled(
            atoms, index, index + 2, "", Decimal(lists.tens[word] + lists.number_words[following]), "", lists
        )
    if word in lists.ordinals:
        return Quantity(f"#{lists.number_words[word]}", "", 1)
    if word in lists.tens or word in lists.number_words:
        value = lists.tens[word] if word in lists.tens else lists.number_words[word]
        return _scaled(atoms, index, index + 1, "", Decimal(value), "", lists)
    if word in lists.indefinite and following in lists.magnitudes:
        return _scaled(atoms, index, index + 1, "", Decimal(1), "", lists)
    if word in lists.indefinite and len(following) >= _FEWEST_LETTERS and following not in lists.ordinals:
        unit = unit_of(following, lists)
        return Quantity("1", unit, 2) if unit else None
    return None


def _scaled(
    atoms: Sequence[Atom], start: int, end: int, sign: str, value: Decimal, money: str, lists: Claims
) -> Quantity:
    while end < len(atoms) and atoms[end].lower in lists.magnitudes:
        value *= lists.magnitudes[atoms[end].lower]
        end += 1
    unit = unit_of(atoms[end].text, lists) if end < len(atoms) else None
    if unit and not money and atoms[end].lower not in lists.ordinals | lists.indefinite:
        if unit == "°" and end + 1 < len(atoms) and (finer := unit_of(atoms[end + 1].text, lists)) in ("°C", "°F"):
            return _with_rate(atoms, start, end + 2, sign, value, finer or "", lists)
        return _with_rate(atoms, start, end + 1, sign, value, unit, lists)
    if unit and not money and atoms[end].lower in lists.ordinals:
        return _with_rate(atoms, start, end + 1, sign, value, unit, lists)
    return Quantity(_plain(sign, value), money, end - start)


def _with_rate(
    atoms: Sequence[Atom], start: int, end: int, sign: str, value: Decimal, unit: str, lists: Claims
) -> Quantity:
    """Also reads “per second”, “a second” and “every second” behind a unit."""
    if unit and end + 1 < len(atoms) and atoms[end].lower in lists.rates:
        per = unit_of(atoms[end + 1].text, lists)
        if per:
            return Quantity(_plain(sign, value), f"{unit}/{per}", end + 2 - start)
    return Quantity(_plain(sign, value), unit, end - start)


def _plain(sign: str, value: Decimal) -> str:
    return f"{sign}{value.normalize():f}"


def unit_of(text: str, lists: Claims) -> str | None:
    """The one spelling of a unit, also of one that is made of several, such as m/s²; None where it is none."""
    named: list[str] = []
    for part in text.lstrip("-").translate(_POWERS).split("/"):
        match = _FACTOR.fullmatch(part)
        if match is None:
            return None
        known = lists.units.get(match.group(1)) or lists.units.get(match.group(1).lower())
        if known is None:
            return None
        named.append(known + match.group(2))
    return "/".join(named)

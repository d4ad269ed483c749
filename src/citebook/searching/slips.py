"""How far a typed word is from one that may have been meant, in slips of the hand and of the ear.

The distance is that of Damerau and Levenshtein (letters added, left out, put for others, or swapped with their
neighbours), where likely slips cost less.
"""

from functools import cache

_ADDED_OR_LEFT_OUT = 0.9
_DOUBLED = 0.5
_SWAPPED = 0.5
_SAME_SOUND = 0.6
_KEYS_SIDE_BY_SIDE = 0.8
_OTHER_LETTER = 1.0
_SAME_SOUND_IN_TWO_LETTERS = 0.4

_SOUNDS = ("aeiouy", "cksq", "sz", "gj", "vf", "td", "bp", "mn")
_IN_TWO_LETTERS = {"f": ("ph",), "k": ("ck", "ch"), "c": ("ck", "ch"), "w": ("wh",), "r": ("rh", "wr"), "n": ("kn",)}
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SHIFTS = (0.0, 0.25, 0.75)
"""How far a row of keys begins to the right of the topmost."""


def distance(typed: str, meant: str, limit: float) -> float:
    """The cost of the cheapest way from one to the other; infinite where it is above the limit."""
    too_many, too_few = _single_letters(typed), _single_letters(meant)
    before: list[float] = []
    row = [_ADDED_OR_LEFT_OUT * column for column in range(len(meant) + 1)]
    for place, letter in enumerate(typed, start=1):
        earlier, before = before, row
        row = [before[0] + _ADDED_OR_LEFT_OUT]
        for column, other in enumerate(meant, start=1):
            if letter == other:
                row.append(before[column - 1])
                continue
            cost = min(
                before[column - 1] + _substitution(letter, other),
                before[column] + too_many[place - 1],
                row[column - 1] + too_few[column - 1],
            )
            if place > 1 and column > 1 and letter == meant[column - 2] and other == typed[place - 2]:
                cost = min(cost, earlier[column - 2] + _SWAPPED)
            row.append(cost)
        _hear(typed, meant, place, before, row)
        if min(row) > limit and min(before) > limit:
            return float("inf")
    return row[-1] if row[-1] <= limit else float("inf")


def _hear(typed: str, meant: str, place: int, before: list[float], row: list[float]) -> None:
    """One letter typed where the same sound is written with two."""
    for pair in _IN_TWO_LETTERS.get(typed[place - 1], ()):
        column = meant.find(pair) + 2
        if column > 1:
            row[column] = min(row[column], before[column - 2] + _SAME_SOUND_IN_TWO_LETTERS)


def _single_letters(word: str) -> list[float]:
    """The cost of each letter where only one of the words has it; beside its like it is easily overlooked."""
    around = zip(f" {word}", word, f"{word[1:]} ", strict=False)
    return [_DOUBLED if letter in (before, after) else _ADDED_OR_LEFT_OUT for before, letter, after in around]


@cache
def _substitution(typed: str, meant: str) -> float:
    if any(typed in group and meant in group for group in _SOUNDS):
        return _SAME_SOUND
    return _KEYS_SIDE_BY_SIDE if meant in neighbours(typed) else _OTHER_LETTER


@cache
def neighbours(letter: str) -> frozenset[str]:
    """The letters whose keys touch that of a letter."""
    places = {
        key: (row, column + shift)
        for row, (keys, shift) in enumerate(zip(_ROWS, _SHIFTS, strict=True))
        for column, key in enumerate(keys)
    }
    if letter not in places:
        return frozenset()
    row, column = places[letter]
    return frozenset(
        key for key, (r, c) in places.items() if abs(r - row) <= 1 and abs(c - column) <= 1 and key != letter
    )

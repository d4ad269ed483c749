"""Finds for each telling word of a claim the word of the quote that it stands for."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from citebook.proving.placing.likeness import Places, is_same
from citebook.proving.placing.reading import Placed, Reading
from citebook.proving.placing.standing_for import Names

_MOST_PLACES, _MOST_KEPT = 8, 6
"""Of one word that are tried, and of these that are followed up."""
_BACKWARDS, _TWICE, _OTHER_SEGMENT, _PRONOUN, _MOST_SKIPPED, _TO_CHUNK = 6.0, 30.0, 3.0, 1.5, 4.0, 0.6


class Place(NamedTuple):
    at: int
    """Of the word in the quote."""
    name: int = -1
    """Which of the names that a pronoun stands for."""
    step: int = 0
    """Which word of it."""


class Alignment:
    """The quote's side of it, for any order of a claim's words."""

    def __init__(self, quote: Reading, names: Mapping[int, tuple[Names, ...]], pronoun: float = _PRONOUN) -> None:
        """`pronoun` is what it costs to stand for one."""
        self.quote, self._names, self._pronoun = quote, names, pronoun
        self._places = Places(quote)
        self._known: dict[Placed, list[Place]] = {}
        self._before: list[int] = []
        """For each word, how many telling ones stand before it."""
        chunks = quote.chunks
        self._firsts = frozenset({chunks[at]: at for at in reversed(quote.telling)}.values())
        count = 0
        for word in quote.words:
            self._before.append(count)
            count += word.is_telling

    def of(self, words: Sequence[Placed]) -> list[Place] | None:
        """The places that jump least; None where a word has none."""
        best: list[tuple[float, Place, int]] = []
        rows: list[list[tuple[float, Place, int]]] = []
        for number, word in enumerate(words):
            row = []
            for place in self._candidates(word):
                if number == 0:
                    row.append((self._for_pronoun(place), place, -1))
                elif (reached := self._cheapest(best, place)) is not None:
                    row.append((*reached[:1], place, reached[1]))
            if number == 0:
                row = [entry for entry in row if entry[1].step == 0]
            if not row:
                return None
            best = sorted(row, key=lambda entry: entry[0])[:_MOST_KEPT]
            rows.append(best)
        return _traced(rows)

    def has(self, word: Placed) -> bool:
        """Whether it stands for any word of the quote."""
        return bool(self._candidates(word))

    def _candidates(self, word: Placed) -> list[Place]:
        if word not in self._known:
            self._known[word] = self._found(word)
        return self._known[word]

    def _found(self, word: Placed) -> list[Place]:
        found = [Place(at) for at in self._places.of(word, _MOST_PLACES)]
        for at, names in self._names.items():
            for number, name in enumerate(names):
                found += [
                    Place(at, number, step)
                    for step, other in enumerate(name)
                    if is_same(word, other, self.quote.language)
                ]
        return found[: 2 * _MOST_PLACES]

    def _cheapest(self, row: Sequence[tuple[float, Place, int]], place: Place) -> tuple[float, int] | None:
        costs = [
            (cost + step, index)
            for index, (cost, last, _) in enumerate(row)
            if (step := self._step(last, place)) is not None
        ]
        return min(costs, default=None)

    def _step(self, last: Place, place: Place) -> float | None:
        """What it costs to go on there; None where a name would begin in its middle."""
        if place.step:
            goes_on = last.at == place.at and last.name == place.name and last.step + 1 == place.step
            return 0.0 if goes_on else None
        extra = self._for_pronoun(place)
        if place.at == last.at:
            return _TWICE
        skipped = self._before[place.at] - self._before[last.at] - 1
        if place.at < last.at:
            return extra + _BACKWARDS + 0.01 * abs(skipped)
        segments = self.quote.segments
        jump = min(_MOST_SKIPPED, max(0, skipped)) * (_TO_CHUNK if self._begins_chunk(place.at) else 1.0)
        return extra + jump + _OTHER_SEGMENT * (segments[last.at] != segments[place.at])

    def _for_pronoun(self, place: Place) -> float:
        """“its” stands for an owner, and rarely for who does something."""
        if place.name < 0:
            return 0.0
        is_owner = self.quote.words[place.at].text in self.quote.language.paraphrase.owning
        return self._pronoun + (1.0 if is_owner else 0.0)

    def _begins_chunk(self, at: int) -> bool:
        return at in self._firsts


def _traced(rows: Sequence[Sequence[tuple[float, Place, int]]]) -> list[Place]:
    if not rows:
        return []
    index = min(range(len(rows[-1])), key=lambda at: rows[-1][at][0])
    places: list[Place] = []
    for row in reversed(rows):
        _, place, index_before = row[index]
        places.append(place)
        index = index_before
    return places[::-1]

"""Whether the words of a claim stand in the order of its quote, but for phrases that may stand elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citebook.proving.placing.alignment import Place
from citebook.proving.placing.reading import Kind, Placed, Reading

_MOST_MOVED = 1
"""Two phrases that change places may change what they belong to."""
_YEAR = re.compile(r"1\d{3}|20\d\d", re.ASCII)
_FIXED = 1_000
"""By so much a block weighs more that may not move."""


@dataclass(frozen=True, slots=True)
class Element:
    """A telling word of a claim, and what stands before it there."""

    word: Placed
    lead: str = ""
    """The preposition before it."""
    begins: bool = False
    """Whether a comma or the beginning stands before it."""
    is_done: bool = False
    """Whether it is a verb whose subject the claim does not name: “is sent”."""
    behind: frozenset[str] | None = None
    """What alone may stand between it and the word before it in the quote, where a claim was reworded."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Words in a row that are in a row in the quote too."""

    first: int
    last: int
    """Of the claim's words."""
    start: int
    end: int
    """Of the quote's words."""


class Order:
    def __init__(self, quote: Reading, elements: Sequence[Element], places: Sequence[Place]) -> None:
        self._quote, self._elements, self._places = quote, elements, places
        self._used = sorted({place.at for place in places})

    def is_kept(self) -> bool:
        blocks = self._blocks()
        if not self._is_joined() or any(self._is_torn(block) for block in blocks):
            return False
        movable = [self._may_move(block) for block in blocks]
        chosen = _longest_rising(blocks, movable)
        core = [block for number, block in enumerate(blocks) if number in chosen]
        moved = [number for number in range(len(blocks)) if number not in chosen]
        phrases = self._joined([blocks[number] for number in moved])
        clauses = sum(self._quote.opens(self._quote.words[phrase.start]) for phrase in phrases)
        others = sum(not self._is_year(phrase) for phrase in phrases) - clauses
        if not all(movable[number] for number in moved) or max(clauses, others) > _MOST_MOVED:
            return False
        return all(self._is_whole(phrase) and self._is_beside_its_own(phrase, core) for phrase in phrases)

    def _is_whole(self, phrase: _Block) -> bool:
        """Whether a clause is moved with all that the claim has of it."""
        if not self._quote.opens(self._quote.words[phrase.start]):
            return True
        chunks = self._quote.chunks
        own = [at for at in self._used if chunks[at] == chunks[phrase.start]]
        return phrase.start <= own[0] and own[-1] <= phrase.end

    def _is_joined(self) -> bool:
        """Whether what a rewording joins is joined in the quote."""
        words = self._quote.words
        for number, element in enumerate(self._elements):
            if element.behind is not None and number:
                between = words[self._places[number - 1].at + 1 : self._places[number].at]
                is_next = self._places[number - 1].at < self._places[number].at
                if not is_next or any(word.text not in element.behind for word in between):
                    return False
        return True

    def _is_torn(self, block: _Block) -> bool:
        """Whether it ends with a word that belongs to the one behind it, which the claim has elsewhere."""
        last = self._quote.words[block.end]
        chunks = self._quote.chunks
        lists = self._quote.language.paraphrase
        is_free = last.key in lists.free_operators
        if last.kind is Kind.PREPOSITION or (last.kind is Kind.OPERATOR and not is_free):
            theirs = next((at for at in self._used if at > block.end), None)
            ours = self._places[block.last + 1].at if block.last + 1 < len(self._places) else None
            if theirs is not None and theirs != ours and chunks[theirs] == chunks[block.end]:
                return True
        if last.kind is Kind.OPERATOR:
            telling = next((at for at in self._quote.telling if at > block.end), None)
            is_dangling = telling is None or chunks[telling] != chunks[block.end]
            following = self._elements[block.last + 1] if block.last + 1 < len(self._elements) else None
            goes_on = following is not None and not following.begins and not self._quote.opens(following.word)
            return is_dangling and goes_on
        return False

    def _joined(self, moved: Sequence[_Block]) -> list[_Block]:
        """Blocks that stand side by side here and there are one."""
        following = dict(zip(self._used, self._used[1:], strict=False))
        joined: list[_Block] = []
        for block in moved:
            last = joined[-1] if joined else None
            if last is not None and last.last + 1 == block.first and following.get(last.end) == block.start:
                joined[-1] = _Block(last.first, block.last, last.start, block.end)
            else:
                joined.append(block)
        return joined

    def _blocks(self) -> list[_Block]:
        following = dict(zip(self._used, self._used[1:], strict=False))
        blocks: list[_Block] = []
        for number, place in enumerate(self._places):
            last = blocks[-1] if blocks else None
            goes_on = last is not None and place.at in (last.end, following.get(last.end))
            if last is None or not goes_on or self._begins_phrase(number):
                blocks.append(_Block(number, number, place.at, place.at))
            else:
                blocks[-1] = _Block(last.first, number, last.start, place.at)
        return blocks

    def _begins_phrase(self, number: int) -> bool:
        element = self._elements[number]
        word = element.word
        return bool(element.lead) or word.kind is Kind.PREPOSITION or self._quote.opens(word)

    def _may_move(self, block: _Block) -> bool:
        """Whether it is a phrase of its own, here and there."""
        first = self._quote.words[block.start]
        element = self._elements[block.first]
        if self._is_aside(block):
            return True
        if all(place.name >= 0 for place in self._places[block.first : block.last + 1]):
            return first.text in self._quote.language.paraphrase.relatives
        if self._quote.opens(first) or first.kind is Kind.PREPOSITION or self._is_period(block):
            is_phrase = True
        elif block.first == block.last and self._is_adverb(first):
            return first.text in self._quote.language.paraphrase.movable or not self._is_steered(block.start)
        else:
            is_phrase = self._is_lead(self._quote.lead(block.start), element.lead)
        return is_phrase and self._ends_there(block.end)

    def _is_period(self, block: _Block) -> bool:
        """“every 50 ms”."""
        first, last = self._quote.words[block.start], self._quote.words[block.end]
        return first.key in self._quote.language.paraphrase.periods and bool(last.unit)

    def _is_year(self, block: _Block) -> bool:
        """Whether it is the only year of the quote, which can belong to nothing else."""
        years = [at for at in self._quote.telling if _YEAR.fullmatch(self._quote.words[at].key)]
        return years == [block.start] == [block.end]

    def _is_aside(self, block: _Block) -> bool:
        """Whether commas part it from all else, here and there."""
        words, chunks = self._quote.words, self._quote.chunks
        own = [at for at in self._quote.telling if chunks[at] == chunks[block.start]]
        start, end = (own[0] - 1, own[-1] + 1) if own else (-1, -1)
        if not (start >= 0 and end < len(words) and _is_comma(words[start]) and _is_comma(words[end])):
            return False
        here = [number for number, place in enumerate(self._places) if chunks[place.at] == chunks[block.start]]
        is_whole = [self._places[number].at for number in here] == own and here[-1] - here[0] + 1 == len(own)
        is_last = here[-1] + 1 == len(self._elements)
        return is_whole and self._elements[here[0]].begins and (is_last or self._elements[here[-1] + 1].begins)

    def _is_lead(self, theirs: str, ours: str) -> bool:
        return bool(ours) and (ours == theirs or {ours, theirs} <= self._quote.language.paraphrase.places)

    def _is_adverb(self, word: Placed) -> bool:
        lists = self._quote.language.paraphrase
        if word.text in lists.movable or word.key in lists.free_operators:
            return True
        is_one = word.text in lists.left_out or word.text.endswith(lists.adverbs or ("\0",))
        return word.kind is Kind.WORD and is_one

    def _is_steered(self, at: int) -> bool:
        """Whether another operator stands beside it: “not often” is not “often not”."""
        words, chunks = self._quote.words, self._quote.chunks
        near = [index for index in range(max(0, at - 3), min(len(words), at + 4)) if index != at]
        limiting = self._quote.language.paraphrase.kinds.limiting
        return any(chunks[index] == chunks[at] and words[index].key in limiting for index in near)

    def _ends_there(self, end: int) -> bool:
        """Whether something stands between the end of a phrase and the next telling word."""
        if end + 1 >= len(self._quote.words):
            return True
        following = self._quote.words[end + 1]
        lists = self._quote.language.paraphrase
        is_idle = following.text in lists.left_out or following.text in lists.trailing
        return is_idle or following.kind not in (Kind.WORD, Kind.NUMBER) or following.is_name

    def _is_beside_its_own(self, block: _Block, core: Sequence[_Block]) -> bool:
        """Whether the phrase is still beside words of the clause that it belongs to."""
        if self._quote.words[block.start].text in self._quote.language.paraphrase.left_out:
            return True
        chunks = self._quote.chunks
        home = chunks[block.start]
        places = [[place.at for place in self._places[one.first : one.last + 1]] for one in core]
        if all(chunks[at] != home for row in places for at in row):
            return True
        before = [at for one, row in zip(core, places, strict=True) if one.last < block.first for at in row]
        after = [at for one, row in zip(core, places, strict=True) if one.first > block.last for at in row]
        return self._reaches(before[::-1], block) or self._reaches(after, block)

    def _reaches(self, places: Sequence[int], block: _Block) -> bool:
        """Whether the chunk of a phrase is reached from beside it, without going into another clause."""
        home = self._quote.chunks[block.start]
        is_edge = self._is_at_edge(block) or (
            block.first == 0 and not self._is_adverb(self._quote.words[block.start])
        )
        for number, at in enumerate(places):
            if number and self._is_parted(*sorted((places[number - 1], at)), is_edge=is_edge):
                return False
            if self._quote.chunks[at] == home:
                return True
        return False

    def _is_at_edge(self, block: _Block) -> bool:
        """Whether a segment begins or ends with it, so that all of the segment may be about it."""
        segments = self._quote.segments
        own = [at for at in self._quote.telling if segments[at] == segments[block.start]]
        return bool(own) and (block.start == own[0] or block.end == own[-1])

    def _is_parted(self, start: int, end: int, *, is_edge: bool) -> bool:
        joining = self._quote.language.paraphrase.joining
        return any(
            word.kind is Kind.STOP or self._quote.opens(word) or (word.text in joining and not is_edge)
            for word in self._quote.words[start + 1 : end + 1]
        )


def _is_comma(word: Placed) -> bool:
    return word.kind is Kind.BREAK and not word.text


def _longest_rising(blocks: Sequence[_Block], movable: Sequence[bool]) -> frozenset[int]:
    """The blocks with most words that stand in the order of the quote; those that may not move first."""
    best: list[tuple[int, int]] = []
    for number, block in enumerate(blocks):
        size = block.last - block.first + 1 + (0 if movable[number] else _FIXED)
        before = [(best[other][0], other) for other in range(number) if blocks[other].end <= block.start]
        most, previous = max(before, default=(0, -1))
        best.append((most + size, previous))
    number = max(range(len(best)), key=lambda at: best[at][0], default=-1)
    chosen: set[int] = set()
    while number >= 0:
        chosen.add(number)
        number = best[number][1]
    return frozenset(chosen)

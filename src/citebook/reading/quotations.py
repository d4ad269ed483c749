"""Turns the best sentences into quotations: whole thoughts, lists with their opening line, code with its caption."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.language.languages import Language
from citebook.reading.answer_cues import compared, wants_code, wants_list
from citebook.reading.passages import PassageReader, ReadPassage, Shape
from citebook.reading.sentence_scoring import Asked, ScoredSentence

_QUOTES = 3
_WORTH_ADDING = 6.0
"""How far below the best sentence another may score and still be part of the answer."""
_ANOTHER_ROW = 1.0
_SHORTEST = 12
_LONGEST_LIST = 1_500
_LONGEST_RUN_UP = 500
"""Characters from a list's opening line to the item that answers, if both are quoted in one piece."""
_LONGEST_UNASKED_CODE = 600
_BLOCKS = frozenset({Shape.TABLE, Shape.CODE, Shape.FORMULA})


@dataclass(frozen=True, slots=True)
class _Quote:
    """A range of a passage's sentences."""

    chunk: Chunk
    first: int
    last: int
    score: float

    @property
    def text(self) -> str:
        return self.chunk.text[self.chunk.sentences[self.first].start : self.chunk.sentences[self.last].end]

    def takes_in(self, other: "_Quote") -> bool:
        """Whether the other overlaps this one, or follows it with nothing but a space between them."""
        if self.chunk.id != other.chunk.id or other.first > self.last + 1:
            return False
        if other.first <= self.last:
            return other.last >= self.first
        sentences = self.chunk.sentences
        return not self.chunk.text[sentences[self.last].end : sentences[other.first].start].strip(" ")

    def joined(self, other: "_Quote") -> "_Quote":
        first, last = min(self.first, other.first), max(self.last, other.last)
        return replace(self, first=first, last=last, score=max(self.score, other.score))


class Quoting:
    """How one question is answered by quotations."""

    def __init__(self, asked: Asked, reader: PassageReader) -> None:
        language = asked.language
        self._asked, self._language, self._reader = asked.terms, language, reader
        self._wants_list, self._wants_code = wants_list(asked.text, language), wants_code(asked.text, language)
        self._sides = compared(asked.text, language)
        self._asks_what = language.questions.asks_what.search(asked.text) is not None

    def claims(self, ranked: Sequence[ScoredSentence]) -> list[Claim]:
        """At most three sentences with what belongs to them; those that stand side by side are told in one piece."""
        quotes: list[_Quote] = []
        for sentence in self._chosen(self._telling([sentence for sentence in ranked if self._can_answer(sentence)])):
            for quote in self._quotes(sentence):
                touched = next((index for index, told in enumerate(quotes) if told.takes_in(quote)), None)
                if touched is None:
                    quotes.append(quote)
                else:
                    quotes[touched] = quotes[touched].joined(quote)
        return [
            Claim(
                text=quote.text,
                chunk_id=quote.chunk.id,
                first_sentence=quote.first,
                last_sentence=quote.last,
                score=quote.score,
            )
            for quote in quotes
        ]

    def _can_answer(self, sentence: ScoredSentence) -> bool:
        read = sentence.read
        if len(read.text) < _SHORTEST or (read.shape is Shape.CODE and not self._wants_code):
            return False
        if read.shape is Shape.PROSE and len(read.text.split()) == 1:  # the name of a file above its code
            return False
        return read.shape is not Shape.ROW or sentence.index != read.header

    def _telling(self, ranked: list[ScoredSentence]) -> list[ScoredSentence]:
        """Without those that only repeat the question, unless nothing else comes near them."""
        if not self._asks_what:
            return ranked
        telling = [sentence for sentence in ranked if not sentence.read.terms <= self._asked]
        return telling if telling and telling[0].score >= ranked[0].score - _WORTH_ADDING else ranked

    def _chosen(self, ranked: Sequence[ScoredSentence]) -> list[ScoredSentence]:
        near = [sentence for sentence in ranked if sentence.score >= ranked[0].score - _WORTH_ADDING]
        if self._sides is None:
            return near[:1] + [other for other in near[1:] if _is_worth_adding(near[0], other)][: _QUOTES - 1]
        one, other = self._sides
        both = [sentence for sentence in near if sentence.read.terms & one and sentence.read.terms & other]
        of_one = [sentence for sentence in ranked if sentence.read.terms & one and sentence not in both]
        of_other = [sentence for sentence in ranked if sentence.read.terms & other and sentence not in both]
        return [*both[:1], *of_one[:1], *of_other[:1]] or list(near[:_QUOTES])

    def _quotes(self, sentence: ScoredSentence) -> Iterator[_Quote]:
        chunk = sentence.chunk.chunk
        passage = self._reader.read(chunk, self._language)
        quote = _Quote(chunk, sentence.index, sentence.index, sentence.probability)
        match sentence.read.shape:
            case Shape.ITEM:
                yield self._of_list(passage, quote)
            case Shape.ROW:  # the header of its table comes with it
                yield quote
            case Shape.TABLE | Shape.CODE | Shape.FORMULA:
                yield replace(quote, first=_with_opening_line(passage, sentence.index))
            case Shape.TITLE:
                following = passage.sentences[sentence.index + 1]
                if following.shape is not Shape.CODE or self._wants_code:
                    yield replace(quote, last=self._end_of_announced(passage, sentence.index + 1))
            case Shape.PROSE:
                first = _start_of_thought(passage, sentence.index, self._language)
                yield replace(quote, first=first, last=self._end_of_thought(passage, sentence.index))

    def _of_list(self, passage: ReadPassage, quote: _Quote) -> _Quote:
        item = passage.sentences[quote.first]
        opened = replace(quote, first=_with_opening_line(passage, item.group_first))
        whole = replace(opened, last=item.group_last)
        if self._wants_list and len(whole.text) <= _LONGEST_LIST:
            return whole
        return opened if len(opened.text) <= _LONGEST_RUN_UP else quote

    def _end_of_thought(self, passage: ReadPassage, index: int) -> int:
        """A line that announces something is told with what it announces."""
        sentences = passage.sentences
        if index + 1 == len(sentences):
            return index
        text, following = sentences[index].text, sentences[index + 1]
        is_announced = text.endswith(":")
        match following.shape:
            case Shape.CODE if sentences[index].group_last == index:
                is_short = len(following.text) <= _LONGEST_UNASKED_CODE
                return index + 1 if self._wants_code or (is_announced and is_short) else index
            case Shape.FORMULA:
                return index if text.endswith((".", "!", "?")) else index + 1
        return self._end_of_announced(passage, index + 1) if is_announced else index

    def _end_of_announced(self, passage: ReadPassage, first: int) -> int:
        """The end of a list, if it is not too long, or else of the one sentence or block."""
        announced = passage.sentences[first]
        if announced.shape is not Shape.ITEM:
            return first
        items = passage.sentences[first : announced.group_last + 1]
        return announced.group_last if sum(len(item.text) for item in items) <= _LONGEST_LIST else first


def _is_worth_adding(best: ScoredSentence, other: ScoredSentence) -> bool:
    """No block comes second, and no row of a table that matches clearly less than the best one."""
    if best.read.shape is other.read.shape is Shape.ROW:
        return other.score >= best.score - _ANOTHER_ROW
    return other.read.shape not in _BLOCKS


def _with_opening_line(passage: ReadPassage, first: int) -> int:
    """Where a list, table or code begins if the line that announces it, or its caption, is told with it."""
    if first == 0:
        return first
    before = passage.sentences[first - 1]
    announces = before.shape in (Shape.PROSE, Shape.TITLE) and not before.text.endswith((".", "!", "?"))
    return first - 1 if announces else first


def _start_of_thought(passage: ReadPassage, index: int, language: Language) -> int:
    """A sentence that opens with “it” or “this” is told with the one before it, if that is in the same paragraph."""
    sentence = passage.sentences[index]
    if index == sentence.group_first or not language.passages.dependent.match(sentence.text):
        return index
    return index - 1

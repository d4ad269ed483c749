"""What stands around a quotation in its section, also in the chunk before or behind, and is told along with it."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from citebook.domain.book import Chunk
from citebook.domain.layout import NodeKind
from citebook.domain.units import UnitKind
from citebook.reading.answer_cues import QuestionKind, asks_for_one_thing, compared, wants_list
from citebook.reading.listed_sections import items_around
from citebook.reading.passages import ReadPassage, ReadUnit
from citebook.reading.procedures import steps_around
from citebook.reading.programs import is_part_of_program
from citebook.reading.quote import Quote
from citebook.reading.sentence_scoring import Asked
from citebook.reading.unit_scoring import Candidate, ScoredUnit

UNSURE = 0.5
"""Probability below which the best unit is more likely wrong than right."""
_LONGEST_UNASKED_CODE = 600
_LONGEST_CODE_OF_TOPIC = 1_200
"""Of code that nobody asked for; of code in the section on a topic."""
_USUAL, _OF_REASONS, _OF_SIDE, _OF_MUCH = (500, 900), (700, 1_300), (400, 1_200), (1_000, 2_000)
"""Characters below which a quotation takes in what stands around it, and up to which all of a section is told: in
general, of a reason, of one of two things, and of a topic, a comparison, or how something is done."""
_LONGEST_BEHIND = 2_400
_ENOUGH_BEHIND = 700
_LONGEST_BEGUN = 1_200
_LONGEST_LEAD_IN = 400
_CAN_BE_CUT = frozenset({UnitKind.LIST, UnitKind.STEPS, UnitKind.TABLE})
_BLOCKS = _CAN_BE_CUT | {UnitKind.CODE, UnitKind.FORMULA}
_TOPIC = 3
"""Terms of a question that names a topic and asks for nothing of it in particular."""
_MOST_OF_QUESTION = 0.4
_SAYS_LITTLE = 160
"""Characters of a definition that may be no more than another name."""
_SAYS_LITTLE_OF_MUCH = 1_300
"""Characters below which a section that is to be told whole goes on in the chunk behind."""


class Surroundings:
    """Of the units that may answer one question."""

    def __init__(
        self, asked: Asked, units: Iterable[Candidate], shown: Container[str], *, is_side: bool = False
    ) -> None:
        self._asked, self._shown, self._is_side = asked, shown, is_side
        self._read = {one.found.chunk.id: (one.found.chunk, one.passage) for one in units}
        self._sides = compared(asked.text, asked.language)
        self._wants_list = wants_list(asked.text, asked.language)
        self._wants_one_thing = asks_for_one_thing(asked.text, asked.language)
        is_topic = asked.cues.kind is QuestionKind.OTHER and len(asked.terms) <= _TOPIC and not self._wants_one_thing
        self._is_topic = is_topic
        self._wants_much = is_topic or asked.cues.kind is QuestionKind.HOW or self._sides is not None

    def goes_on(self, candidate: Candidate) -> bool:
        """Whether what the unit announces stands in the chunk behind."""
        unit, chunk = candidate.unit, candidate.found.chunk
        return unit.only_announces and self._behind(Quote(chunk, unit.first, unit.last, 0.0)) is not None

    def told_with(self, quote: Quote, scored: ScoredUnit) -> list[Quote]:
        """The quotation, as wide as is wanted, with what announces it and what it goes on with; in their order."""
        if whole := self._steps(quote) or self._items(quote, scored):
            return whole
        wants_more = self._wants_more(quote, scored)
        if wants_more:
            quote = self._widened(quote, scored)
        lead_in = self._lead_in(quote, scored)
        says_little = wants_more and self._wants_much and len(quote.text) < _SAYS_LITTLE_OF_MUCH
        quote = self._with_block(quote, scored)
        goes_on = quote.ends_in_colon or says_little or self._is_cut(quote, scored.unit)
        behind = self._behind(quote) if goes_on else None
        begun = self._begun_before(quote) if lead_in is None else None
        told = [one for one in (begun, lead_in, quote, behind) if one is not None]
        code = self._code_beside(quote, scored) if self._asked.asks_for_code and behind is None else None
        return [*told, code] if code is not None else told

    def _with_block(self, quote: Quote, scored: ScoredUnit) -> Quote:
        """With the block of its chunk that stands directly behind it, where its last paragraph says so."""
        units = scored.candidate.passage.units
        told = [unit for unit in units if unit.last == quote.last]
        block = next((unit for unit in units if unit.first == quote.last + 1), None)
        points_at = self._asked.language.answers.points_at_block
        if block is None or block.kind not in _BLOCKS or not told or points_at.search(told[0].text) is None:
            return quote
        longer = replace(quote, last=block.last)
        return longer if len(longer.text) <= _LONGEST_BEHIND else quote

    def _steps(self, quote: Quote) -> list[Quote]:
        """Where it is asked how, all steps of the procedure; those below the quotation behind it."""
        if not (self._asked.cues.kind is QuestionKind.HOW or self._asked.wants_code or self._wants_list):
            return []
        steps = steps_around(quote, list(self._read.values()), self._asked)
        is_one = any(step.chunk.id == quote.chunk.id for step in steps)
        return steps if is_one or not steps else [quote, *steps]

    def _items(self, quote: Quote, scored: ScoredUnit) -> list[Quote]:
        """Where a list is wanted and the quotation is none, the sections that are its items."""
        if not self._wants_list or scored.unit.kind is not UnitKind.PARAGRAPH:
            return []
        return items_around(quote, list(self._read.values()), self._asked)

    def _begun_before(self, quote: Quote) -> Quote | None:
        """What a list that goes on from the chunk before has there."""
        if quote.first > 0 or quote.chunk.before not in self._read:
            return None
        start = quote.chunk.sentences[0].start
        lists = (node for node in quote.chunk.layout.nodes if node.kind is NodeKind.LIST and not node.opens)
        if not any(node.start <= start < node.end for node in lists):
            return None
        chunk, passage = self._read[quote.chunk.before]
        unit = next((one for one in reversed(passage.units) if one.kind in (UnitKind.LIST, UnitKind.STEPS)), None)
        if unit is None or chunk.section != quote.chunk.section:
            return None
        earlier = [
            at for at in range(unit.first, unit.last + 1) if chunk.sentences[at].source_end <= quote.source_start
        ]
        begun = replace(quote, chunk=chunk, first=unit.first, last=earlier[-1]) if earlier else None
        return begun if begun is not None and len(begun.text) <= _LONGEST_BEGUN else None

    @staticmethod
    def _is_cut(quote: Quote, unit: ReadUnit) -> bool:
        """Whether it is a whole list or table up to the end of its chunk, and that is not the end of it."""
        if unit.kind not in _CAN_BE_CUT or (quote.first, quote.last) != (unit.first, unit.last):
            return False
        end = quote.chunk.sentences[quote.last].end
        nodes = (node for node in quote.chunk.layout.nodes if node.kind in (NodeKind.LIST, NodeKind.TABLE))
        return any(node.end >= end and not node.closes for node in nodes)

    def _wants_more(self, quote: Quote, scored: ScoredUnit) -> bool:
        """A fact, a definition, a row are told alone; how, why and what of something wants its surroundings.

        A paragraph that compares two things, or stands where a list is wanted, is often followed by what it opens.
        """
        unit = scored.unit
        if unit.is_glossary or unit.kind is UnitKind.TABLE:
            return False
        if self._is_side or self._sides is not None or (self._wants_list and unit.kind is UnitKind.PARAGRAPH):
            return True
        if self._asked.asks_for_code and unit.kind is UnitKind.CODE:
            return is_part_of_program(unit, scored.candidate.passage.units)
        match self._asked.cues.kind:
            case QuestionKind.HOW | QuestionKind.WHY:
                return True
            case QuestionKind.OTHER:
                return self._is_on_topic(scored) or (scored.probability < UNSURE and not self._wants_one_thing)
            case QuestionKind.NUMBER:
                return not self._asked.cues.found_in(quote.text)
            case QuestionKind.DEFINITION:
                return not self._defines(unit) or self._only_names(quote.text)
        return False

    def _is_on_topic(self, scored: ScoredUnit) -> bool:
        """Whether a topic was named, and the unit's section is called so: others only mention it."""
        title = scored.candidate.passage.title
        return (self._is_topic and bool(self._asked.terms & title)) or self._names_all_of(title)

    def _names_all_of(self, title: frozenset[str]) -> bool:
        """As “randomization benefits limitations” does of “Benefits and limitations”."""
        return len(title) > 1 and title <= self._asked.terms and self._asked.share(title) >= _MOST_OF_QUESTION

    @property
    def _lengths(self) -> tuple[int, int]:
        if self._wants_much:
            return _OF_MUCH
        if self._is_side:
            return _OF_SIDE
        return _OF_REASONS if self._asked.cues.kind is QuestionKind.WHY else _USUAL

    def _defines(self, unit: ReadUnit) -> bool:
        return "definition" in self._asked.cues.found_in(unit.text)

    @staticmethod
    def _opens_by_itself(unit: ReadUnit, passage: ReadPassage) -> bool:
        """Whether steps have a line of their own that opens them, and are no remarks on code before them."""
        before = passage.units[unit.place - 1] if unit.place else None
        follows_code = before is not None and before.code_length > 0
        return unit.kind is UnitKind.STEPS and unit.body > unit.first and not follows_code

    def _only_names(self, text: str) -> bool:
        return len(text) < _SAYS_LITTLE and self._asked.language.questions.only_naming.search(text) is not None

    def _widened(self, quote: Quote, scored: ScoredUnit) -> Quote:
        """The whole of a short section; else what follows, then what precedes, until enough is told."""
        names_all = self._asked.cues.kind is QuestionKind.OTHER and self._names_all_of(scored.candidate.passage.title)
        enough, most = _OF_MUCH if names_all and not self._wants_one_thing else self._lengths
        around = self._around(scored.unit, scored.candidate.passage, quote.chunk)
        if self._defines(scored.unit) or self._opens_by_itself(scored.unit, scored.candidate.passage):
            around = [unit for unit in around if unit.place >= scored.unit.place]
        first = quote.first if around[0] is scored.unit else around[0].first
        whole = replace(quote, first=min(first, quote.first), last=max(quote.last, around[-1].last))
        if len(whole.text) <= most:
            return whole
        following = [
            replace(quote, last=unit.last)
            for unit in around
            if unit.first > quote.last and (unit is around[-1] or not unit.only_announces)
        ]
        quote = _first_with_enough([quote, *following], enough, most)
        preceding = [replace(quote, first=unit.first) for unit in reversed(around) if unit.last < quote.first]
        return _first_with_enough([quote, *preceding], enough, most)

    def _around(self, unit: ReadUnit, passage: ReadPassage, chunk: Chunk) -> Sequence[ReadUnit]:
        """The unit with those before and behind it that tell something."""
        first = last = unit.place
        units = passage.units
        while first > 0 and self._continues(units[first - 1], chunk):
            first -= 1
        while last + 1 < len(units) and self._continues(units[last + 1], chunk):
            last += 1
        if units[last].only_announces and last > unit.place and last + 1 < len(units):
            last -= 1
        return units[first : last + 1]

    def _continues(self, unit: ReadUnit, chunk: Chunk) -> bool:
        """Whether it may be told along: unasked code only of a topic, or where a line announces it."""
        if unit.is_title or not unit.tells or unit.text in self._shown or _goes_on_from_before(unit, chunk):
            return False
        if unit.only_announces and unit.last == len(chunk.sentences) - 1:
            return self._wants_much and self._behind(Quote(chunk, unit.first, unit.last, 0.0)) is not None
        if unit.kind is not UnitKind.CODE or self._asked.wants_code:
            return True
        if self._is_topic:
            return unit.code_length <= _LONGEST_CODE_OF_TOPIC
        return unit.body > unit.first and unit.code_length <= _LONGEST_UNASKED_CODE

    def _behind(self, quote: Quote) -> Quote | None:
        """What the section goes on with in the chunk behind, if the quotation is the last of its own."""
        if quote.chunk.after not in self._read or quote.last < len(quote.chunk.sentences) - 1:
            return None
        chunk, passage = self._read[quote.chunk.after]
        behind = [unit for unit in passage.units if chunk.sentences[unit.last].source_start >= quote.source_end]
        if chunk.section != quote.chunk.section or not behind:
            return None
        told = range(behind[0].first, behind[0].last + 1)  # chunks overlap: it may begin before the quotation ends
        first = next(at for at in told if chunk.sentences[at].source_start >= quote.source_end)
        follows = replace(quote, chunk=chunk, first=first, last=behind[0].last)
        if len(follows.text) > _LONGEST_BEHIND or not behind[0].tells or behind[0].is_title:
            return None
        further = [
            replace(follows, last=unit.last)
            for unit in takewhile(lambda one: self._continues(one, chunk), behind[1:])
        ]
        return (
            _first_with_enough([follows, *further], _ENOUGH_BEHIND, _LONGEST_BEHIND) if self._wants_much else follows
        )

    def _code_beside(self, quote: Quote, scored: ScoredUnit) -> Quote | None:
        """The nearest code of the section, where code is asked for and the quotation has none."""
        units, chunk = scored.candidate.passage.units, quote.chunk
        if any(unit.code_length for unit in units if quote.first <= unit.last and unit.first <= quote.last):
            return None
        own = [(abs(unit.place - scored.unit.place), chunk, unit) for unit in units]
        beside = [self._read[key] for key in (chunk.before, chunk.after) if key in self._read]
        others = [
            (len(units) + place, other, unit)
            for other, passage in beside
            if other.section == chunk.section
            for place, unit in enumerate(passage.units)
        ]
        found = [one for one in (*own, *others) if 0 < one[2].code_length <= _LONGEST_BEHIND]
        if not found:
            return None
        _, holder, unit = min(found, key=lambda one: one[0])
        return replace(quote, chunk=holder, first=unit.first, last=unit.last)

    def _lead_in(self, quote: Quote, scored: ScoredUnit) -> Quote | None:
        """The short paragraph before code that nothing announces: the last of the chunk before, or of its own."""
        if scored.unit.kind is not UnitKind.CODE or quote.first < scored.unit.first or scored.unit.body > quote.first:
            return None
        before = next(self._before(quote, scored), None)
        if before is None:
            return None
        chunk, unit = before
        is_lead_in = unit.kind is UnitKind.PARAGRAPH and not unit.is_title and len(unit.text) <= _LONGEST_LEAD_IN
        return replace(quote, chunk=chunk, first=unit.first, last=unit.last) if is_lead_in else None

    def _before(self, quote: Quote, scored: ScoredUnit) -> Iterator[tuple[Chunk, ReadUnit]]:
        """The unit before the quotation in its section."""
        if scored.unit.place > 0:
            yield quote.chunk, scored.candidate.passage.units[scored.unit.place - 1]
            return
        chunk, passage = self._read.get(quote.chunk.before or "", (None, None))
        if chunk is None or passage is None or chunk.section != quote.chunk.section:
            return
        yield from (
            (chunk, unit)
            for unit in reversed(passage.units)
            if chunk.sentences[unit.last].source_end <= quote.source_start
        )


def _goes_on_from_before(unit: ReadUnit, chunk: Chunk) -> bool:
    """Whether it is the end of a paragraph that begins in the chunk before, where it stands, too."""
    start = chunk.sentences[unit.first].start
    paragraphs = (node for node in chunk.layout.nodes if node.kind is NodeKind.PARAGRAPH and not node.opens)
    return any(node.start <= start < node.end for node in paragraphs)


def _first_with_enough(wider: Sequence[Quote], enough: int, most: int) -> Quote:
    """Of quotations that each take in more, the first that is long enough; the last before one that is too long."""
    best = wider[0]
    for quote in wider[1:]:
        if len(best.text) >= enough or len(quote.text) > most:
            break
        best = quote
    return best

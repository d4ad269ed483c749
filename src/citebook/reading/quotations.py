"""Turns the best units into quotations: paragraphs, lists with their opening line, the row of a table, code."""

import re
from collections.abc import Callable, Container, Iterator, Sequence

from citebook.domain.book import Chunk, Role
from citebook.domain.units import UnitKind, text_between
from citebook.reading.answer_cues import (
    QuestionKind,
    asked_kinds_of,
    asks_for_one_thing,
    compared,
    wants_list,
)
from citebook.reading.passages import ReadPassage, ReadUnit
from citebook.reading.quote import Quote
from citebook.reading.sentence_scoring import Asked, ScoredSentence
from citebook.reading.surroundings import UNSURE, Surroundings
from citebook.reading.table_rows import AskedRows
from citebook.reading.unit_scoring import Candidate, ScoredUnit

_NEARLY_AS_GOOD = 0.55
"""How far below the best unit another may score and still be part of the answer; see decision 0046."""
_NOT_FAR_BEHIND = 1.7
"""How far below the best unit one may score that has what was asked for: both sides, a number, something new."""
_NOT_MUCH_BEHIND = 0.9
"""The same for a definition, for what the question calls by its rarest word, and for what holds now."""
_TELLS_KINDS = 1.2
"""The same for what says that there are several kinds."""
_OPENS_ITS_SECTION = 2.0
"""The same for the opening of the section that is called like the thing whose meaning is asked for."""
_SHORTEST = 12
_COMPARES = 160
"""Characters below which a unit that names two things only mentions them."""
_LONGEST_PARAGRAPH = 1_000
_LONGEST_ACCOUNT = 1_800
"""The same where it lists things, gives reasons or says how: what is cut off is a part of the answer."""
_LONGEST_EXCERPT = 750
"""Of a paragraph that is longer than that."""
_LONGEST_LIST, _LONGEST_LIST_FOR_ONE = 2_400, 1_500
"""Of a list or table that is told whole; the second where one thing is asked for."""
_LONGEST_RUN_UP = 500
"""Characters from a list's opening line to the item that answers, if both are quoted in one piece."""
_LONGEST_NOUN = 300
"""Of a paragraph that is quoted only because the next one begins with “it”."""
_LONGEST_ANNOUNCED_CODE = 1_500
"""Of code that nobody asked for, but whose announcement answers."""
_LONGEST_CODE_OF_ITS_NAME = 2_400
"""Of code that is all that the section says which is called like what was asked for."""
_MOST_OF_WHAT_IS_ASKED = 0.6
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)$")
_SAYS_A_NAME = 40
"""Characters below which a unit is no definition, but a name."""
_ROWS_ASKED_FOR = 2
_SHARED = 1.5
"""How much more of the question all rows have than the best, where several of them are asked for."""


class Quoting:
    """How one question is answered by quotations."""

    def __init__(
        self,
        asked: Asked,
        sentences: Sequence[ScoredSentence],
        units: Sequence[Candidate],
        shown: Container[str] = (),
        *,
        is_side: bool = False,
    ) -> None:
        """`sentences` are scored by their words; units with a text that was `shown` before are not quoted again.

        `is_side` where it is asked of one of several things that are compared.
        """
        language = asked.language
        self._asked, self._language = asked, language
        self._scores = {sentence.read.text: sentence.score for sentence in sentences}
        self._shown = shown
        self._wants_list = wants_list(asked.text, language)
        asks_for_one = asks_for_one_thing(asked.text, language)
        self._wants_one_thing = asks_for_one or asked.cues.kind is QuestionKind.NUMBER
        self._kinds_of = asked_kinds_of(asked.text, language)
        self._sides = compared(asked.text, language)
        self._told_in_words = {_section(one) for one in units if _tells_in_words(one.unit)}
        self._rows = AskedRows(asked, of_one_thing=self._wants_one_thing)
        self._surroundings = Surroundings(asked, units, shown, is_side=is_side)

    def quotes(self, ranked: Sequence[ScoredUnit]) -> list[Quote]:
        """A few, the best first."""
        chosen = self._chosen_of(ranked)
        return [*self._told(chosen[0]), *map(self._quote, chosen[1:])] if chosen else []

    def best_of(self, ranked: Sequence[ScoredUnit]) -> list[Quote]:
        """The best alone, with what belongs to it."""
        chosen = self._chosen_of(ranked)
        return self._told(chosen[0]) if chosen else []

    def _told(self, best: ScoredUnit) -> list[Quote]:
        return self._surroundings.told_with(self._quote(best), best)

    def _chosen_of(self, ranked: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        can_answer = [scored for scored in ranked if self._can_answer(scored)]
        if ranked and ranked[0] not in can_answer and self._is_all_that_is_told(ranked[0]):
            can_answer.insert(0, ranked[0])
        return self._chosen(self._without_other_rows(can_answer))

    def _can_answer(self, scored: ScoredUnit) -> bool:
        unit = scored.unit
        is_cut = unit.only_announces and not self._surroundings.goes_on(scored.candidate)
        if unit.is_title or is_cut or not unit.tells or len(unit.text) < _SHORTEST:
            return False
        if unit.kind is not UnitKind.CODE or (self._asked.wants_code and self._sides is None):
            return True
        if self._opens_its_section(scored):
            return unit.code_length <= _LONGEST_CODE_OF_ITS_NAME
        return unit.body > unit.first and unit.code_length <= _LONGEST_ANNOUNCED_CODE

    def _is_all_that_is_told(self, scored: ScoredUnit) -> bool:
        """Whether it is code in the section found first, which a word of the question names and no text explains."""
        is_called_so = bool(scored.candidate.passage.title & self._asked.terms)
        is_found_first = scored.candidate.found.rank == 1 and scored.unit.code_length > 0
        return is_found_first and is_called_so and _section(scored.candidate) not in self._told_in_words

    def _without_other_rows(self, ranked: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        """Of a table in several chunks, only those with a row that was asked for, where any has one."""
        if self._wants_list:
            return list(ranked)
        tables = [scored for scored in ranked if scored.unit.kind is UnitKind.TABLE]
        asked_for = [scored for scored in tables if self._has_row_asked_for(scored)]
        sections = {_section(scored.candidate) for scored in asked_for}
        others = [scored for scored in tables if scored not in asked_for and _section(scored.candidate) in sections]
        return [scored for scored in ranked if scored not in others]

    def _has_row_asked_for(self, scored: ScoredUnit) -> bool:
        return any(self._rows.matched(scored.unit, scored.candidate.passage, scored.candidate.found.chunk).values())

    def _chosen(self, ranked: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        new = _unless_far_behind(ranked, [scored for scored in ranked if scored.unit.text not in self._shown])
        present = _not_much_worse(new, [scored for scored in new if not self._is_history(scored)])
        telling = _unless_far_behind(present, [one for one in present if not one.unit.terms <= self._asked.terms])
        if not telling:
            return []
        if of_all := self.of_all_sides(telling):
            return of_all[:1]
        best = self._first(telling)
        others = [other for other in telling if other is not best and self._adds(best, other)]
        return [best, *others[: 2 if best.probability < UNSURE else 1]]

    def _first(self, ranked: Sequence[ScoredUnit]) -> ScoredUnit:
        """The best; or the best of those that are not far behind and have what was asked for."""
        for is_wished_for, behind in self._wishes():
            if found := next((one for one in _not_behind(ranked, behind) if is_wished_for(one)), None):
                return found
        return ranked[0]

    def _wishes(self) -> Iterator[tuple[Callable[[ScoredUnit], bool], float]]:
        """What an answer should have, and how far behind the best one may be that has it; first what matters most."""
        cues = self._asked.cues
        if self._asked.asks_for_code:
            yield lambda scored: scored.unit.code_length > 0, _NOT_FAR_BEHIND
            return
        match cues.kind:
            case QuestionKind.NUMBER:
                yield self._has_number, _NOT_FAR_BEHIND
            case QuestionKind.HOW if not self._language.answers.trouble.search(self._asked.text):
                yield self._is_no_trouble, _NOT_FAR_BEHIND
            case QuestionKind.WHY:
                yield lambda scored: bool(cues.found_in(scored.unit.text)), _NEARLY_AS_GOOD
            case QuestionKind.DEFINITION:
                yield self._says_what_it_is, _NOT_FAR_BEHIND
                yield self._defines, _NOT_MUCH_BEHIND
                yield self._opens_its_section, _OPENS_ITS_SECTION
                yield lambda scored: len(scored.unit.text) > _SAYS_A_NAME, _NEARLY_AS_GOOD
            case QuestionKind.OTHER if self._kinds_of:
                yield self._tells_kinds, _TELLS_KINDS
            case QuestionKind.OTHER if self._wants_list:
                yield self._has_rarest_word, _NOT_MUCH_BEHIND
            case QuestionKind.OTHER:
                yield self._defines, _NEARLY_AS_GOOD

    def _has_number(self, scored: ScoredUnit) -> bool:
        """Or announces it: the next unit then has it, and is told along."""
        units = scored.candidate.passage.units[scored.unit.place : scored.unit.place + 2]
        return any(self._asked.cues.found_in(unit.text) for unit in units)

    def _is_no_trouble(self, scored: ScoredUnit) -> bool:
        """Whether it tells how something is done; what is called an error tells how one is mended."""
        return self._language.answers.trouble.search(scored.candidate.found.chunk.section_title) is None

    def _is_history(self, scored: ScoredUnit) -> bool:
        """Whether it tells of an earlier version, and nobody asked for that."""
        answers, page = self._language.answers, scored.candidate.found.chunk.place.chapter_title
        is_history = answers.history_pages.fullmatch(page) is not None
        return is_history and answers.asked_of_history.search(self._asked.text) is None

    def _tells_kinds(self, scored: ScoredUnit) -> bool:
        chunk = scored.candidate.found.chunk
        told = f"{chunk.section_title}\n{chunk.quotes[scored.unit.first]}"
        names_them = bool(self._kinds_of & (scored.unit.terms | scored.candidate.passage.title))
        return names_them and self._language.answers.kinds.search(told) is not None

    def _has_rarest_word(self, scored: ScoredUnit) -> bool:
        """That of the question, in the unit or as a title."""
        weights = self._asked.weights
        rarest = max(sorted(weights), key=weights.__getitem__, default="")
        return rarest in scored.unit.terms | scored.candidate.passage.title

    def _says_what_it_is(self, scored: ScoredUnit) -> bool:
        """In its first sentence."""
        opening = scored.candidate.passage.sentences[scored.unit.first]
        return opening.tells and self._asked.cues.says_what_it_is(opening.text)

    def _defines(self, scored: ScoredUnit) -> bool:
        """What was asked for, or opens the section that is called so."""
        return self._opens_its_section(scored) or "definition" in self._asked.cues.found_in(scored.unit.text)

    def _opens_its_section(self, scored: ScoredUnit) -> bool:
        """Whether it opens the section that is called like most of what was asked, an acronym behind it apart."""
        if scored.unit.place > 0:
            return False
        title = self._language.term_set(_IN_BRACKETS.sub("", scored.candidate.found.chunk.section_title))
        is_its_title = bool(title) and title <= self._asked.terms
        return is_its_title and self._asked.share(title) >= _MOST_OF_WHAT_IS_ASKED

    def _adds(self, best: ScoredUnit, other: ScoredUnit) -> bool:
        """Whether another unit is nearly as good, and says something that the best does not.

        Beside one that likely answers, that is something of what was asked: anything else is noise to the reader.
        """
        if other.score < best.score - _NEARLY_AS_GOOD or UnitKind.CODE in (best.unit.kind, other.unit.kind):
            return False
        if best.probability >= UNSURE:
            return bool(self._told_of_question(other) - self._told_of_question(best))
        return not other.unit.terms <= best.unit.terms

    def _told_of_question(self, scored: ScoredUnit) -> frozenset[str]:
        return self._asked.terms & (scored.unit.terms | scored.candidate.passage.title)

    def of_all_sides(self, ranked: Sequence[ScoredUnit]) -> list[ScoredUnit]:
        """The units that name all things that are compared, and say enough to compare them."""
        if self._sides is None or not ranked:
            return []
        sides = self._sides
        near = _not_behind(ranked, _NOT_FAR_BEHIND)
        names = [(scored, scored.unit.terms | scored.candidate.passage.title) for scored in near]
        of_all = (scored for scored, terms in names if all(terms & side for side in sides))
        return [scored for scored in of_all if len(scored.unit.text) >= _COMPARES and self._can_answer(scored)]

    def _quote(self, scored: ScoredUnit) -> Quote:
        unit, passage = scored.unit, scored.candidate.passage
        first, last = self._range(unit, passage, scored.candidate.found.chunk)
        if first == unit.first:
            first = self._with_noun(unit, passage)
        return Quote(scored.candidate.found.chunk, first, last, scored.probability, scored.examined)

    def _range(self, unit: ReadUnit, passage: ReadPassage, chunk: Chunk) -> tuple[int, int]:
        if unit.is_glossary:
            return self._entry(unit, passage)
        match unit.kind:
            case UnitKind.PARAGRAPH | UnitKind.REPLY:
                first = unit.first if ":" in passage.sentences[unit.body - 1].text else unit.body
                return self._part_of_paragraph(first, unit.last, passage, chunk)
            case UnitKind.LIST | UnitKind.STEPS | UnitKind.RUN:
                return self._part_of_list(unit, passage, chunk)
            case UnitKind.TABLE:
                return self._part_of_table(unit, passage, chunk)
        return unit.first, unit.last

    def _entry(self, unit: ReadUnit, passage: ReadPassage) -> tuple[int, int]:
        """The entry of a glossary whose term is asked for, else the one with the best words: a term and its text."""
        sentences = passage.sentences
        terms = [at for at in range(unit.first, unit.last + 1) if sentences[at].role is Role.TERM]
        named = max(terms, key=lambda at: self._weight(self._asked.terms & sentences[at].terms), default=unit.first)
        best = named if self._asked.terms & sentences[named].terms else self._best(passage, unit.first, unit.last)
        first = max((at for at in terms if at <= best), default=best)
        last = min((at for at in terms if at > first), default=unit.last + 1) - 1
        return first, last

    def _part_of_paragraph(self, first: int, last: int, passage: ReadPassage, chunk: Chunk) -> tuple[int, int]:
        """What it tells, or its best sentence with what follows, as far as there is room."""
        telling = [at for at in range(first, last + 1) if passage.sentences[at].tells]
        first, last = telling[0], telling[-1]
        gives_account = self._wants_list or self._asked.cues.kind in (QuestionKind.HOW, QuestionKind.WHY)
        longest = _LONGEST_ACCOUNT if gives_account else _LONGEST_PARAGRAPH
        if len(text_between(chunk, first, last)) <= longest or self._sides is not None:
            return first, last
        start = end = self._best(passage, first, last)
        if start > first and self._language.passages.dependent.match(passage.sentences[start].text):
            start -= 1
        while end < last and len(text_between(chunk, start, end + 1)) <= _LONGEST_EXCERPT:
            end += 1
        return start, end

    @property
    def _longest_list(self) -> int:
        return _LONGEST_LIST_FOR_ONE if self._wants_one_thing and not self._wants_list else _LONGEST_LIST

    def _part_of_list(self, unit: ReadUnit, passage: ReadPassage, chunk: Chunk) -> tuple[int, int]:
        """All of it where that is not too long; else the best item, with all before it if that is little.

        Where what announces it answers best, as much of it as has room.
        """
        if len(unit.text) <= self._longest_list:
            return unit.first, unit.last
        best = self._best(passage, unit.first, unit.last)
        if self._wants_list or best < unit.body:
            return unit.first, _last_within(chunk, unit, self._longest_list)
        item = passage.sentences[best]
        last = item.group_last if unit.kind is UnitKind.RUN else best
        is_near = len(text_between(chunk, unit.first, last)) <= _LONGEST_RUN_UP
        return (unit.first, last) if is_near else (item.group_first if unit.kind is UnitKind.RUN else best, last)

    def _part_of_table(self, unit: ReadUnit, passage: ReadPassage, chunk: Chunk) -> tuple[int, int]:
        """The row that was asked for, which is shown under its header; else all rows, or as many as have room."""
        matched = self._rows.matched(unit, passage, chunk)
        if self._asked.cues.kind is QuestionKind.NUMBER:
            found_in = self._asked.cues.found_in
            matched = {row: t for row, t in matched.items() if found_in(passage.sentences[row].text)} or matched
        most = max((self._weight(terms) for terms in matched.values()), default=0.0)
        best = [row for row, terms in matched.items() if terms and self._weight(terms) == most]
        is_shared = self._weight(frozenset().union(*matched.values())) > most * _SHARED
        if best and not (is_shared or self._wants_list or self._sides) and best[-1] - best[0] < _ROWS_ASKED_FOR:
            return best[0], best[-1]
        if len(unit.text) <= self._longest_list:
            return unit.first, unit.last
        return unit.first, _last_within(chunk, unit, self._longest_list)

    def _weight(self, terms: frozenset[str]) -> float:
        return sum(self._asked.weights[term] for term in terms)

    def _best(self, passage: ReadPassage, first: int, last: int) -> int:
        """The sentence with the best words; one that only repeats the question gives way to the next."""

        def score(at: int) -> float:
            read = passage.sentences[at]
            repeats = read.terms <= self._asked.terms
            return self._scores.get(read.text, float("-inf")) if not repeats else float("-inf")

        return max(range(first, last + 1), key=score)

    def _with_noun(self, unit: ReadUnit, passage: ReadPassage) -> int:
        """A unit that opens with “it” is told with the short paragraph before it."""
        opening = passage.sentences[unit.first]
        if unit.place == 0 or not self._language.passages.dependent.match(opening.text):
            return unit.first
        before = passage.units[unit.place - 1]
        is_short = before.kind is UnitKind.PARAGRAPH and len(before.text) <= _LONGEST_NOUN and not before.is_title
        return before.first if is_short else unit.first


def _tells_in_words(unit: ReadUnit) -> bool:
    return unit.tells and unit.kind is not UnitKind.CODE and not (unit.is_title or unit.only_announces)


def _section(candidate: Candidate) -> tuple[str, str]:
    chunk = candidate.found.chunk
    return chunk.place.source_file, chunk.section


def _not_behind(ranked: Sequence[ScoredUnit], most: float) -> list[ScoredUnit]:
    return [scored for scored in ranked if scored.score >= ranked[0].score - most]


def _unless_far_behind(ranked: Sequence[ScoredUnit], better: Sequence[ScoredUnit]) -> Sequence[ScoredUnit]:
    """Those that would be better, because they are new or say more than the question, if they are good enough."""
    return better if better and better[0].score >= ranked[0].score - _NOT_FAR_BEHIND else ranked


def _not_much_worse(ranked: Sequence[ScoredUnit], better: Sequence[ScoredUnit]) -> Sequence[ScoredUnit]:
    return better if better and better[0].score >= ranked[0].score - _NOT_MUCH_BEHIND else ranked


def _last_within(chunk: Chunk, unit: ReadUnit, most: int) -> int:
    """The last sentence of the unit that ends within so many characters."""
    last = unit.body
    while last < unit.last and len(text_between(chunk, unit.first, last + 1)) <= most:
        last += 1
    return last

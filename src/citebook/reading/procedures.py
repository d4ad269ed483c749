"""Procedures whose steps are sections: “Step 1: Install the driver”, or “Install the driver” and so on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citebook.domain.book import Chunk
from citebook.language.languages import Language
from citebook.reading.passages import ReadPassage
from citebook.reading.quote import Quote
from citebook.reading.sentence_scoring import Asked

_LONGEST = 3_500
"""Characters of all steps that are told."""
_MOST = 5
_MUCH_OF_QUESTION = 0.25
_MUCH_MORE = 2.0


@dataclass(frozen=True, slots=True)
class _Step:
    number: int | None
    quote: Quote

    def follows(self, other: "_Step", chunks_behind: dict[str, str]) -> bool:
        """By number; or else as the next section of the page, with nothing between them that was not found."""
        if self.number is not None and other.number is not None:
            return self.number == other.number + 1
        last = other.quote.chunk.id
        while last in chunks_behind and chunks_behind[last] != self.quote.chunk.id:
            last = chunks_behind[last]
        return last in chunks_behind


def steps_around(quote: Quote, read: Sequence[tuple[Chunk, ReadPassage]], asked: Asked) -> list[Quote]:
    """The steps that the quotation is one of, or that stand below its section, in their order; none of one alone.

    Only what was found can be told: a run without a gap that the quoted step, or the first, stands in.
    """
    language, own = asked.language, quote.chunk.heading_path
    of_page = [one for one in read if one[0].place == quote.chunk.place]
    has_steps = any(chunk.heading_path[:-1] == own and _is_step(chunk, language) for chunk, _ in of_page)
    is_step = not has_steps and _is_step(quote.chunk, language)
    above = own[:-1] if is_step else own
    beside = [one for one in of_page if above and one[0].heading_path[:-1] == above]
    wanted = [one for one in beside if _is_wanted(one, quote, above, asked, is_step=is_step)]
    steps = _steps(sorted(wanted, key=lambda one: one[0].start), quote, language)
    at = next((at for at, step in enumerate(steps) if step.quote.chunk.section == quote.chunk.section), 0)
    run = _run(steps, at, _behind(read)) if steps else []
    return [step.quote for step in run] if len(run) > 1 else []


def _is_step(chunk: Chunk, language: Language) -> bool:
    answers = language.answers
    return any(form.fullmatch(chunk.section_title) for form in (answers.step_headings, answers.task_headings))


def _is_wanted(
    one: tuple[Chunk, ReadPassage], quote: Quote, above: Sequence[str], asked: Asked, *, is_step: bool
) -> bool:
    """Whether a step belongs to what is asked: by its own title where it is numbered; else all do, or none.

    All do where the title above them says much more of what is asked than that of the step which answers.
    """
    chunk, passage = one
    if chunk.section == quote.chunk.section:
        return True
    if not _is_step(chunk, asked.language):
        return False
    if _number_of(chunk, asked.language) is not None:
        return not is_step or bool(asked.terms & passage.title)
    of_all = asked.share(asked.terms & asked.language.term_set(above[-1]))
    own = asked.language.term_set(quote.chunk.section_title) if is_step else frozenset[str]()
    return of_all >= max(_MUCH_OF_QUESTION, _MUCH_MORE * asked.share(asked.terms & own))


def _steps(found: Iterable[tuple[Chunk, ReadPassage]], like: Quote, language: Language) -> list[_Step]:
    """The first chunk of each section, as far as it tells something."""
    begun: dict[str, _Step] = {}
    for chunk, passage in found:
        told = _told(chunk, passage, like) if chunk.section not in begun else None
        if told is not None:
            begun[chunk.section] = _Step(_number_of(chunk, language), told)
    return list(begun.values())


def _number_of(chunk: Chunk, language: Language) -> int | None:
    match = language.answers.step_headings.fullmatch(chunk.section_title)
    return next((int(group) for group in match.groups() if group), None) if match else None


def _told(chunk: Chunk, passage: ReadPassage, like: Quote) -> Quote | None:
    telling = [unit for unit in passage.units if unit.tells and not unit.is_title]
    if not telling:
        return None
    return replace(like, chunk=chunk, first=telling[0].first, last=telling[-1].last, headed=True)


def _behind(read: Iterable[tuple[Chunk, ReadPassage]]) -> dict[str, str]:
    """For each chunk that was found the one behind it, where that was found, too."""
    ids = {chunk.id for chunk, _ in read}
    return {chunk.id: chunk.after for chunk, _ in read if chunk.after in ids and chunk.after is not None}


def _run(steps: Sequence[_Step], at: int, chunks_behind: dict[str, str]) -> Sequence[_Step]:
    """Those that follow each other without a gap, from one on both ways while there is room."""
    first = last = at
    length = len(steps[at].quote.text)
    while last - first + 1 < _MOST:
        before = first > 0 and steps[first].follows(steps[first - 1], chunks_behind)
        after = last + 1 < len(steps) and steps[last + 1].follows(steps[last], chunks_behind)
        further = [*([first - 1] if before else []), *([last + 1] if after else [])]
        fits = [place for place in further if length + len(steps[place].quote.text) <= _LONGEST]
        if not fits:
            break
        length += len(steps[fits[0]].quote.text)
        first, last = min(first, fits[0]), max(last, fits[0])
    return steps[first : last + 1]

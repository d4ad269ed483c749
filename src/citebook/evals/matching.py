"""Which retrieved passages are right for a labelled question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citebook.domain.book import Chunk
from citebook.domain.language import sentence_spans, words
from citebook.evals.questions import LabelledQuestion

_ENOUGH_OF_A_PARAGRAPH = 0.5


@dataclass(frozen=True, slots=True)
class Ranking:
    """At which ranks the right results stand, and how many right results there are."""

    ranks: tuple[int, ...]
    right_results: int

    @property
    def first(self) -> int | None:
        return min(self.ranks, default=None)


def rank_right_results(question: LabelledQuestion, chunks: Sequence[Chunk]) -> Ranking:
    """Ranks count files where the gold is a file, sections where it is a section, else chunks."""
    golds = _golds(question)
    unit = _UNITS.get(question.gold_level, _chunk_unit)
    order: dict[object, int] = {}
    found: dict[int, int] = {}
    for chunk in chunks:
        rank = order.setdefault(unit(chunk), len(order) + 1)
        for number, is_right in enumerate(golds):
            if number not in found and is_right(chunk):
                found[number] = rank
    return Ranking(tuple(sorted(set(found.values()))), len(golds))


def _golds(question: LabelledQuestion) -> list[Callable[[Chunk], bool]]:
    if question.gold_level == "file":
        return [_in_file(question.gold_file)]
    if question.gold_level == "section":
        pairs = [(gold.get("file"), gold.get("heading")) for gold in question.gold_all]
        return [_in_section(*pair) for pair in pairs or [(question.gold_file, question.gold_heading)]]
    passages = [gold.get("content", "") for gold in question.gold_all]
    return [
        _holds_passage(question.gold_file, passage)
        for passage in passages or [question.gold_section_or_paragraph or ""]
    ]


def _in_file(gold_file: str | None) -> Callable[[Chunk], bool]:
    """Labels may name the file from a folder above the one that was ingested."""
    gold = f"/{gold_file or ''}"
    return lambda chunk: gold.endswith(f"/{chunk.place.source_file}")


def _in_section(gold_file: str | None, heading: str | None) -> Callable[[Chunk], bool]:
    in_file = _in_file(gold_file)
    gold = _folded(heading or "")
    return lambda chunk: in_file(chunk) and gold in {_folded(title) for title in chunk.heading_path}


def _holds_passage(gold_file: str | None, passage: str) -> Callable[[Chunk], bool]:
    """A chunk is right when it holds at least half of the passage, by whole sentences."""
    in_file = _in_file(gold_file)
    sentences = [_folded(passage[start:end]) for start, end in sentence_spans(passage)]
    total = sum(map(len, sentences))

    def holds(chunk: Chunk) -> bool:
        if not in_file(chunk):
            return False
        text = _folded(chunk.text)
        held = sum(len(sentence) for sentence in sentences if sentence in text)
        return total > 0 and held >= _ENOUGH_OF_A_PARAGRAPH * total

    return holds


def _folded(text: str) -> str:
    return " ".join(words(text))


def _file_unit(chunk: Chunk) -> object:
    return chunk.place.source_file


def _section_unit(chunk: Chunk) -> object:
    return chunk.place.source_file, chunk.section


def _chunk_unit(chunk: Chunk) -> object:
    return chunk.id


_UNITS: dict[str, Callable[[Chunk], object]] = {"file": _file_unit, "section": _section_unit}

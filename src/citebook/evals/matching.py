"""Which retrieved passages and which citations are right for a labelled question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citebook.domain.answer import Citation
from citebook.domain.book import Chunk, Edition
from citebook.evals.answer_metrics import contains_gold
from citebook.evals.questions import LabelledQuestion
from citebook.language.languages import Language
from citebook.language.text import words

_ENOUGH_OF_A_PARAGRAPH = 0.5
_WORDS_OF_A_SENTENCE = 3
"""What is shorter, such as the number of a list item, stands in many places by chance."""


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


def cites_gold_place(question: LabelledQuestion, citation: Citation, chunk: Chunk) -> bool:
    """Whether what is quoted, out of this chunk, stands in the gold file, section or passage."""
    if question.gold_level in _UNITS:
        return any(is_right(chunk) for is_right in _golds(question))
    if not names_file(question.gold_file, citation.source_file):
        return False
    return any(_share_a_sentence(citation.excerpt, passage, question.spoken) for passage in _gold_passages(question))


def quotes_gold_words(question: LabelledQuestion, citation: Citation) -> bool:
    """Whether what is quoted holds a gold answer, or a sentence that the label gives as its support."""
    return contains_gold(citation.excerpt, question.answers, question.spoken) or any(
        _share_a_sentence(citation.excerpt, sentence, question.spoken) for sentence in question.supporting_sentences
    )


def missing_gold(question: LabelledQuestion, edition: Edition) -> str | None:
    """The gold place that the book does not have: a file, or a heading of a file."""
    if not question.answerable:
        return None
    for file, heading in _gold_places(question):
        sources = [source for source in edition.files if names_file(file, source)]
        if not sources:
            return file
        chapters = [edition.files[source].chapter for source in sources]
        titles = {_folded(title) for chapter in chapters if chapter for title in (chapter.title, *chapter.sections)}
        if heading and question.gold_level == "section" and titles and _folded(heading) not in titles:
            return f"{file}, section “{heading}”"
    return None


def _gold_places(question: LabelledQuestion) -> list[tuple[str, str | None]]:
    places = [(gold.get("file") or question.gold_file, gold.get("heading")) for gold in question.gold_all]
    one_place = [(file, question.gold_heading) for file in question.gold_files]
    return [(file, heading) for file, heading in places or one_place if file]


def _golds(question: LabelledQuestion) -> list[Callable[[Chunk], bool]]:
    if question.gold_level == "file":
        return [_in_file(*question.gold_files)]
    if question.gold_level == "section":
        pairs = [(gold.get("file"), gold.get("heading")) for gold in question.gold_all]
        return [_in_section(*pair) for pair in pairs or [(question.gold_file, question.gold_heading)]]
    return [_holds_passage(question.gold_file, passage, question.spoken) for passage in _gold_passages(question)]


def _gold_passages(question: LabelledQuestion) -> list[str]:
    passages = [gold.get("content", "") for gold in question.gold_all]
    return passages or [question.gold_section_or_paragraph or ""]


def names_file(gold_file: str | None, source_file: str) -> bool:
    """Labels may name the file from a folder above the one that was ingested, or a whole folder of the book."""
    gold = gold_file or ""
    return f"/{gold}".endswith(f"/{source_file}") or (gold != "" and source_file.startswith(f"{gold}/"))


def _in_file(*gold_files: str | None) -> Callable[[Chunk], bool]:
    return lambda chunk: any(names_file(file, chunk.place.source_file) for file in gold_files)


def _in_section(gold_file: str | None, heading: str | None) -> Callable[[Chunk], bool]:
    in_file = _in_file(gold_file)
    gold = _folded(heading or "")
    return lambda chunk: in_file(chunk) and gold in {_folded(title) for title in chunk.heading_path}


def _holds_passage(gold_file: str | None, passage: str, language: Language) -> Callable[[Chunk], bool]:
    """A chunk is right when it holds at least half of the passage, by whole sentences."""
    in_file = _in_file(gold_file)
    sentences = [_folded(passage[start:end]) for start, end in language.sentence_spans(passage)]
    total = sum(map(len, sentences))

    def holds(chunk: Chunk) -> bool:
        if not in_file(chunk):
            return False
        text = _folded(chunk.text)
        held = sum(len(sentence) for sentence in sentences if sentence in text)
        return total > 0 and held >= _ENOUGH_OF_A_PARAGRAPH * total

    return holds


def _share_a_sentence(quoted: str, gold: str, language: Language) -> bool:
    """One of the two holds a whole sentence of the other, or is a part of it."""
    quoted_text, gold_text = f" {_folded(quoted)} ", f" {_folded(gold)} "
    pairs = ((quoted, gold_text), (gold, quoted_text))
    sentences = (
        (_folded(text[start:end]), other) for text, other in pairs for start, end in language.sentence_spans(text)
    )
    return any(
        len(sentence.split()) >= _WORDS_OF_A_SENTENCE and f" {sentence} " in other for sentence, other in sentences
    )


def _folded(text: str) -> str:
    return " ".join(words(text))


def _file_unit(chunk: Chunk) -> object:
    return chunk.place.source_file


def _section_unit(chunk: Chunk) -> object:
    return chunk.place.source_file, chunk.section


def _chunk_unit(chunk: Chunk) -> object:
    return chunk.id


_UNITS: dict[str, Callable[[Chunk], object]] = {"file": _file_unit, "section": _section_unit}

"""The outline of an edition, put together while it is made from its pages and the first chunk of each section."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic import TypeAdapter

from citebook.adapters.qdrant.points import quotations_of, section_texts_of, sentences_of
from citebook.domain.book import Chapter, Edition, Role, Sentence
from citebook.domain.outline import Outline, OutlinePage, OutlineSection, Place
from citebook.language.headings import plain_heading
from citebook.language.languages import Language

_FORM: TypeAdapter[Outline] = TypeAdapter(Outline)
_FEWEST_WORDS = 6
"""Of the first that a section tells; what is shorter is most likely a label."""
_MOST_CHARACTERS = 600
_BETWEEN_BLOCKS = "\n\n"
_SENTENCE_ENDS = (".", "!", "…", '"', "”", ")")


class OutlineInTheMaking:
    def __init__(self, language: Language) -> None:
        self._summaries = language.roles.summary_headings
        self._sections: defaultdict[str, list[tuple[int, OutlineSection]]] = defaultdict(list)
        """By source file, each with the place of its chunk."""

    def see(self, payload: Mapping[str, Any]) -> None:
        """Takes note of a chunk, new or carried over, by its payload; only one that sections are read with counts."""
        texts = section_texts_of(payload)
        name = (payload["section"], payload["section_title"])
        own = max((at for at, text in enumerate(texts) if (text["id"], text["title"]) == name), default=None)
        for at, text in enumerate(texts):
            section = self._section(text)
            section = _with_places(section, payload) if at == own and text["blocks"] else section
            self._sections[payload["source_file"]].append((payload["chunk_index"], section))

    def _section(self, text: Mapping[str, Any]) -> OutlineSection:
        is_summary = self._summaries.fullmatch(plain_heading(text["title"])) is not None
        return OutlineSection(title=text["title"], depth=text["depth"], is_summary=is_summary)

    def of(self, edition: Edition) -> bytes:
        """The outline of all that was seen, to be read by `read_outline`."""
        in_order = sorted(edition.files.items(), key=lambda item: item[1].order)
        partials: defaultdict[str, list[str]] = defaultdict(list)
        for name, file in in_order:
            if file.part_of is not None:
                partials[file.part_of].append(name)
        pages = (
            self._page(file.chapter, name, [name, *partials[name]])
            for name, file in in_order
            if file.chapter is not None
        )
        return _FORM.dump_json(Outline(edition.name, tuple(pages)), exclude_defaults=True)

    def _page(self, chapter: Chapter, source_file: str, files: Iterable[str]) -> OutlinePage:
        sections = (section for file in files for _, section in sorted(self._sections[file], key=lambda one: one[0]))
        return OutlinePage(
            id=chapter.id,
            source_file=source_file,
            title=chapter.title,
            parts=chapter.parts,
            number=chapter.number,
            description=chapter.description,
            sections=tuple(sections),
        )


def read_outline(kept: bytes, edition: str) -> Outline:
    """Raises `ValueError` where it is not what `OutlineInTheMaking` wrote."""
    return _FORM.validate_json(kept) if kept else Outline(edition)


def _with_places(section: OutlineSection, payload: Mapping[str, Any]) -> OutlineSection:
    """With what the first chunk of the section tells of it."""
    chunk_id, text = payload["content_hash"], payload["text"]
    sentences = sentences_of(payload["sentences"])
    blocks = [block for block in _blocks(text, sentences) if not sentences[block[0]].whole_block]

    def place(span: tuple[int, int] | None) -> Place | None:
        return Place(chunk_id, *span) if span else None

    return replace(
        section,
        opening=place(_opening(text, sentences, blocks, quotations_of(payload), may_be_list=section.is_summary)),
        announcement=place(_whole_run(sentences, Role.ANNOUNCEMENT)),
        objectives=place(_whole_run(sentences, Role.OBJECTIVE)),
    )


def _blocks(text: str, sentences: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
    """Paragraphs, lists and the like, each by its first and last sentence."""
    first = 0
    for index, sentence in enumerate(sentences):
        is_last = index + 1 == len(sentences)
        if is_last or _BETWEEN_BLOCKS in text[sentence.end : sentences[index + 1].start]:
            yield first, index
            first = index + 1


def _opening(
    text: str,
    sentences: Sequence[Sentence],
    blocks: Sequence[tuple[int, int]],
    apart: Sequence[tuple[int, int]],
    *,
    may_be_list: bool,
) -> tuple[int, int] | None:
    """The first paragraph that says something by itself, or what fits of it; what is set apart is second choice."""
    set_apart: tuple[int, int] | None = None
    for run in _runs(sentences, blocks, Role.TEXT):
        first, last = _short_enough(sentences, run)
        start, end = sentences[first].start, sentences[last].end
        is_prose = "\n" not in text[start:end] and text[start:end].endswith(_SENTENCE_ENDS)
        if len(text[start:end].split()) < _FEWEST_WORDS or not (is_prose or may_be_list):
            continue
        if not any(begin <= start < finish for begin, finish in apart):
            return first, last
        set_apart = set_apart or (first, last)
    return set_apart


def _runs(sentences: Sequence[Sentence], blocks: Iterable[tuple[int, int]], role: Role) -> Iterator[tuple[int, int]]:
    """Sentences of one role that follow each other in one block."""
    for first, last in blocks:
        for is_wanted, group in groupby(range(first, last + 1), key=lambda at: sentences[at].role is role):
            if is_wanted:
                run = list(group)
                yield run[0], run[-1]


def _whole_run(sentences: Sequence[Sentence], role: Role) -> tuple[int, int] | None:
    """The first sentences of a role that follow each other, through all blocks; as many as fit."""
    run = next(_runs(sentences, [(0, len(sentences) - 1)], role), None)
    return run and _short_enough(sentences, run)


def _short_enough(sentences: Sequence[Sentence], run: tuple[int, int]) -> tuple[int, int]:
    first, last = run
    while last > first and sentences[last].end - sentences[first].start > _MOST_CHARACTERS:
        last -= 1
    return first, last

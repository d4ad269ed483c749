"""The questions that the sections of a page may answer, made of their headings."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citebook.domain.book import Chunk
from citebook.domain.outline import Outline, OutlinePage
from citebook.language.languages import Language
from citebook.outlining.question_wording import QuestionWording
from citebook.outlining.structure import BookStructure
from citebook.pacing.workers import Workers
from citebook.ports import ChunkIndex


class CandidateQuestion(NamedTuple):
    question: str
    url: str
    """Of the section that it was made of."""
    section: str
    """Its title."""


class QuestionCandidates:
    """Of one edition. Pages are read when they are first wanted."""

    def __init__(self, index: ChunkIndex, outline: Outline, language: Language, workers: Workers) -> None:
        self._index, self.outline, self._language, self._workers = index, outline, language, workers
        self._known: dict[str, tuple[CandidateQuestion, ...]] = {}

    async def of(self, page: OutlinePage) -> tuple[CandidateQuestion, ...]:
        """In the order of the page, each once."""
        if page.source_file not in self._known:
            opening = await self._chunks([section.opening.chunk_id for section in page.sections if section.opening])
            beside = await self._index.chunks(self.outline.edition, _beside(opening))
            more = [found.chunk for found in beside.values()]
            made = await self._workers.run(_made, page, opening, more, self._language)
            self._known[page.source_file] = made
        return self._known[page.source_file]

    async def _chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        keys = list(dict.fromkeys(map(Chunk.key_of, chunk_ids)))
        found = (await self._index.chunks(self.outline.edition, keys)).values()
        return {one.chunk.id: one.chunk for one in found}

    def spread(self) -> Iterator[OutlinePage]:
        """All pages: first those that open the parts of the book, then the second ones, and so on."""
        parts = [unit.pages for unit in BookStructure(self.outline, self._language).top]
        rounds = (pages[at] for at in range(max(map(len, parts), default=0)) for pages in parts if at < len(pages))
        yield from dict.fromkeys((*self.outline.pages[:1], *rounds, *self.outline.pages))


def _beside(chunks: dict[str, Chunk]) -> list[str]:
    """What is read too, to see how the page uses the words of its headings."""
    read = {str(chunk.point_id) for chunk in chunks.values()}
    return [key for key in dict.fromkeys(key for one in chunks.values() for key in one.neighbours) if key not in read]


def _made(
    page: OutlinePage, chunks: dict[str, Chunk], more: Sequence[Chunk], language: Language
) -> tuple[CandidateQuestion, ...]:
    text = "\n".join(chunk.text for chunk in (*chunks.values(), *more))
    wording = QuestionWording(text, language)
    made: dict[frozenset[str], CandidateQuestion] = {}
    for section in page.sections:
        chunk = chunks.get(section.opening.chunk_id) if section.opening else None
        if section.opening is None or chunk is None or section.is_summary:
            continue
        title = section.title if section.depth else page.title
        opening = chunk.text[chunk.sentences[section.opening.first].start : chunk.sentences[section.opening.last].end]
        if question := wording.of(title, opening):
            made.setdefault(language.term_set(question), CandidateQuestion(question, chunk.url, title))
    return tuple(made.values())

"""The questions that a book answers under a heading of their own, taken from its outline."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citebook.domain.book import Chunk
from citebook.domain.frequent_questions import FrequentQuestion, FrequentQuestions
from citebook.domain.outline import Outline, OutlinePage, OutlineSection, Place
from citebook.language.languages import Language, language_of
from citebook.ports import ChunkIndex

_MOST = 8
_SENTENCES = 3
"""Of an answer, at most."""


class _Candidate(NamedTuple):
    title: str
    opening: Place


async def find_frequent_questions(index: ChunkIndex) -> FrequentQuestions:
    """Of the current edition; at most one of each page, spread over the book."""
    edition = await index.edition()
    outline, language = await index.outline(), language_of(edition.language)
    pages = [list(_candidates(page)) for page in outline.pages]
    chunks = await _chunks(index, outline, [candidate for page in pages for candidate in page])
    found = [_first_question(candidates, chunks, language) for candidates in pages]
    entries = [question for question in found if question is not None]
    return FrequentQuestions(edition=edition.name, entries=tuple(_spread(entries)))


def _candidates(page: OutlinePage) -> Iterator[_Candidate]:
    """What is under the page's own title is headed by it."""
    for section in page.sections:
        if section.opening is not None and not section.is_summary:
            yield _Candidate(_title(page, section), section.opening)


def _title(page: OutlinePage, section: OutlineSection) -> str:
    return section.title if section.depth else page.title


async def _chunks(index: ChunkIndex, outline: Outline, candidates: Sequence[_Candidate]) -> dict[str, Chunk]:
    keys = list(dict.fromkeys(Chunk.key_of(candidate.opening.chunk_id) for candidate in candidates))
    found = (await index.chunks(outline.edition, keys)).values()
    return {one.chunk.id: one.chunk for one in found}


def _first_question(
    candidates: Sequence[_Candidate], chunks: dict[str, Chunk], language: Language
) -> FrequentQuestion | None:
    """What something is, if the page says so; else what a title of it asks."""
    read = [(title, chunks[place.chunk_id], place) for title, place in candidates if place.chunk_id in chunks]
    for asked_by in (_definition, _asking_title):
        for title, chunk, place in read:
            answer = _opening(chunk, place)
            if (question := asked_by(title, answer, language)) is not None:
                return FrequentQuestion(question=question, answer=answer, url=chunk.url)
    return None


def _opening(chunk: Chunk, place: Place) -> str:
    last = min(place.last, place.first + _SENTENCES - 1)
    return chunk.text[chunk.sentences[place.first].start : chunk.sentences[last].end]


def _definition(title: str, answer: str, language: Language) -> str | None:
    """Where the title asks what something is, or the opening says so of what the title names."""
    guiding = language.guiding
    asking, defining = guiding.asking_titles.fullmatch(title), guiding.definitions.match(answer)
    if asking is not None:
        return title if title.endswith("?") else _asked(asking, asking["term"], language)
    if defining is None or language.terms(defining["term"]) != language.terms(title):
        return None
    return _asked(defining, _within(defining["term"]), language)


def _asked(found: re.Match[str], term: str, language: Language) -> str:
    words = language.guiding.words
    return (words.what_are if found["many"] else words.what_is).format(term=term)


def _asking_title(title: str, _answer: str, _language: Language) -> str | None:
    return title if title.endswith("?") else None


def _within(term: str) -> str:
    """As it stands within a sentence: a single capital at its beginning was that of the sentence."""
    return term[0].lower() + term[1:] if re.fullmatch(r"[A-Z][^A-Z]*", term) else term


def _spread(entries: Sequence[FrequentQuestion]) -> Iterator[FrequentQuestion]:
    """All of them, or as many as wanted from all over the book."""
    if len(entries) <= _MOST:
        yield from entries
    else:
        yield from (entries[at * len(entries) // _MOST] for at in range(_MOST))

"""Where in the book something is told: the best sections, each with its most telling sentence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk, Role
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.language.languages import Language

_LEAST_COVERED = 0.5
"""Share of the topic, by the weight of its terms, that the best section must have."""
_LEAST_IN_HEADING = 0.4
"""The same of its headings alone."""
_FAR_BEHIND = 0.6
"""A section whose share is less than this of the best one's is not worth naming."""
_HEADING = 0.5
"""What a topic in the heading is worth beside one in the text."""
_MOST_OF_A_PAGE = 2
_TELLING = (Role.TEXT, Role.DEFINITION)


class Found(NamedTuple):
    claims: list[Claim]
    covered: float
    """Share of the topic that the best section has."""


def find_sections(topic: str, evidence: QueryResult, language: Language, most: int) -> Found | None:
    """The best sections on a topic, best first; None where none has enough of it."""
    finder = _SectionFinder(topic, evidence, language)
    ranked = sorted(finder.sections(), key=lambda section: -section.score)
    if not ranked or not (ranked[0].covered >= _LEAST_COVERED or ranked[0].headed >= _LEAST_IN_HEADING):
        return None
    near = [section for section in ranked if section.score >= _FAR_BEHIND * ranked[0].score]
    return Found([finder.claim(section.chunk) for section in _few_of_each_page(near)[:most]], ranked[0].covered)


class _Section(NamedTuple):
    chunk: Chunk
    """Its best one."""
    score: float
    covered: float
    headed: float
    """Share of the topic that its headings have."""


def _few_of_each_page(sections: Sequence[_Section]) -> list[_Section]:
    seen: Counter[tuple[str, int | None]] = Counter()
    few: list[_Section] = []
    for section in sections:
        page = (section.chunk.place.source_file, section.chunk.page_start)
        seen[page] += 1
        if seen[page] <= _MOST_OF_A_PAGE:
            few.append(section)
    return few


class _SectionFinder:
    def __init__(self, topic: str, evidence: QueryResult, language: Language) -> None:
        self._language = language
        weights = evidence.term_weights
        self._weights = {term: weights.get(term, 1.0) for term in language.term_set(topic)}
        self._total = sum(self._weights.values()) or 1.0
        self._found = evidence.retrieved_chunks

    def sections(self) -> Iterator[_Section]:
        """Of a source with pages each page of a section is a place of its own."""
        seen: set[tuple[str, str, int | None]] = set()
        for found in self._found:
            section = (found.chunk.place.source_file, found.chunk.section, found.chunk.page_start)
            if section not in seen and _tells(found.chunk):
                seen.add(section)
                yield self._section(found)

    def _section(self, found: RetrievedChunk) -> _Section:
        heading = self._share(self._language.term_set(" ".join(found.chunk.heading_path)))
        covered = self._share(self._language.term_set(found.chunk.embedded_text))
        return _Section(found.chunk, found.deciding_score * covered + _HEADING * heading, covered, heading)

    def _share(self, terms: frozenset[str]) -> float:
        return sum(weight for term, weight in self._weights.items() if term in terms) / self._total

    def claim(self, chunk: Chunk) -> Claim:
        """The sentence that has most of the topic; the earliest of those."""
        place = max(_told(chunk), key=lambda at: (self._share(self._terms_of(chunk, at)), -at))
        text = chunk.quote(chunk.sentences[place])
        return Claim(text=text, chunk_id=chunk.id, first_sentence=place, last_sentence=place, headed=True)

    def _terms_of(self, chunk: Chunk, place: int) -> frozenset[str]:
        return self._language.term_set(chunk.quote(chunk.sentences[place]))


def _told(chunk: Chunk) -> Sequence[int]:
    """Sentences that tell more than the heading does; tables and code only where there is nothing else."""
    told = [
        at
        for at, sentence in enumerate(chunk.sentences)
        if sentence.role in _TELLING and chunk.quote(sentence) != chunk.section_title
    ]
    return [at for at in told if not chunk.sentences[at].whole_block] or told


def _tells(chunk: Chunk) -> bool:
    return bool(_told(chunk))

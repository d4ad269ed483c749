"""Finds sections while a reader types: by their titles first, then by their words.

The last word may be half there.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

from citebook.domain.book import Chunk, Role
from citebook.domain.evidence import SearchHits
from citebook.domain.outline import Outline
from citebook.domain.question import Filters
from citebook.domain.wording import Correction, Wording
from citebook.language.languages import Language, language_of
from citebook.language.lexicon import Lexicon
from citebook.pacing.workers import Workers
from citebook.ports import ChunkIndex
from citebook.searching.slips import distance
from citebook.searching.spelling import Speller

_MOST_WORDS = 12
"""Of what is typed; whoever types more asks a question."""
_COMPLETIONS = 6
"""Of a word that is half there, the most frequent ones."""
_LOOKED_THROUGH = 2_000
"""Words with the same beginning, of which those are taken."""
_SHORTEST_WITH_A_SLIP = 5
_ONE_SLIP = 0.9
_DEPTH = 24
_SPARE = 4
"""Chunks that are read beyond those that are shown: several may be of one section."""
_SNIPPET = 180
_IN_PAGE_TITLE = 0.4
"""What a word in the title of the page is worth beside one in the title of the section."""
_ONE_OF_SEVERAL = 0.5
_FAR_BEHIND = 0.6
"""A section that has less than this of what the best one has is not worth naming."""
_TELLING = (Role.TEXT, Role.DEFINITION)


class FoundSection(NamedTuple):
    title: str
    page: str
    part: str | None
    url: str
    snippet: str
    """Of the book's own words."""


class SectionsFound(NamedTuple):
    sections: list[FoundSection]
    corrections: tuple[Correction, ...] = ()


class SectionSearch:
    """Over the current edition of one book."""

    def __init__(self, index: ChunkIndex, workers: Workers) -> None:
        self._index, self._workers = index, workers
        self._known: _KnownEdition | None = None

    async def prepare(self) -> None:
        """Reads the words and titles of the current edition, which the first search else has to do."""
        await self._edition()

    async def find(self, typed: str, most: int) -> SectionsFound:
        """At most so many sections, the best first."""
        known = await self._edition()
        looked_for = await self._workers.run(known.looked_for, typed)
        if not looked_for.words:
            return SectionsFound([])
        titled = await self._workers.run(known.titled, looked_for, most)
        hits = await self._index.search(looked_for.terms, None, Filters(), _DEPTH)
        keys = [*(Chunk.key_of(chunk_id) for chunk_id in titled), *_best_keys(hits, most + _SPARE)]
        read = await self._index.chunks(known.edition, list(dict.fromkeys(keys)))
        chunks = [read[key].chunk for key in dict.fromkeys(keys) if key in read]
        weighing = _Weighing(looked_for, hits.term_weights, known.language)
        sections = await self._workers.run(_shown, chunks[: len(titled)], chunks[len(titled) :], weighing)
        return SectionsFound(sections[:most], looked_for.corrections)

    async def _edition(self) -> "_KnownEdition":
        wording = await self._index.wording()
        if self._known is None or self._known.edition != wording.edition:
            outline = await self._index.outline()
            self._known = await self._workers.run(_KnownEdition, wording, outline)
        return self._known


class _LookedFor(NamedTuple):
    words: list[frozenset[str]]
    """For each word that was typed, the words of the book that it may stand for."""
    terms: list[str]
    corrections: tuple[Correction, ...]


class _KnownEdition:
    """The words and titles of an edition, ready to be searched."""

    def __init__(self, wording: Wording, outline: Outline) -> None:
        self.edition, self.language = wording.edition, language_of(wording.language)
        self._words, self._speller = Lexicon(wording.words), Speller(wording, self.language)
        self._titles = _Titles(outline, self.language)

    def looked_for(self, typed: str) -> _LookedFor:
        is_half_there = typed[-1:].isalnum()
        whole, _, last = typed.rpartition(" ") if is_half_there else (typed, "", "")
        completions = self._completions(last)
        if last and not completions:
            whole, last = typed, ""
        spelled = self._speller.spell(whole)
        words = [frozenset({word}) for word in islice(self.language.words(spelled.text), _MOST_WORDS)]
        telling = [group for group in words if not group <= self.language.stop_words] or words
        telling += [completions] if completions else []
        terms = (term for group in telling for word in sorted(group) for term in self.language.terms(word))
        return _LookedFor(telling, list(dict.fromkeys(terms)), spelled.corrections)

    def _completions(self, last: str) -> frozenset[str]:
        """The most frequent words of the book that begin so, and those of titles; the word itself, if it is one."""
        letters = next(iter(self.language.words(last)), "")
        if not letters:
            return frozenset()
        found = islice(self._words.beginning_with(letters), _LOOKED_THROUGH)
        frequent = nlargest(_COMPLETIONS, found, key=lambda entry: (entry.word == letters, entry.frequency))
        completions = {entry.word for entry in frequent} | set(self._titles.beginning_with(letters))
        return frozenset(completions or self._with_a_slip(letters))

    def _with_a_slip(self, letters: str) -> Iterator[str]:
        """Words that would begin so, were it not for one slip behind the second letter."""
        if len(letters) < _SHORTEST_WITH_A_SLIP:
            return
        for entry in islice(self._words.beginning_with(letters[:2]), _LOOKED_THROUGH):
            beginnings = (entry.word[:length] for length in range(len(letters) - 1, len(letters) + 2))
            if any(distance(letters, beginning, _ONE_SLIP) <= _ONE_SLIP for beginning in beginnings):
                yield entry.word

    def titled(self, looked_for: _LookedFor, most: int) -> list[str]:
        """The ids of the chunks that open sections whose titles have all that was typed, the best first."""
        return self._titles.best(looked_for.words, most)


class _Title(NamedTuple):
    chunk_id: str
    words: int
    """How many it has."""


class _Titles:
    def __init__(self, outline: Outline, language: Language) -> None:
        self._language = language
        self._titles: list[_Title] = []
        self._by_word: dict[str, dict[int, float]] = {}
        for page in outline.pages:
            of_page = {key for word in language.words(page.title) for key in self._keys(word)}
            for section in page.sections:
                if section.opening is not None:
                    self._add(section.title or page.title, section.opening.chunk_id, of_page)
        self._sorted = sorted(word for word in self._by_word if not word.startswith(_STEM))

    def _add(self, title: str, chunk_id: str, of_page: Iterable[str]) -> None:
        words, number = list(self._language.words(title)), len(self._titles)
        self._titles.append(_Title(chunk_id, len(words)))
        for key in of_page:
            self._by_word.setdefault(key, {})[number] = _IN_PAGE_TITLE
        for key in (key for word in words for key in self._keys(word)):
            self._by_word.setdefault(key, {})[number] = 1.0

    def _keys(self, word: str) -> Iterator[str]:
        """A word is found as it is and by its stem."""
        yield word
        yield from (_STEM + term for term in self._language.terms(word))

    def beginning_with(self, letters: str) -> list[str]:
        first = bisect_left(self._sorted, letters)
        found = self._sorted[first : first + _COMPLETIONS]
        return [word for word in found if word.startswith(letters)]

    def best(self, words: Sequence[frozenset[str]], most: int) -> list[str]:
        scores = [self._scores(group) for group in words]
        everywhere = set.intersection(*(set(found) for found in scores)) if scores else set()
        in_title = [number for number in everywhere if any(found[number] == 1.0 for found in scores)]
        best = nlargest(most, in_title, key=lambda number: self._rank(number, scores))
        return list(dict.fromkeys(self._titles[number].chunk_id for number in best))

    def _scores(self, group: frozenset[str]) -> Mapping[int, float]:
        """How well each title has one of these words."""
        found: dict[int, float] = {}
        for key in (key for word in group for key in self._keys(word)):
            for number, score in self._by_word.get(key, {}).items():
                found[number] = max(score, found.get(number, 0.0))
        return found

    def _rank(self, number: int, scores: Sequence[Mapping[int, float]]) -> tuple[float, int]:
        """What the title has of the words, and how little else; the earlier first."""
        had = sum(found[number] for found in scores)
        return had / len(scores) + had / max(self._titles[number].words, len(scores)), -number


_STEM = "\0"
"""In front of a stem, so that it is no word."""


def _best_keys(hits: SearchHits, most: int) -> list[str]:
    best = sorted(hits.hits, key=lambda hit: -(hit.bm25 or 0.0))
    return [hit.key for hit in best[:most]]


class _Weighing:
    """How much a passage has of what was looked for."""

    def __init__(self, looked_for: _LookedFor, weights: Mapping[str, float], language: Language) -> None:
        self.looked_for, self._weights, self.language = looked_for, weights, language

    def of(self, chunk: Chunk) -> float:
        """The telling words count more, and what is only one way to go on with a word counts half."""
        had = self.language.term_set(chunk.embedded_text)
        return sum(self._of_word(group, had) for group in self.looked_for.words)

    def _of_word(self, group: frozenset[str], had: frozenset[str]) -> float:
        terms = {term for word in group for term in self.language.terms(word)}
        found = max((self._weights.get(term, 0.0) for term in terms & had), default=0.0)
        return found if len(terms) == 1 else found * _ONE_OF_SEVERAL


def _shown(titled: Sequence[Chunk], others: Sequence[Chunk], weighing: _Weighing) -> list[FoundSection]:
    """A section for each chunk, each once: those with the title, then those that have most of the words."""
    weighed = sorted(((weighing.of(chunk), chunk) for chunk in others), key=lambda one: -one[0])
    near = [chunk for weight, chunk in weighed if weight >= _FAR_BEHIND * weighed[0][0]]
    words, language = weighing.looked_for.words, weighing.language
    sections: dict[str, FoundSection] = {}
    for chunk in titled:
        sections.setdefault(chunk.url, _section(chunk, _snippet(chunk, (), language)))
    for chunk in near:
        sections.setdefault(chunk.url, _section(chunk, _snippet(chunk, words, language)))
    return list(sections.values())


def _section(chunk: Chunk, snippet: str) -> FoundSection:
    place = chunk.place
    return FoundSection(chunk.section_title, place.chapter_title, place.category, chunk.url, snippet)


def _snippet(chunk: Chunk, words: Sequence[frozenset[str]], language: Language) -> str:
    """The sentence that has most of the words, and the first of those."""
    told = [sentence for sentence in chunk.sentences if sentence.role in _TELLING] or chunk.sentences
    quotes = [" ".join(chunk.quote(sentence).split()) for sentence in told]

    def had(quote: str) -> int:
        own = set(language.words(quote))
        return sum(not own.isdisjoint(group) for group in words)

    return _cut(max(quotes, key=had, default=""))


def _cut(text: str) -> str:
    if len(text) <= _SNIPPET:
        return text
    return text[:_SNIPPET].rsplit(" ", 1)[0] + " …"

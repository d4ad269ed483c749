"""What an answer has shown of the book so far, so that it says nothing twice."""

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.language.languages import Language

_MOSTLY = 0.7
"""Of the terms of a sentence: a claim that has so many leaves nothing worth quoting."""


class Shown:
    """Sentences of the book by their chunk and number: those that were quoted, and those that were told in words."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._quoted: set[tuple[str, int]] = set()
        self._told: set[tuple[str, int]] = set()
        self._touched: set[tuple[str, int]] = set()
        """Those of which anything was shown."""
        self._words: set[str] = set()

    def says(self, claim: Claim) -> bool:
        """Whether a reader has read these words, or all of the quote that they reword."""
        return claim.text in self._words or self._quoted.issuperset(_places(claim))

    def rest(self, claim: Claim) -> Claim | None:
        """The claim with the sentences of its quote that are new to a reader; None where none is."""
        new = [number for place, number in _places(claim) if not self._has(place, number)]
        return _from(claim, new[0], new[-1]) if new else None

    def with_noun(self, claim: Claim, chunk: Chunk) -> Claim:
        """The claim with the sentence before its quote, where that begins with “it” and nothing says what it is."""
        first = claim.first_sentence
        if not first or (chunk.id, first - 1) in self._touched:
            return claim
        before, sentence = chunk.sentences[first - 1 : first + 1]
        is_parted = "\n" in chunk.text[before.end : sentence.start] or before.whole_block
        leans = self._language.passages.dependent.match(chunk.text[sentence.start : sentence.end])
        return _from(claim, first - 1, claim.last_sentence) if leans and not is_parted else claim

    def _has(self, chunk_id: str, number: int) -> bool:
        return (chunk_id, number) in self._quoted or (chunk_id, number) in self._told

    def quote(self, claim: Claim) -> None:
        """Remembers that its quote is shown."""
        self._quoted.update(_places(claim))
        self._touched.update(_places(claim))

    def tell(self, claim: Claim, chunk: Chunk) -> None:
        """Remembers that its words are shown."""
        self._words.add(claim.text)
        self._touched.update(_places(claim))
        said = self._language.term_set(claim.text)
        for number in range(claim.first_sentence, claim.last_sentence + 1):
            sentence = chunk.sentences[number]
            terms = self._language.term_set(chunk.text[sentence.start : sentence.end])
            if len(terms & said) >= _MOSTLY * len(terms):
                self._told.add((chunk.id, number))


def _places(claim: Claim) -> list[tuple[str, int]]:
    return [(claim.chunk_id, number) for number in range(claim.first_sentence, claim.last_sentence + 1)]


def _from(claim: Claim, first: int, last: int) -> Claim:
    return claim.model_copy(update={"first_sentence": first, "last_sentence": last})

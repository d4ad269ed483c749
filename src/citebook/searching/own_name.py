"""The name of what a whole book is about says nothing about where in it an answer stands: “… in Helix?”"""

from citebook.domain.wording import Wording
from citebook.language.languages import Language
from citebook.language.lexicon import Lexicon

_IN_SO_MANY = 0.25
"""Share of a book's chunks, measured by its commonest word, that have the name of its subject."""


class OwnName:
    """Knows what stands all over one edition."""

    def __init__(self, wording: Wording, language: Language) -> None:
        self.edition, self._words, self._language = wording.edition, Lexicon(wording.words), language
        self._most = max((self._count(word) for word in language.stop_words), default=0)

    def left_out(self, text: str) -> str:
        """The question without that name, where it stands behind a preposition; as it was if nothing is left."""
        for match in self._language.questions.within_subject.finditer(text):
            shorter = text[: match.start()] + text[match.end() :]
            if self._is_everywhere(match["before"] or match["behind"]) and self._language.terms(shorter):
                return shorter
        return text

    def _is_everywhere(self, name: str) -> bool:
        word = "".join(self._language.words(name))
        return word not in self._language.stop_words and 0 < _IN_SO_MANY * self._most <= self._count(word)

    def _count(self, word: str) -> int:
        return next((entry.frequency for entry in self._words.beginning_with(word) if entry.word == word), 0)

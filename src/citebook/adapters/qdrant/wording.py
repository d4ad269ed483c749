"""What an edition keeps of its words as they are written, counted while it is made."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from citebook.language.languages import Language
from citebook.language.lexicon import Lexicon


class WordingInTheMaking:
    def __init__(self, language: Language) -> None:
        self._language = language
        self._chunks: Counter[str] = Counter()

    def see(self, payload: Mapping[str, Any]) -> None:
        """Takes note of a chunk, new or carried over, by its payload."""
        written = " ".join([payload["chapter_title"], *payload["section_path"], payload["text"]])
        self._chunks.update(set(self._language.words(written)))

    def words(self) -> bytes:
        return Lexicon.of_counts(self._chunks.items()).lines

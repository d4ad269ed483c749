"""What a replay finds: the evidence of a recorded answer next to what its question finds today."""

from enum import StrEnum

from citebook.domain.answer import Citation
from citebook.domain.audit import AuditRecord
from citebook.domain.book import Chunk
from citebook.domain.value import Value


class CitedText(StrEnum):
    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    KEPT = "kept"
    """The book is gone, but not its text: the database has it, letter for letter as it was ingested."""


class CitationCheck(Value):
    """What became of a cited text."""

    citation: Citation
    state: CitedText
    found: Chunk | None = None
    """Where it, or the text that stands in its place, is today."""
    text_now: str | None = None
    """What stands in its place, where it changed."""


class PassageState(StrEnum):
    SAME = "same"
    OTHER_RANK = "other rank"
    OUTRANKED = "outranked"
    CHANGED = "changed"
    VANISHED = "vanished"
    NEW = "new"
    KEPT = "kept"
    """The book is gone, the text is not."""


class PassageCheck(Value):
    """What became of a retrieved passage, or a passage that is retrieved only today."""

    state: PassageState
    chunk_id: str | None = None
    """Of what was retrieved then."""
    source_file: str
    section: str
    rank_then: int | None = None
    rank_now: int | None = None
    score_then: float | None = None
    score_now: float | None = None
    text_then: str | None = None
    """Where the book no longer has it, and the database does."""


class Replay(Value):
    """The difference between a recorded answer's evidence and what its question finds today."""

    record: AuditRecord
    edition_now: str | None
    passages: tuple[PassageCheck, ...]
    citations: tuple[CitationCheck, ...]

    @property
    def cited_text_changed(self) -> bool:
        return any(check.state in (CitedText.CHANGED, CitedText.GONE) for check in self.citations)

    @property
    def is_same(self) -> bool:
        same = all(check.state is PassageState.SAME for check in self.passages)
        return same and all(check.state is CitedText.SAME for check in self.citations)

    @property
    def reason(self) -> str:
        """Why it differs, or why it does not."""
        if self.edition_now is None:
            return "The book is gone: this was checked against the text of it that the database keeps."
        if self.edition_now == self.record.edition:
            if self.is_same:
                return "The edition is the same, and so is what it gives."
            return "The edition is the same: the settings of the search, or the program, were changed since."
        if self.is_same:
            return "The book has a new edition, which has the same passages for this question."
        if any(check.state in (PassageState.CHANGED, PassageState.VANISHED) for check in self.passages):
            return "The book was changed: passages that the answer rested on are different or gone."
        return "The book was changed elsewhere: passages of this question have other neighbours or another rank."

"""Sentences of a page before they stand in a chunk."""

from typing import NamedTuple

from citebook.ingestion.page import TextBlock


class Span(NamedTuple):
    """A sentence, or what like a sentence is never cut, at [start, end) of a block's text."""

    block: TextBlock
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.block.content.text[self.start : self.end]

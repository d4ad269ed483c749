"""A quotation on its way into an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.layout import NodeKind
from citebook.domain.units import text_between


@dataclass(frozen=True, slots=True)
class Quote:
    """A range of a passage's sentences."""

    chunk: Chunk
    first: int
    last: int
    score: float
    examined: float | None = None
    headed: bool = False
    """Whether the title of its section is shown above it."""

    @property
    def opens_with_list(self) -> bool:
        """And so with nothing that says what its items are."""
        start = self.chunk.sentences[self.first].start
        return any(node.kind is NodeKind.LIST and node.start <= start < node.end for node in self.chunk.layout.nodes)

    @property
    def text(self) -> str:
        return text_between(self.chunk, self.first, self.last)

    @property
    def ends_in_colon(self) -> bool:
        """And so announces something, unless it ends in code."""
        end = self.chunk.sentences[self.last].end
        is_code = any(node.kind is NodeKind.CODE and node.start < end <= node.end for node in self.chunk.layout.nodes)
        return self.text.endswith(":") and not is_code

    @property
    def source_start(self) -> int:
        """Where it begins in its file."""
        return self.chunk.sentences[self.first].source_start

    @property
    def source_end(self) -> int:
        return self.chunk.sentences[self.last].source_end

    def takes_in(self, other: "Quote") -> bool:
        """Whether the other overlaps this one, or follows it within the same paragraph or list."""
        if self.chunk.id != other.chunk.id or other.first > self.last + 1:
            return False
        if other.first <= self.last:
            return other.last >= self.first
        sentences = self.chunk.sentences
        return not self.chunk.text[sentences[self.last].end : sentences[other.first].start].strip(" ")

    def joined(self, other: "Quote") -> "Quote":
        first, last = min(self.first, other.first), max(self.last, other.last)
        examined = max((one for one in (self.examined, other.examined) if one is not None), default=None)
        headed = self.headed or other.headed
        return replace(
            self, first=first, last=last, score=max(self.score, other.score), examined=examined, headed=headed
        )


def claims_of(quotes: Sequence[Quote]) -> list[Claim]:
    """In their order; those that touch each other as one."""
    joined: list[Quote] = []
    for quote in quotes:
        touched = next((at for at, told in enumerate(joined) if told.takes_in(quote)), None)
        if touched is None:
            joined.append(quote)
        else:
            joined[touched] = joined[touched].joined(quote)
    before = (None, *joined)
    return [_claim(quote, told) for quote, told in zip(joined, before, strict=False)]


def _claim(quote: Quote, before: Quote | None) -> Claim:
    """A list without a line that says what its items are is shown under its title, unless that was told before."""
    goes_on = before is not None and (before.chunk.id, before.chunk.section) == (
        quote.chunk.before,
        quote.chunk.section,
    )
    return Claim(
        text=quote.text,
        chunk_id=quote.chunk.id,
        first_sentence=quote.first,
        last_sentence=quote.last,
        score=quote.score,
        examined=quote.examined,
        headed=quote.headed or (quote.opens_with_list and not goes_on),
    )

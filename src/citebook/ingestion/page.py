"""A page as a reader sees it: sections of blocks of visible text, and what each stretch of that text is."""

from dataclasses import dataclass, field
from typing import Any

from citebook.domain.layout import NodeKind
from citebook.ingestion.mapped_text import MappedText


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A list, an item, a table, a row or a quotation; `value` is that of its `Node`."""

    kind: NodeKind
    number: int
    value: int = 0


@dataclass(frozen=True, slots=True)
class Leaf:
    """The stretch [start, end) of a block's text that is one paragraph, cell, code or formula."""

    kind: NodeKind
    number: int
    start: int
    end: int
    containers: tuple[Container, ...] = ()
    """All that it stands in, the outermost first."""
    language: str = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """One paragraph, list, table, code block or formula: a chunk has a blank line between two of them.

    What stands in a list or table and is kept to the letter, such as code, is a block of its own, and so is the rest
    of that list or table. Its leaves know what they stand in.
    """

    kind: NodeKind
    content: MappedText
    leaves: tuple[Leaf, ...]
    page_number: int | None = None


def paragraph_block(content: MappedText, number: int, page_number: int | None = None) -> TextBlock:
    leaf = Leaf(NodeKind.PARAGRAPH, number, 0, len(content.text))
    return TextBlock(NodeKind.PARAGRAPH, content, (leaf,), page_number)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next heading of any level."""

    title: str
    anchor: str
    level: int
    path: tuple[str, ...]
    """Titles from the page's top heading down to this section's own."""
    heading: MappedText | None
    blocks: tuple[TextBlock, ...]


@dataclass(frozen=True, slots=True)
class ParsedPage:
    title: str | None
    front_matter: dict[str, Any] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    imports: dict[str, str] = field(default_factory=dict)
    """Partial pages that this page shows: component name to import path."""

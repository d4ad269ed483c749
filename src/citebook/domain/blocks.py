"""What a page or an answer says, as a tree: paragraphs, lists, tables, code, formulas and quotations."""

from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field

from citebook.domain.value import Value

Mark = Literal["strong", "emphasis", "code", "formula"]
MARKS: tuple[Mark, ...] = get_args(Mark)


class _Told(Value):
    """A part of a tree; clients are promised all its fields."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Inline(_Told):
    """A run of text that is set in one way; one with the mark `formula` is TeX without its dollars."""

    text: str = Field(min_length=1)
    marks: tuple[Mark, ...] = ()


class Paragraph(_Told):
    kind: Literal["paragraph"] = "paragraph"
    text: tuple[Inline, ...]


class ListBlock(_Told):
    kind: Literal["list"] = "list"
    ordered: bool
    start: int | None
    """Number of the first item; None where items have no numbers."""
    items: tuple[tuple["Block", ...], ...]


class Table(_Told):
    kind: Literal["table"] = "table"
    header: tuple[tuple[Inline, ...], ...]
    """One entry a cell; empty where the table has no header."""
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


class Code(_Told):
    kind: Literal["code"] = "code"
    language: str
    """As the page names it; empty where it does not."""
    text: str


class Formula(_Told):
    """A formula that stands by itself, in TeX."""

    kind: Literal["formula"] = "formula"
    text: str


class Quotation(_Told):
    """What the page sets apart: a quotation, a note or a warning."""

    kind: Literal["quotation"] = "quotation"
    blocks: tuple["Block", ...]


Block = Annotated[Paragraph | ListBlock | Table | Code | Formula | Quotation, Field(discriminator="kind")]

ListBlock.model_rebuild()
Quotation.model_rebuild()


def plain_paragraph(text: str) -> Paragraph:
    """Text that is set in no way."""
    return Paragraph(text=(Inline(text=text),) if text else ())


class AnswerPart(_Told):
    """What an answer says on the strength of one source."""

    blocks: tuple[Block, ...]
    citation: int | None
    """Position of the source; None where nothing is claimed."""

"""Writes runs of text as Markdown in which the book's own characters mean nothing but themselves."""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from citebook.domain.blocks import Inline

_ACTIVE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)"  # a backslash that would escape something
    r"|`|\$"
    r"|(?<!\s)\*|\*(?!\s)"  # a star between spaces is a star
    r"|(?<![^\W_])_|_(?![^\W_])"  # and so is an underscore in a word
    r"|~(?=~)|(?<=\S)~"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?[0-9A-Za-z]{1,32};)"
    r"|\](?=[(\[:])|(?<=\[[ xX])\]"  # the end of a link, its definition, a box to tick
    r"|(?<=\[\d)\]|(?<=\[\d\d)\]|(?<=\[\d\d\d)\]"  # what looks like the marker of a source
    r"|:(?=//)|(?<=[wW]{3})\."  # addresses, of which some renderers make links by themselves
)
_OPENS_A_BLOCK = re.compile(
    r"(#{1,6}(?=\s|$)|>|[-+](?=[\s-]|$)|:::"
    r"|\[(?=.*(?<!\\)\]:))"  # a definition of a link ends its name even inside of code
    r"|\d{1,9}(?=[.)](?:\s|$))"
)
_ACTIVE_IN_TEX = re.compile(r"<(?=[A-Za-z/!?])|\](?=[(\[:])")
_BACKTICKS = re.compile("`+")
_SPACE = re.compile(r"\s+")
_DELIMITERS = {"strong": "**", "emphasis": "*"}


class _Piece(NamedTuple):
    text: str
    style: str
    """Its stars: none, `*`, `**` or `***`."""
    kind: str
    """`code`, `formula`, or nothing."""


_SPACE_PIECE = _Piece(" ", "", "")


def markdown_of_text(text: str) -> str:
    """Text of the book within a line of ours, such as a title."""
    return _escaped(text)


def markdown_of_line(runs: Sequence[Inline]) -> str:
    """Text that may open a line."""
    text = markdown_of_runs(runs)
    opening = _OPENS_A_BLOCK.match(text)
    if not opening:
        return text
    at = 0 if opening[1] else opening.end()
    return f"{text[:at]}\\{text[at:]}"


def markdown_of_runs(runs: Sequence[Inline]) -> str:
    pieces = list(_pieces(runs))
    while pieces and pieces[0] == _SPACE_PIECE:
        del pieces[0]
    while pieces and pieces[-1] == _SPACE_PIECE:
        del pieces[-1]
    written = ""
    for style, same in groupby(_clearly_set(_folded(pieces)), key=lambda piece: piece.style):
        written += f"{style}{_written(same)}{style}"
    return written


def inert_tex(tex: str) -> str:
    """TeX that is no HTML and no link even where nobody knows TeX; spaces mean nothing in it."""
    return _ACTIVE_IN_TEX.sub(r"\g<0> ", tex)


def fits_between_dollars(tex: str) -> bool:
    """Whether it has no dollar that would end it; and no backtick, which opens code where nobody knows TeX."""
    return "$" not in tex.replace(r"\$", "") and "`" not in tex and not tex.endswith("\\")


def longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _pieces(runs: Iterable[Inline]) -> Iterator[_Piece]:
    """White space at the edges of what is emphasised stands outside of the stars."""
    for run in runs:
        style = "".join(_DELIMITERS[mark] for mark in run.marks if mark in _DELIMITERS)
        kind = next((mark for mark in run.marks if mark not in _DELIMITERS), "")
        core = run.text.strip()
        if run.text[:1].isspace():
            yield _SPACE_PIECE
        if core:
            yield _Piece(_SPACE.sub(" ", core), style, kind)
        if core and run.text[-1].isspace():
            yield _SPACE_PIECE


def _folded(pieces: Iterable[_Piece]) -> list[_Piece]:
    """Neighbours that are set alike made one; a space between two of one style is of that style too."""
    around = [_SPACE_PIECE, *pieces, _SPACE_PIECE]
    styled = [
        piece._replace(style=before.style) if piece == _SPACE_PIECE and before.style == after.style else piece
        for before, piece, after in zip(around, around[1:], around[2:], strict=False)
    ]
    folded: list[_Piece] = []
    for (style, kind), same in groupby(styled, key=lambda piece: piece[1:]):
        if kind == "formula":
            folded.extend(same)
        else:
            folded.append(_Piece(_SPACE.sub(" ", "".join(piece.text for piece in same)), style, kind))
    return folded


def _clearly_set(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Without stars that a reader of Markdown could take for anything else: those that touch a word or each other."""
    edges = ["", *(piece.text for piece in pieces), ""]
    styles = ["", *(piece.style for piece in pieces), ""]
    dropped: set[int] = set()
    for first, last in _style_groups(pieces):
        before, after = edges[first][-1:], edges[last + 2][:1]
        touches = styles[first] or styles[last + 2] or not (_is_edge(before) and _is_edge(after))
        dropped |= set(range(first, last + 1)) if touches else set()
    plain = [piece._replace(style="") if at in dropped else piece for at, piece in enumerate(pieces)]
    return _folded(plain) if dropped else plain


def _style_groups(pieces: Sequence[_Piece]) -> Iterator[tuple[int, int]]:
    """Where pieces of one style begin and end."""
    first = 0
    for style, same in groupby(pieces, key=lambda piece: piece.style):
        count = len(list(same))
        if style:
            yield first, first + count - 1
        first += count


def _is_edge(character: str) -> bool:
    if not character or character.isspace() or character in string.punctuation:
        return True
    return unicodedata.category(character).startswith("P")


def _written(pieces: Iterable[_Piece]) -> str:
    written = ""
    for piece in pieces:
        match piece.kind:
            case "code":
                written += _code_span(piece.text)
            case "formula":
                formula = _formula(piece.text)
                written += f" {formula}" if written.endswith("$") and formula.startswith("$") else formula
            case _:
                text = _escaped(piece.text)
                written += f" {text}" if written.endswith("$") and text[:1].isdigit() else text
    return written


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text)


def _code_span(text: str) -> str:
    fence = "`" * (longest_backticks(text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _formula(tex: str) -> str:
    """Between single dollars, or as plain text where these could not hold it."""
    return f"${inert_tex(tex)}$" if fits_between_dollars(tex) else _escaped(tex)

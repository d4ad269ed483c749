"""Writes a section as Markdown for readers: its visible text, set as the author set it, and no machinery."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.page import Block, BlockKind, Mark, MarkKind, Run, Section

_Piece = tuple[str, MarkKind | None]

_SPECIAL = re.compile(r"[\\`*<$~]|\](?=[(\[:])|(?<=\[[ xX])\]|&(?=[#A-Za-z])|(?<![^\W_])_|_(?![^\W_])")
"""A bracket is escaped only where it could end a link or a box to tick: many readers take `\\[` for maths."""
_OPENS_BLOCK = re.compile(r"[#>+:=-]")
_OPENS_NUMBERED_ITEM = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")
_LIST_MARKER = re.compile(r"([-*+•]|\d{1,9}[.)])\s+(?=\S)")
_BACKTICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_DELIMITERS = {MarkKind.STRONG: "**", MarkKind.EMPHASIS: "*"}
_FIRST_TO_LAST = (MarkKind.CODE, MarkKind.MATH, MarkKind.STRONG, MarkKind.EMPHASIS)
_INDENT = 2
"""Spaces for each level of a list in visible text."""


class MarkdownWriter:
    """Writes the sections of one page."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        self._marks = _MarkMap(marks)

    def write(self, section: Section) -> str:
        """Markdown without the section's heading."""
        parts: list[str] = []
        for is_quoted, blocks in groupby(section.blocks, key=lambda block: block.is_quoted):
            written = "\n\n".join(filter(None, map(self._block, blocks)))
            parts.append(_quoted(written) if is_quoted else written)
        return "\n\n".join(filter(None, parts))

    def _block(self, block: Block) -> str:
        runs = block.content.runs
        match block.kind:
            case BlockKind.CODE:
                return _fenced(block.content.text, block.language)
            case BlockKind.MATH:
                return f"$$\n{block.content.text.strip()}\n$$"
            case BlockKind.TABLE:
                return self._table([_split(line, " | ") for line in _split(runs, "\n")])
            case BlockKind.LIST:
                return self._list(_split(runs, "\n"))
            case _:
                return "\n".join(self._line(line) for line in _split(runs, "\n"))

    def _table(self, rows: Sequence[Sequence[Sequence[Run]]]) -> str:
        width = max(len(row) for row in rows)
        lines = [[self._inline(cell).replace("|", r"\|") for cell in row] for row in rows]
        lines = [[*line, *([""] * (width - len(line)))] for line in lines]
        lines.insert(1, ["---"] * width)
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _list(self, lines: Sequence[Sequence[Run]]) -> str:
        """Items keep their numbers; a line without a marker goes on with the item above it."""
        items = [_ListLine.of(line) for line in lines]
        has_markers = any(item.marker for item in items) or len(items) == 1
        written: list[str] = []
        widths: list[int] = []
        for item in items:
            marker = item.marker if has_markers else "- "
            depth = item.depth if has_markers else max(0, item.depth - 1)
            text = " " * sum(widths[:depth]) + marker + self._line(item.runs)
            if marker:
                widths[depth:] = [len(marker)]
            elif written:
                written.append("")
            written.append(text)
        return "\n".join(written)

    def _line(self, runs: Sequence[Run]) -> str:
        """Text that opens a line, where some characters would mean more than themselves."""
        text = self._inline(runs)
        if _OPENS_BLOCK.match(text):
            return f"\\{text}"
        return _OPENS_NUMBERED_ITEM.sub(r"\1\\", text, count=1) if _OPENS_NUMBERED_ITEM.match(text) else text

    def _inline(self, runs: Sequence[Run]) -> str:
        """Text with what is set apart in it; without that where it would not be read as it is meant."""
        pieces = [piece for run in runs for piece in self._marks.pieces(run)]
        merged = [("".join(text for text, _ in same), kind) for kind, same in groupby(pieces, key=lambda p: p[1])]
        text = "".join(run.text for run in runs)
        written = "".join(_set_apart(*piece) for piece in merged).strip()
        return written if _is_plain(merged) or _shows(written, text) else _escaped(text).strip()


class _MarkMap:
    """Which mark counts at each place of a page; of several the first in precedence."""

    def __init__(self, marks: Iterable[Mark]) -> None:
        changes: dict[int, Counter[MarkKind]] = defaultdict(Counter)
        for mark in marks:
            changes[mark.start][mark.kind] += 1
            changes[mark.end][mark.kind] -= 1
        self._edges = sorted(changes)
        self._kinds: list[MarkKind | None] = []
        active: Counter[MarkKind] = Counter()
        for edge in self._edges:
            for kind, change in changes[edge].items():
                active[kind] += change
            self._kinds.append(next((kind for kind in _FIRST_TO_LAST if active[kind] > 0), None))

    def pieces(self, run: Run) -> Iterator[_Piece]:
        if len(run.text) != run.end - run.start:
            yield run.text, self._kind_before(bisect_right(self._edges, run.start))
            return
        at, index = run.start, bisect_right(self._edges, run.start)
        while at < run.end:
            edge = min(run.end, self._edges[index]) if index < len(self._edges) else run.end
            yield run.text[at - run.start : edge - run.start], self._kind_before(index)
            at, index = edge, index + 1

    def _kind_before(self, index: int) -> MarkKind | None:
        return self._kinds[index - 1] if index else None


class _ListLine:
    """One line of a list: how deep it stands, its marker with a space where it has one, and its text."""

    def __init__(self, depth: int, marker: str, runs: Sequence[Run]) -> None:
        self.depth, self.marker, self.runs = depth, marker, runs

    @classmethod
    def of(cls, line: Sequence[Run]) -> "_ListLine":
        text = "".join(run.text for run in line)
        indent = len(text) - len(text.lstrip(" "))
        found = _LIST_MARKER.match(text, indent)
        sign = found[1] if found else ""
        marker = f"{sign if sign[:1].isdigit() else '-'} " if sign else ""
        return cls(indent // _INDENT, marker, _without_first(line, found.end() if found else indent))


def _without_first(runs: Sequence[Run], count: int) -> list[Run]:
    kept: list[Run] = []
    for run in runs:
        cut = min(count, len(run.text))
        count -= cut
        is_exact = len(run.text) == run.end - run.start
        if cut < len(run.text):
            kept.append(Run(run.text[cut:], run.start + cut if is_exact else run.start, run.end))
    return kept


def _split(runs: Sequence[Run], edge: str) -> list[list[Run]]:
    """The runs between those that stand for nothing in the source but an edge."""
    parts: list[list[Run]] = [[]]
    for run in runs:
        if run.text == edge and run.start == run.end:
            parts.append([])
        else:
            parts[-1].append(run)
    return parts


def _is_plain(pieces: Sequence[_Piece]) -> bool:
    """Whether all emphasis lies around whole words, so that no reader of Markdown can take it for anything else."""
    texts = [" ", *(text for text, _ in pieces), " "]
    return all(
        text[:1].isalnum() and text[-1:].isalnum() and not before[-1].isalnum() and not after[0].isalnum()
        for before, (text, kind), after in zip(texts, pieces, texts[2:], strict=False)
        if kind in _DELIMITERS
    ) and not any(a[1] in _DELIMITERS and b[1] in _DELIMITERS for a, b in pairwise(pieces))


def _set_apart(text: str, kind: MarkKind | None) -> str:
    inner = text.strip()
    if kind is None or not inner:
        return _escaped(text)
    if kind is MarkKind.MATH:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if kind is MarkKind.CODE:
        return before + _code_span(inner) + after
    return f"{before}{_DELIMITERS[kind]}{_escaped(inner)}{_DELIMITERS[kind]}{after}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _code_span(text: str) -> str:
    fence = "`" * (_longest_backticks(text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, _longest_backticks(text) + 1)
    name = language if _LANGUAGE.fullmatch(language) else ""
    body = text.strip("\n")
    return f"{fence}{name}\n{body}\n{fence}"


def _longest_backticks(text: str) -> int:
    return max((len(ticks) for ticks in _BACKTICKS.findall(text)), default=0)


def _quoted(markdown: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def _shows(markdown: str, text: str) -> bool:
    """Whether our own reader sees just this text in the Markdown."""
    try:
        page = parse_mdx(markdown, mdx=False)
    except MalformedPage:
        return False
    shown = " ".join(block.content.text for section in page.sections for block in section.blocks)
    return shown.split() == text.split()

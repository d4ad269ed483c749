"""Puts visible text together into blocks and sections."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from citebook.domain.blocks import MARKS, Mark
from citebook.domain.layout import BODY, CAPTION, HEADER, NodeKind
from citebook.ingestion.anchors import Slugger
from citebook.ingestion.mapped_text import MappedText, TextRun, fold_spaces, join_runs
from citebook.ingestion.page import Container, Leaf, Section, TextBlock
from citebook.ingestion.scripts import OpenScripts, Script

_DEEPEST = 16
"""Lists, items and quotations in each other; what is nested deeper is told as if it were not."""


class TextLine:
    """One line of a block: what stands before it (indent, list marker) and its cells (one, but in tables)."""

    def __init__(self, containers: tuple[Container, ...], prefix: Sequence[TextRun] = ()) -> None:
        self.containers = containers
        self.prefix = list(prefix)
        self.cells: list[list[TextRun]] = [[]]
        self.header_cells = 0

    @property
    def is_header(self) -> bool:
        return self.header_cells == len(self.cells)

    def fold_spaces(self) -> bool:
        """Folds the white space of each cell; says whether anything is left."""
        self.cells = [fold_spaces(cell) for cell in self.cells]
        return any(self.cells)

    def pieces(self) -> Iterator[tuple[list[TextRun], bool]]:
        """Its runs in order; with those of a cell goes True."""
        if self.prefix:
            yield self.prefix, False
        at = self.prefix[-1].end if self.prefix else next(cell[0].start for cell in self.cells if cell)
        for index, cell in enumerate(self.cells):
            if index:
                yield [TextRun(" | ", at, at)], False
            yield cell, True
            at = cell[-1].end if cell else at


class BlockBuilder:
    """Collects runs into the blocks of one section after another."""

    def __init__(self) -> None:
        self.blocks: list[TextBlock] = []
        self._lines: list[TextLine] = []
        self._line: TextLine | None = None
        self._containers: list[Container] = []
        """All that is open, the outermost first."""
        self._marks: Counter[Mark] = Counter()
        """How often each is open."""
        self._scripts = OpenScripts()
        self._captions = 0
        """How many are open."""
        self._list_depth = 0
        self._table_depth = 0
        self._too_deep = 0
        """How many more are open than are told."""
        self._at = 0
        self._count = 0

    @property
    def line_is_empty(self) -> bool:
        return self._line is None

    def add(self, runs: Iterable[TextRun]) -> None:
        """Text for the line that is being written."""
        runs = self._set(runs)
        if not runs or (self.line_is_empty and all(run.text.isspace() for run in runs)):
            return
        if self._line is None:
            self._line = TextLine(self._around(), self._indent(runs[0].start, self._list_depth))
        self._line.cells[-1] += runs
        self._at = runs[-1].end

    def gap(self) -> None:
        """A space where the markup sets things apart."""
        if self._line is not None:
            self._line.cells[-1] += self._set([TextRun(" ", self._at, self._at)])

    def open_mark(self, mark: Mark) -> None:
        """The text from here to `close_mark`, or to the end of its line, is set in this way."""
        self._marks[mark] += 1

    def close_mark(self, mark: Mark) -> None:
        self._marks[mark] = max(0, self._marks[mark] - 1)

    def open_caption(self) -> None:
        """The text from here to `close_caption` belongs to a figure."""
        self._captions += 1

    def close_caption(self) -> None:
        self._captions = max(0, self._captions - 1)

    def open_script(self, script: Script, start: int) -> None:
        """The text from here to `close_script`, on the same line, is raised or lowered."""
        self._scripts.open(script, start, len(self._line.cells[-1]) if self._line else 0)

    def close_script(self, end: int) -> None:
        if self._line is not None:
            self._scripts.close(self._line.cells[-1], end)

    def end_paragraph(self) -> None:
        if self._table_depth:
            self.gap()
        elif self._list_depth:
            self._end_line()
        else:
            self._finish()

    def add_block(self, kind: NodeKind, runs: list[TextRun], language: str = "") -> None:
        """A block that is kept to the letter; a list or table around it goes on after it."""
        self._finish()
        content = MappedText(join_runs(runs))
        text = content.text
        if text.strip():
            around = tuple(container for container in self._around() if container.kind is not NodeKind.TABLE)
            start, end = len(text) - len(text.lstrip("\n")), len(text.rstrip())
            leaf = Leaf(kind, self._next_number(), start, end, around, language)
            self.blocks.append(TextBlock(kind, content, (leaf,)))

    def open_quote(self) -> None:
        self._open(NodeKind.QUOTATION)

    def close_quote(self) -> None:
        """A list that began in the quotation may go on after it."""
        self._close(NodeKind.QUOTATION, with_contents=False)

    def open_list(self, *, ordered: bool) -> None:
        if self._list_depth or self._table_depth:
            self.end_paragraph()
        else:
            self._finish()
        self._list_depth += 1
        self._open(NodeKind.LIST, int(ordered))

    def open_item(self, marker: Sequence[TextRun] = (), number: int = 1) -> None:
        """The number counts for the first item of a list only: others are one more than the item before."""
        self.end_paragraph()
        around = self._innermost(NodeKind.LIST)
        if around is not None and not self._too_deep:
            before = self._containers[around + 1 : around + 2]
            del self._containers[around + 1 :]
            self._push(NodeKind.ITEM, before[0].value + 1 if before else number)
        if marker and not self._table_depth:
            self._line = TextLine(self._around(), [*self._indent(marker[0].start, self._list_depth - 1), *marker])

    def close_list(self) -> None:
        self.end_paragraph()
        if self._list_depth == 1 and not self._table_depth:
            self._finish()
        self._list_depth = max(0, self._list_depth - 1)
        self._close(NodeKind.LIST)

    def open_table(self) -> None:
        if not self._table_depth:
            self._finish()
            self._push(NodeKind.TABLE)
        self._table_depth += 1

    def open_row(self) -> None:
        self._end_line()

    def open_cell(self, *, header: bool) -> None:
        if self._line is None:
            self._line = TextLine(self._around())
            self._line.cells = []
        self._line.cells.append([])
        self._line.header_cells += header
        self._end_settings()

    def close_table(self) -> None:
        if self._table_depth == 1:
            self._finish()
            del self._containers[self._innermost(NodeKind.TABLE) :]
        self._table_depth = max(0, self._table_depth - 1)

    def take_blocks(self) -> tuple[TextBlock, ...]:
        """All blocks so far; whatever is still open ends here."""
        self._finish()
        self._list_depth = self._table_depth = self._too_deep = self._captions = 0
        self._containers = [one for one in self._containers if one.kind is NodeKind.QUOTATION]
        blocks, self.blocks = tuple(self.blocks), []
        return blocks

    def _open(self, kind: NodeKind, value: int = 0) -> None:
        if len(self._containers) >= _DEEPEST:
            self._too_deep += 1
        else:
            self._push(kind, value)

    def _push(self, kind: NodeKind, value: int = 0) -> None:
        """A list has nothing but items."""
        if kind is not NodeKind.ITEM and self._containers and self._containers[-1].kind is NodeKind.LIST:
            self._containers.append(Container(NodeKind.ITEM, self._next_number(), 1))
        self._containers.append(Container(kind, self._next_number(), value))

    def _close(self, kind: NodeKind, *, with_contents: bool = True) -> None:
        """Ends the innermost of a kind."""
        at = self._innermost(kind)
        if self._too_deep:
            self._too_deep -= 1
        elif at is not None:
            del self._containers[at : None if with_contents else at + 1]

    def _innermost(self, kind: NodeKind) -> int | None:
        """Where it stands among what is open; nothing in a table ends a list around it."""
        for at in range(len(self._containers) - 1, -1, -1):
            if self._containers[at].kind is kind:
                return at
            if self._containers[at].kind is NodeKind.TABLE and kind is NodeKind.LIST:
                return None
        return None

    def _around(self) -> tuple[Container, ...]:
        """What a line stands in. A table is told flat, whatever stands in its cells."""
        table = self._innermost(NodeKind.TABLE)
        around = self._containers[:table]
        if around and around[-1].kind is NodeKind.LIST:
            around.append(Container(NodeKind.ITEM, self._next_number(), 1))
        return tuple(around if table is None else [*around, self._containers[table]])

    def _set(self, runs: Iterable[TextRun]) -> list[TextRun]:
        marks = tuple(mark for mark in MARKS if self._marks[mark])
        if not marks and not self._captions:
            return list(runs)
        return [replace(run, marks=marks, is_caption=self._captions > 0) for run in runs]

    def _next_number(self) -> int:
        self._count += 1
        return self._count

    def _end_line(self) -> None:
        if self._line is not None and self._line.fold_spaces():
            self._lines.append(self._line)
        self._line = None
        self._end_settings()

    def _end_settings(self) -> None:
        self._marks.clear()
        self._scripts.clear()

    def _finish(self) -> None:
        self._end_line()
        if self._lines:
            kind = NodeKind.PARAGRAPH
            if self._table_depth or self._list_depth:
                kind = NodeKind.TABLE if self._table_depth else NodeKind.LIST
            self.blocks.append(self._block(kind, self._lines))
        self._lines = []

    def _block(self, kind: NodeKind, lines: Sequence[TextLine]) -> TextBlock:
        runs: list[TextRun] = []
        leaves: list[Leaf] = []
        length = 0
        for line, row in zip(lines, _row_values(lines), strict=True):
            leaf_kind, containers = NodeKind.PARAGRAPH, line.containers
            if kind is NodeKind.TABLE:
                leaf_kind = NodeKind.CELL
                containers = (*containers, Container(NodeKind.ROW, self._next_number(), row))
            if runs:
                runs.append(TextRun("\n", runs[-1].end, runs[-1].end))
                length += 1
            for piece, is_cell in line.pieces():
                end = length + sum(len(run.text) for run in piece)
                if is_cell:
                    leaves.append(Leaf(leaf_kind, self._next_number(), length, end, containers))
                runs += piece
                length = end
        return TextBlock(kind, MappedText(runs), tuple(leaves))

    @staticmethod
    def _indent(at: int, depth: int) -> list[TextRun]:
        return [TextRun("  " * depth, at, at)] if depth > 0 else []


def _row_values(lines: Sequence[TextLine]) -> list[int]:
    """Whether each line of a table is a caption, the header or of its body; of several headers the last counts."""
    first = next((at for at, line in enumerate(lines) if line.is_header), None)
    if first is None or any(len(line.cells) > 1 for line in lines[:first]):
        return [BODY] * len(lines)
    last = next((at for at in range(first, len(lines)) if not lines[at].is_header), first + 1) - 1
    return [CAPTION] * last + [HEADER] + [BODY] * (len(lines) - last - 1)


class PageBuilder(BlockBuilder):
    """Collects blocks into sections."""

    def __init__(self, title: str | None) -> None:
        super().__init__()
        self.title = title
        self.sections: list[Section] = []
        self._slugger = Slugger()
        self._has_heading = False
        self._heading: tuple[int, MappedText | None, str] = (0, None, "")
        self._ancestors: list[tuple[int, str]] = [(0, title)] if title else []

    def open_heading(self) -> None:
        """The text from here to `close_heading` is a heading; the section before it ends."""
        self._close_section()

    def close_heading(self, level: int, raw_title: str, explicit_id: str | None) -> None:
        runs = [run for block in self.take_blocks() for run in block.content.runs]
        heading = MappedText(fold_spaces(runs))
        anchor = self.use_anchor(raw_title, explicit_id)
        if level == 1 and not self._has_heading:  # the title of the page: a link to it is the page itself
            anchor = ""
            self._ancestors = []
        if not self._has_heading and (level == 1 or not self.sections):
            self.title = self.title or heading.text or None
        self._has_heading = True
        while self._ancestors and self._ancestors[-1][0] >= level:
            self._ancestors.pop()
        self._ancestors.append((level, heading.text))
        self._heading = (level, heading, anchor)

    def use_anchor(self, raw_title: str, explicit_id: str | None) -> str:
        """The anchor of a heading; one that opens no section uses up its anchor all the same."""
        return explicit_id or self._slugger.anchor_for(raw_title)

    def finished(self) -> tuple[Section, ...]:
        self._close_section()
        return tuple(self.sections)

    def _close_section(self) -> None:
        blocks = self.take_blocks()
        level, heading, anchor = self._heading
        if not blocks and heading is None:
            return
        path = tuple(title for _, title in self._ancestors)
        title = heading.text if heading else self.title or ""
        self.sections.append(Section(title, anchor, level, path, heading, blocks))

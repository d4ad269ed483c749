"""Puts visible text together into blocks and sections."""

import re
from collections.abc import Iterable, Sequence

from citebook.ingestion.anchors import Slugger
from citebook.ingestion.page import Block, BlockKind, MappedText, Run, Section

_SPACE = re.compile(r"\s+")


class _Line:
    """One line of a block: what stands before it (indent, list marker) and its cells (one, but in tables)."""

    def __init__(self, prefix: Sequence[Run] = ()) -> None:
        self.prefix = list(prefix)
        self.cells: list[list[Run]] = [[]]

    def runs(self) -> list[Run]:
        cells = [fold_spaces(cell) for cell in self.cells]
        if not any(cells):
            return []
        runs = list(self.prefix)
        at = runs[-1].end if runs else next(cell[0].start for cell in cells if cell)
        for index, cell in enumerate(cells):
            if index:
                runs.append(Run(" | ", at, at))
            runs += cell
            at = cell[-1].end if cell else at
        return runs


class BlockBuilder:
    """Collects runs into the blocks of one section after another."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._lines: list[list[Run]] = []
        self._line: _Line | None = None
        self._list_depth = 0
        self._table_depth = 0
        self._quote_depth = 0
        self._at = 0

    @property
    def line_is_empty(self) -> bool:
        return self._line is None

    def add(self, runs: Iterable[Run]) -> None:
        """Text for the line that is being written."""
        runs = list(runs)
        if not runs or (self.line_is_empty and all(run.text.isspace() for run in runs)):
            return
        if self._line is None:
            self._line = _Line(self._indent(runs[0].start, self._list_depth))
        self._line.cells[-1] += runs
        self._at = runs[-1].end

    def gap(self) -> None:
        """A space where the markup sets things apart."""
        if self._line is not None:
            self._line.cells[-1].append(Run(" ", self._at, self._at))

    def end_paragraph(self) -> None:
        if self._table_depth:
            self.gap()
        elif self._list_depth:
            self._end_line()
        else:
            self._finish()

    def add_block(self, kind: BlockKind, runs: list[Run], language: str = "") -> None:
        """A block that is kept to the letter; a list or table around it goes on after it."""
        self._finish()
        content = MappedText(join_runs(runs))
        if content.text.strip():
            self.blocks.append(Block(kind, content, is_quoted=self._quote_depth > 0, language=language))

    def open_quote(self) -> None:
        self._quote_depth += 1

    def close_quote(self) -> None:
        self._quote_depth = max(0, self._quote_depth - 1)

    def open_list(self) -> None:
        if self._list_depth or self._table_depth:
            self.end_paragraph()
        else:
            self._finish()
        self._list_depth += 1

    def open_item(self, marker: Sequence[Run] = ()) -> None:
        self.end_paragraph()
        if marker and not self._table_depth:
            self._line = _Line([*self._indent(marker[0].start, self._list_depth - 1), *marker])

    def close_list(self) -> None:
        self.end_paragraph()
        if self._list_depth == 1 and not self._table_depth:
            self._finish()
        self._list_depth = max(0, self._list_depth - 1)

    def open_table(self) -> None:
        if not self._table_depth:
            self._finish()
        self._table_depth += 1

    def open_row(self) -> None:
        self._end_line()

    def open_cell(self) -> None:
        if self._line is None:
            self._line = _Line()
            self._line.cells = []
        self._line.cells.append([])

    def close_table(self) -> None:
        if self._table_depth == 1:
            self._finish()
        self._table_depth = max(0, self._table_depth - 1)

    def take_blocks(self) -> tuple[Block, ...]:
        """All blocks so far; whatever is still open ends here."""
        self._finish()
        self._list_depth = self._table_depth = 0
        blocks, self.blocks = tuple(self.blocks), []
        return blocks

    def _end_line(self) -> None:
        if self._line is not None:
            runs = self._line.runs()
            if runs:
                self._lines.append(runs)
        self._line = None

    def _finish(self) -> None:
        self._end_line()
        if self._lines:
            kind = BlockKind.PROSE
            if self._table_depth or self._list_depth:
                kind = BlockKind.TABLE if self._table_depth else BlockKind.LIST
            content = MappedText(_joined_lines(self._lines))
            self.blocks.append(Block(kind, content, is_quoted=self._quote_depth > 0))
        self._lines = []

    @staticmethod
    def _indent(at: int, depth: int) -> list[Run]:
        return [Run("  " * depth, at, at)] if depth > 0 else []


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
            self.title = self.title or heading.text or None
            self._ancestors = []
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


def fold_spaces(runs: Iterable[Run]) -> list[Run]:
    """The runs with each stretch of white space as one space, and none at either end."""
    joiner = _RunJoiner()
    for run in runs:
        for piece in _folded(run):
            if joiner.last_character in ("", " ") and piece.text.startswith(" "):
                piece = _part(piece, 1, len(piece.text))
            if piece.text:
                joiner.add(piece)
    folded = joiner.joined()
    if folded and folded[-1].text.endswith(" "):
        last = folded.pop()
        if len(last.text) > 1:
            folded.append(_part(last, 0, len(last.text) - 1))
    return folded


def join_runs(runs: Iterable[Run]) -> list[Run]:
    """The runs, neighbours that follow each other in the source made one."""
    joiner = _RunJoiner()
    for run in runs:
        joiner.add(run)
    return joiner.joined()


class _RunJoiner:
    """Makes one run of those that follow each other, in time that grows with their length alone."""

    def __init__(self) -> None:
        self.last_character = ""
        self._runs: list[Run] = []
        self._texts: list[str] = []
        self._start = self._end = 0

    def add(self, run: Run) -> None:
        self.last_character = run.text[-1:]
        is_exact = len(run.text) == run.end - run.start
        if not (self._texts and is_exact and self._end == run.start):
            self._end_run()
            self._start = run.start
        if is_exact:
            self._texts.append(run.text)
            self._end = run.end
        else:
            self._runs.append(run)

    def joined(self) -> list[Run]:
        self._end_run()
        return self._runs

    def _end_run(self) -> None:
        if self._texts:
            self._runs.append(Run("".join(self._texts), self._start, self._end))
        self._texts = []


def _folded(run: Run) -> Iterable[Run]:
    start = 0
    for match in _SPACE.finditer(run.text):
        if match.group() == " ":
            continue
        if len(run.text) != run.end - run.start:
            yield Run(_SPACE.sub(" ", run.text), run.start, run.end)
            return
        piece = _part(run, start, match.start() + 1)
        yield Run(piece.text[:-1] + " ", piece.start, piece.end)
        start = match.end()
    yield _part(run, start, len(run.text)) if start else run


def _part(run: Run, start: int, end: int) -> Run:
    if len(run.text) != run.end - run.start:
        return Run(run.text[start:end], run.start, run.end)
    return Run(run.text[start:end], run.start + start, run.start + end)


def _joined_lines(lines: list[list[Run]]) -> list[Run]:
    joined = list(lines[0])
    for line in lines[1:]:
        joined.append(Run("\n", joined[-1].end, joined[-1].end))
        joined += line
    return joined

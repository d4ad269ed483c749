"""Block rules for what is no text at all: imports and exports, JSX tags, expressions, comments."""

import re

from markdown_it.rules_block import StateBlock

from citebook.ingestion.script_scanner import (
    UNCLOSED,
    Tag,
    TooDeep,
    expression_end,
    module_end,
    read_tag,
    skip_blanks,
)
from citebook.ingestion.source_text import MalformedPage, SourceText

_ESM_IN_MDX = re.compile(r"(?:import|export)(?=[\s{*\"'])")
_ESM_IN_MARKDOWN = re.compile(
    r"import\s+(?:[\w$*{][\w\s{},*$]{0,500}\sfrom\s+)?['\"][^'\"\n]+['\"];?[ \t]*(?:\n|$)"
    r"|export\s+(?:default|const|let|function|class|async)\s"
)

_COMMENTS = {"{/*": "*/}", "<!--": "-->"}
_Items = list[Tag | tuple[int, int]]


def malformed(state: StateBlock, line: int, reason: str) -> MalformedPage:
    page: SourceText = state.env["page"]
    return MalformedPage(page.file_line(page.line_range(line)[0]), reason)


def line_start(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def hide(state: StateBlock, start_line: int, next_line: int, kind: str = "hidden") -> None:
    token = state.push(kind, "", 0)
    token.map = [start_line, next_line]
    state.line = next_line


def push_text(state: StateBlock, line: int, start: int, end: int, *, is_title: bool) -> None:
    """A short paragraph that is the range [start, end) of one line; a title is set in bold."""
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content = state.src[start:end]
    token.map = [line, line + 1]
    token.meta = {"range": (start, end), "is_title": is_title}
    state.push("paragraph_close", "p", -1)


def tokenize_lines(state: StateBlock, first_line: int, last_line: int, indent: int) -> None:
    """Reads the lines [first, last) as what a container holds."""
    before = state.blkIndent, state.lineMax, state.parentType, state.tight
    state.blkIndent, state.lineMax, state.parentType = indent, last_line, "blockquote"
    state.md.block.tokenize(state, first_line, last_line)
    state.blkIndent, state.lineMax, state.parentType, state.tight = before


def esm_in_mdx(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    return _esm(state, start_line, end_line, silent, _ESM_IN_MDX)


def esm_in_markdown(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    return _esm(state, start_line, end_line, silent, _ESM_IN_MARKDOWN)


def _esm(state: StateBlock, start_line: int, end_line: int, silent: bool, pattern: re.Pattern[str]) -> bool:
    start = state.bMarks[start_line]
    in_container = state.level > state.env.get("unwrapped_fences", 0)
    if in_container or state.sCount[start_line] or not pattern.match(state.src, start):
        return False
    if silent:
        return True
    try:
        end = module_end(state.src, start, state.eMarks[end_line - 1])
    except TooDeep:
        end = UNCLOSED
    if end == UNCLOSED:
        if pattern is _ESM_IN_MARKDOWN:
            return False
        raise malformed(state, start_line, "this import or export is not closed")
    next_line = start_line + 1
    while next_line < end_line and state.bMarks[next_line] < end:
        next_line += 1
    hide(state, start_line, next_line, "esm")
    state.tokens[-1].content = state.src[start:end]
    return True


def flow(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Tags and expressions that have their lines for themselves."""
    if state.src[line_start(state, start_line)] not in "<{":
        return False
    try:
        content, items = _scan_flow(state, start_line, end_line)
    except TooDeep as error:
        raise malformed(state, start_line, str(error)) from None
    if items is None:
        return False
    if not silent:
        last = items[-1]
        end = last.end if isinstance(last, Tag) else last[1]
        hide(state, start_line, start_line + content.count("\n", 0, end) + 1, "flow")
        state.tokens[-1].content = content
        state.tokens[-1].meta = {"items": items}
    return True


def _scan_flow(state: StateBlock, start_line: int, end_line: int) -> tuple[str, _Items | None]:
    """The lines that tags and expressions take, and these; twice as many lines are tried each time."""
    count = 1
    while True:
        next_line = _last_line_of_container(state, start_line, end_line, count)
        content = state.getLines(start_line, next_line, state.blkIndent, False)
        items = _read_flow(content)
        if not isinstance(items, int):
            return content, items
        if next_line < start_line + count:
            what = content.strip()[:20].split("\n")[0]
            raise malformed(state, start_line, f"`{what}` is not closed")
        count *= 2


def _last_line_of_container(state: StateBlock, start_line: int, end_line: int, count: int) -> int:
    line = start_line + 1
    while line < min(start_line + count, end_line):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            break
        line += 1
    return line


def _read_flow(content: str) -> _Items | int | None:
    """Tags and ranges of expressions up to a line's end; None if other text is among them."""
    items: _Items = []
    position = 0
    while True:
        position = skip_blanks(content, position)
        character = content[position : position + 1]
        if items and character in ("", "\n"):
            return items
        if character == "<":
            tag = read_tag(content, position, len(content))
            if not isinstance(tag, Tag):
                return tag
            items.append(tag)
            position = tag.end
        elif character == "{":
            end = expression_end(content, position, len(content))
            if end == UNCLOSED:
                return UNCLOSED
            items.append((position, end))
            position = end
        else:
            return None


def comment(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`{/* … */}` and `<!-- … -->` that open a line; what follows on their last line is kept."""
    end = _comment_end(state, start_line)
    if end is None:
        return False
    last_line = start_line
    while last_line + 1 < end_line and state.bMarks[last_line + 1] < end:
        last_line += 1
    rest = state.src[end : state.eMarks[last_line]]
    if rest.strip() and last_line == start_line:
        return False
    if silent:
        return True
    hide(state, start_line, last_line if rest.strip() else last_line + 1)
    if rest.strip():
        state.bMarks[last_line] = end
        state.tShift[last_line] = len(rest) - len(rest.lstrip(" \t"))
        state.sCount[last_line] = state.blkIndent
    return True


def _comment_end(state: StateBlock, line: int) -> int | None:
    """Where the comment that opens the line ends, if one does."""
    start = line_start(state, line)
    opener = next((opener for opener in _COMMENTS if state.src.startswith(opener, start)), None)
    if opener is None or state.is_code_block(line):
        return None
    closer = _COMMENTS[opener]
    absent: set[str] = state.env.setdefault("absent_closers", set())
    end = -1 if closer in absent else state.src.find(closer, start + len(opener))
    if end < 0:
        absent.add(closer)  # or each further opener would search to the end of the page again
        return None
    return end + len(closer)

"""What Docusaurus adds to Markdown, as block rules of markdown-it.

Tags, admonition fences and comments are lines of their own here, not containers: what stands between them is
parsed as if they were not there, which is how MDX treats them too.
"""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock, heading, lheading, table
from mdit_py_plugins.footnote.index import footnote_def

from citebook.ingestion.inline_text import PlacedInline, add_inline_rules
from citebook.ingestion.script_scanner import UNCLOSED, Tag, expression_end, module_end, read_tag
from citebook.ingestion.source_text import MalformedPage, SourceText

MAX_NESTING = 100

_INTERRUPTS_ALL = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_ESM_IN_MDX = re.compile(r"(?:import|export)(?=[\s{*\"'])")
_ESM_IN_MARKDOWN = re.compile(
    r"import\s+(?:[\w$*{][\w\s{},*$]{0,500}\sfrom\s+)?['\"][^'\"\n]+['\"];?[ \t]*(?:\n|$)"
    r"|export\s+(?:default|const|let|function|class|async)\s"
)
_DIRECTIVE = re.compile(r"(:{3,})[ \t]*([A-Za-z][\w-]*)?(?=[\s\[{]|$)")
_HEADING_ID = re.compile(r"\{#([^{}\s]+)\}$|\{/\*\s*#([^\s*]+)\s*\*/\}$")


class CappedBlock(ParserBlock):
    """The block parser, which refuses what is nested too deeply; markdown-it would drop it without a word."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        if state.level >= MAX_NESTING:
            raise malformed(state, startLine, f"lists or quotes are nested more than {MAX_NESTING} deep")
        super().tokenize(state, startLine, endLine)


@cache
def markdown_parser(*, mdx: bool) -> MarkdownIt:
    md = MarkdownIt("commonmark")
    md.block, md.inline = CappedBlock(), PlacedInline()
    md.configure("commonmark").enable(["table", "strikethrough"])
    md.options["maxNesting"] = MAX_NESTING + 1
    md.disable("inline")  # the walker does it: it knows the place of each content
    md.inline.ruler2.disable("fragments_join")  # a joined text would lose its place
    add_inline_rules(md, mdx=mdx)
    _add_block_rules(md, mdx=mdx)
    return md


def _add_block_rules(md: MarkdownIt, *, mdx: bool) -> None:
    rules = md.block.ruler
    rules.at("heading", _with_heading_id(heading), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("lheading", _with_heading_id(lheading))
    rules.at("table", _table, {"alt": ["paragraph", "reference"]})
    rules.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    rules.before("fence", "mdx_code_block", _mdx_code_block, _INTERRUPTS_ALL)
    rules.before("fence", "math_block", _math_block, _INTERRUPTS_ALL)
    rules.before("fence", "directive", _directive, _INTERRUPTS_ALL)
    rules.before("fence", "comment", _comment, _INTERRUPTS_ALL)
    rules.before("table", "esm", _esm_in_mdx if mdx else _esm_in_markdown)
    if mdx:
        rules.before("fence", "flow", _flow, _INTERRUPTS_ALL)
        md.disable(["code", "html_block", "html_inline"])


def malformed(state: StateBlock, line: int, reason: str) -> MalformedPage:
    page: SourceText = state.env["page"]
    return MalformedPage(page.file_line(page.line_range(line)[0]), reason)


def _line_start(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def _hide(state: StateBlock, start_line: int, next_line: int, kind: str = "hidden") -> None:
    token = state.push(kind, "", 0)
    token.map = [start_line, next_line]
    state.line = next_line


def _push_text(state: StateBlock, line: int, start: int, end: int) -> None:
    """A short paragraph that is the range [start, end) of one line."""
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content = state.src[start:end]
    token.map = [line, line + 1]
    token.meta = {"range": (start, end)}
    state.push("paragraph_close", "p", -1)


def _esm_in_mdx(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    return _esm(state, start_line, end_line, silent, _ESM_IN_MDX)


def _esm_in_markdown(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    return _esm(state, start_line, end_line, silent, _ESM_IN_MARKDOWN)


def _esm(state: StateBlock, start_line: int, end_line: int, silent: bool, pattern: re.Pattern[str]) -> bool:
    start = state.bMarks[start_line]
    if state.level or state.sCount[start_line] or not pattern.match(state.src, start):
        return False
    if silent:
        return True
    end = module_end(state.src, start)
    if end == UNCLOSED:
        if pattern is _ESM_IN_MARKDOWN:
            return False
        raise malformed(state, start_line, "this import or export is not closed")
    next_line = start_line + 1
    while next_line < end_line and state.bMarks[next_line] < end:
        next_line += 1
    _hide(state, start_line, next_line, "esm")
    state.tokens[-1].content = state.src[start:end]
    return True


def _flow(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Tags and expressions that have their lines for themselves."""
    if state.src[_line_start(state, start_line)] not in "<{":
        return False
    count = 1
    while True:
        next_line = _last_line_of_container(state, start_line, end_line, count)
        content = state.getLines(start_line, next_line, state.blkIndent, False)
        found = _read_flow(content)
        if found != UNCLOSED:
            break
        if next_line < start_line + count:
            what = content.strip()[:20].split("\n")[0]
            raise malformed(state, start_line, f"`{what}` is not closed")
        count *= 2
    if not isinstance(found, list):
        return False
    if not silent:
        last_end = found[-1].end if isinstance(found[-1], Tag) else found[-1][1]
        _hide(state, start_line, start_line + content.count("\n", 0, last_end) + 1, "flow")
        state.tokens[-1].content = content
        state.tokens[-1].meta = {"items": found}
    return True


def _last_line_of_container(state: StateBlock, start_line: int, end_line: int, count: int) -> int:
    line = start_line + 1
    while line < min(start_line + count, end_line):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            break
        line += 1
    return line


def _read_flow(content: str) -> list[Tag | tuple[int, int]] | int | None:
    """Tags and ranges of expressions up to a line's end; None if other text is among them."""
    items: list[Tag | tuple[int, int]] = []
    position = 0
    while True:
        position += len(content[position : position + 200]) - len(content[position : position + 200].lstrip(" \t"))
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


def _comment(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`{/* … */}` and `<!-- … -->` that open a line; what follows on their last line is kept."""
    start = _line_start(state, start_line)
    for opener, closer in (("{/*", "*/}"), ("<!--", "-->")):
        if state.src.startswith(opener, start) and not state.is_code_block(start_line):
            break
    else:
        return False
    if closer in state.env.setdefault("absent_closers", set()):
        return False
    end = state.src.find(closer, start + len(opener))
    if end < 0:
        state.env["absent_closers"].add(closer)
        return False
    end += len(closer)
    last_line = start_line
    while last_line + 1 < end_line and state.bMarks[last_line + 1] < end:
        last_line += 1
    rest = state.src[end : state.eMarks[last_line]]
    if rest.strip() and last_line == start_line:
        return False
    if silent:
        return True
    _hide(state, start_line, last_line if rest.strip() else last_line + 1)
    if rest.strip():
        state.bMarks[last_line] = end
        state.tShift[last_line] = len(rest) - len(rest.lstrip(" \t"))
        state.sCount[last_line] = state.blkIndent
    return True


def _directive(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The first or last line of an admonition."""
    start, end = _line_start(state, start_line), state.eMarks[start_line]
    match = _DIRECTIVE.match(state.src, start, end)
    if not match or state.is_code_block(start_line):
        return False
    colons, name = len(match[1]), match[2]
    open_fences: list[int] = state.env.setdefault("directives", [])
    rest = state.src[match.end() : end].strip()
    if not name and (rest or not open_fences or colons < open_fences[-1]):
        return False
    if silent:
        return True
    _hide(state, start_line, start_line + 1)
    if not name:
        open_fences.pop()
        return True
    open_fences.append(colons)
    title = _directive_title(state.src, match.end(), end)
    if title:
        _push_text(state, start_line, *title)
    return True


def _directive_title(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the title of `[Title]{.class}` or ` Title` stands."""
    rest = text[start:end].rstrip()
    if rest.endswith("}") and "{" in rest:
        rest = rest[: rest.rindex("{")].rstrip()
    end = start + len(rest)
    if rest.startswith("[") and rest.endswith("]"):
        start, end = start + 1, end - 1
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return (start, end) if start < end else None


def _math_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = _line_start(state, start_line)
    if not state.src.startswith("$$", start) or state.is_code_block(start_line):
        return False
    next_line = _end_of_math(state, start_line, end_line)
    if next_line is None:
        return False
    if not silent:
        _hide(state, start_line, next_line, "math_block")
        state.tokens[-1].content = state.getLines(start_line, next_line, state.blkIndent, False)
    return True


def _end_of_math(state: StateBlock, start_line: int, end_line: int) -> int | None:
    """The line after the closing `$$`, which must be the next one and end its line."""
    start = _line_start(state, start_line) + 2
    close = state.src.find("$$", start)
    if close < 0:
        return None
    line = start_line
    while line < end_line and state.eMarks[line] < close:
        line += 1
        if line < end_line and not state.isEmpty(line) and state.sCount[line] < state.blkIndent:
            return None
    if line >= end_line or state.src[close + 2 : state.eMarks[line]].strip() or close == start:
        return None
    return line + 1


def _mdx_code_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A fence that Docusaurus takes away before it parses the page."""
    start, end = _line_start(state, start_line), state.eMarks[start_line]
    opening = state.src[start:end].rstrip()
    fence = opening.removesuffix("mdx-code-block").rstrip()
    if fence == opening or len(fence) < 3 or fence.strip(fence[0]) or fence[0] not in "`~":
        return False
    if silent:
        return True
    close = start_line + 1
    while close < end_line and not _closes_fence(state, close, fence):
        close += 1
    _hide(state, start_line, start_line + 1)
    line_max, state.lineMax = state.lineMax, close
    state.level += 1
    state.md.block.tokenize(state, start_line + 1, close)
    state.level -= 1
    state.lineMax = line_max
    state.line = min(close + 1, end_line)
    return True


def _closes_fence(state: StateBlock, line: int, fence: str) -> bool:
    text = state.src[_line_start(state, line) : state.eMarks[line]].rstrip()
    return text.startswith(fence) and not text.strip(fence[0])


def _with_heading_id(rule):  # type: ignore[no-untyped-def]
    """The rule, which also takes `{#id}` off the end of a heading."""

    def with_heading_id(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        if not rule(state, start_line, end_line, silent):
            return False
        if not silent:
            opening, content = state.tokens[-3], state.tokens[-2]
            match = _HEADING_ID.search(content.content[-200:])
            if match:
                opening.meta = {"id": match[1] or match[2]}
                content.content = content.content[: -len(match.group())].rstrip()
        return True

    return with_heading_id


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A table whose cells know their places."""
    first = len(state.tokens)
    if not table(state, start_line, end_line, silent):
        return False
    cells: list[list[tuple[int, int]]] = []
    for token in state.tokens[first:] if not silent else ():
        if token.type == "tr_open" and token.map:
            line = token.map[0]
            cells = _split_cells(state.src, _line_start(state, line), state.eMarks[line])[::-1]
        elif token.type == "inline":
            token.meta = {"cell": cells.pop() if cells else []}
    return True


def _split_cells(text: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    """The cells of a row, each as the ranges that make up its content; `\\|` is a bar within a cell."""
    while end > start and text[end - 1] in " \t":
        end -= 1
    cells: list[list[tuple[int, int]]] = []
    ranges: list[tuple[int, int]] = []
    piece_start = start
    for bar in (match.start() for match in re.finditer(r"\|", text[start:end])):
        bar += start
        if bar > start and text[bar - 1] == "\\":
            ranges.append((piece_start, bar - 1))
            piece_start = bar
            continue
        cells.append([*ranges, (piece_start, bar)])
        ranges, piece_start = [], bar + 1
    cells.append([*ranges, (piece_start, end)])
    if cells and cells[0] == [(start, start)]:
        cells.pop(0)
    if cells and cells[-1] == [(end, end)]:
        cells.pop()
    return cells

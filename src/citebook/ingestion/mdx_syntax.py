"""What Docusaurus adds to Markdown, as block rules of markdown-it.

Tags, admonition fences and comments are lines of their own here, not containers: what stands between them is
parsed as if they were not there, which is how MDX treats them too.
"""

import re
from collections.abc import Callable
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, heading, html_block, lheading, table
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.footnote.index import footnote_def

from citebook.ingestion.inline_text import PlacedInline, add_inline_rules
from citebook.ingestion.markdown_dialects import (
    MarkdownInHtml,
    add_alerts,
    add_dialects,
    has_tags_alone,
    heading_attributes,
)
from citebook.ingestion.mdx_flow import (
    comment,
    esm_in_markdown,
    esm_in_mdx,
    flow,
    hide,
    line_start,
    malformed,
    push_text,
)
from citebook.ingestion.mkdocs_inline import add_mkdocs_inline_rules
from citebook.ingestion.mkdocs_syntax import add_mkdocs_block_rules
from citebook.ingestion.myst_syntax import add_myst_rules

MAX_NESTING = 100

_BlockRule = Callable[[StateBlock, int, int, bool], bool]
_INTERRUPTS_ALL: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_DIRECTIVE = re.compile(r"(:{3,})[ \t]*([A-Za-z][\w-]*)?(?=[\s\[{]|$)")
_CELL_OPENINGS = frozenset({"td_open", "th_open"})
_OF_CELLS = _CELL_OPENINGS | {"inline", "td_close", "th_close"}
_MOST_MISSING = 50
"""Cells that are added to a row to make it as long as the header: a page of 2 kB could ask for 65,000 of them."""
_HEADING_ID = re.compile(r"\{:?\s?#([^{}\s]+)\s?\}$|\{/\*\s*#([^\s*]+)\s*\*/\}$|\[\[([\w-]+)\]\]$")


class PageState(StateBlock):
    def is_code_block(self, line: int) -> bool:
        # The rows of an HTML table are often set apart by blank lines, and indented: they are no code.
        if self.env.get("open_tables") or not super().is_code_block(line):
            return False
        start = line_start(self, line)
        return not (self.src.startswith("<", start) and self.env["markdown_in_html"].holds(start))


class PageBlocks(ParserBlock):
    """The block parser, which refuses what is nested too deeply; markdown-it would drop it without a word."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> list[Token]:  # noqa: N803
        state = PageState(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        if state.level >= MAX_NESTING:
            raise malformed(state, startLine, f"lists or quotes are nested more than {MAX_NESTING} deep")
        super().tokenize(state, startLine, endLine)


@cache
def markdown_parser(*, mdx: bool) -> MarkdownIt:
    md = MarkdownIt("commonmark")
    md.block, md.inline = PageBlocks(), PlacedInline()
    md.configure("commonmark").enable(["table", "strikethrough"])
    md.options["maxNesting"] = MAX_NESTING + 1
    md.disable("inline")  # the walker does it: it knows the place of each content
    md.inline.ruler2.disable("fragments_join")  # a joined text would lose its place
    add_inline_rules(md, mdx=mdx)
    _add_block_rules(md, mdx=mdx)
    return md


def _add_block_rules(md: MarkdownIt, *, mdx: bool) -> None:
    rules = md.block.ruler
    rules.at("heading", _with_heading_id(heading, mdx=mdx), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("lheading", _with_heading_id(lheading, mdx=mdx))
    rules.at("table", _table, {"alt": ["paragraph", "reference"]})
    rules.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    rules.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    rules.before("fence", "mdx_code_block", _mdx_code_block, _INTERRUPTS_ALL)
    rules.before("fence", "math_block", _math_block, _INTERRUPTS_ALL)
    rules.before("fence", "directive", _directive, _INTERRUPTS_ALL)
    rules.before("fence", "comment", comment, _INTERRUPTS_ALL)
    rules.before("table", "esm", esm_in_mdx if mdx else esm_in_markdown)
    add_alerts(md)
    if not mdx:
        add_dialects(md)
        add_mkdocs_inline_rules(md)
        add_mkdocs_block_rules(md)
        add_myst_rules(md)
    if mdx:
        rules.before("fence", "flow", flow, _INTERRUPTS_ALL)
        md.disable(["code", "html_block", "html_inline"])


def _directive(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """The first or last line of an admonition."""
    start, end = line_start(state, start_line), state.eMarks[start_line]
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
    hide(state, start_line, start_line + 1, "directive_open" if name else "directive_close")
    if not name:
        open_fences.pop()
        return True
    open_fences.append(colons)
    title = _directive_title(state.src, match.end(), end)
    if title:
        push_text(state, start_line, *title, is_title=True)
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
    start = line_start(state, start_line)
    if not state.src.startswith("$$", start) or state.is_code_block(start_line):
        return False
    next_line = _end_of_math(state, start_line, end_line)
    if next_line is None:
        return False
    if not silent:
        hide(state, start_line, next_line, "math_block")
        state.tokens[-1].content = state.getLines(start_line, next_line, state.blkIndent, False)
    return True


def _end_of_math(state: StateBlock, start_line: int, end_line: int) -> int | None:
    """The line after the closing `$$`, which must be the next one and end its line."""
    start = line_start(state, start_line) + 2
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
    start, end = line_start(state, start_line), state.eMarks[start_line]
    opening = state.src[start:end].rstrip()
    fence = opening.removesuffix("mdx-code-block").rstrip()
    if fence == opening or len(fence) < 3 or fence.strip(fence[0]) or fence[0] not in "`~":
        return False
    if silent:
        return True
    close = start_line + 1
    while close < end_line and not _closes_fence(state, close, fence):
        close += 1
    hide(state, start_line, start_line + 1)
    line_max, state.lineMax = state.lineMax, close
    state.level += 1  # counts against the cap on nesting
    state.env["unwrapped_fences"] = state.env.get("unwrapped_fences", 0) + 1
    state.md.block.tokenize(state, start_line + 1, close)
    state.env["unwrapped_fences"] -= 1
    state.level -= 1
    state.lineMax = line_max
    state.line = min(close + 1, end_line)
    return True


def _closes_fence(state: StateBlock, line: int, fence: str) -> bool:
    text = state.src[line_start(state, line) : state.eMarks[line]].rstrip()
    return text.startswith(fence) and not text.strip(fence[0])


def _with_heading_id(rule: _BlockRule, *, mdx: bool) -> _BlockRule:
    """The rule, which also takes `{#id}`, or `[[id]]` of Hugging Face, off the end of a heading."""

    def with_heading_id(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        if not rule(state, start_line, end_line, silent):
            return False
        if not silent:
            opening, content = state.tokens[-3], state.tokens[-2]
            match = _HEADING_ID.search(content.content[-200:])
            if match:
                opening.meta = {"id": match[match.lastindex or 0]}
                content.content = content.content[: -len(match.group())].rstrip()
            elif not mdx and (attributes := heading_attributes(content.content)):
                opening.meta = {"id": attributes.id} if attributes.id else {}
                content.content = content.content[: attributes.start].rstrip()
            if not mdx:
                content.content = content.content.removeprefix("::: ").lstrip()  # of mkdocstrings
        return True

    return with_heading_id


def _html_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Raw HTML; it is noted whether a table is left open. Where it holds Markdown, it is only its tags."""
    start, end = line_start(state, start_line), state.eMarks[start_line]
    markdown: MarkdownInHtml = state.env["markdown_in_html"]
    if state.src.startswith("<", start) and markdown.holds(start):
        if not has_tags_alone(state.src[start:end]):
            return False
        if not silent:
            hide(state, start_line, start_line + 1, "html_block")
            state.tokens[-1].content = state.src[start:end]
        return True
    if not html_block(state, start_line, end_line, silent):
        return False
    if not silent:
        content = state.tokens[-1].content.lower()
        opened = content.count("<table") - content.count("</table")
        state.env["open_tables"] = max(0, state.env.get("open_tables", 0) + opened)
    return True


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A table whose cells know their places."""
    first = len(state.tokens)
    if not table(state, start_line, end_line, silent):
        return False
    cells: list[list[tuple[int, int]]] = []
    missing = 0
    kept: list[Token] = []
    for token in state.tokens[first:] if not silent else ():
        if token.type == "tr_open" and token.map:
            line, missing = token.map[0], 0
            cells = _split_cells(state.src, line_start(state, line), state.eMarks[line])[::-1]
        elif token.type in _CELL_OPENINGS:
            missing += not cells
        elif token.type == "inline":
            token.meta = {"cell": cells.pop() if cells else []}
        if missing <= _MOST_MISSING or token.type not in _OF_CELLS:
            kept.append(token)
    if not silent:
        state.tokens[first:] = kept
    return True


def _split_cells(text: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    """The cells of a row, each as the ranges that make up its content; `\\|` is a bar within a cell."""
    end = start + len(text[start:end].rstrip(MD_TRIM_CHARS))
    start = end - len(text[start:end].lstrip(MD_TRIM_CHARS))
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

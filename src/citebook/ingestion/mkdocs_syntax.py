"""What MkDocs, with its Material theme and PyMdown's extensions, adds to Markdown, as block rules of markdown-it.

Admonitions and tabs hold what is indented below them; PyMdown's blocks are fences, lines of their own.
"""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from citebook.ingestion.mdx_flow import hide, line_start, push_text, tokenize_lines

_INDENT = 4
_ADMONITION = re.compile(r'(?:!!!|\?\?\?\+?) ?(?P<type>[A-Za-z][\w-]*(?: +[\w-]+)*)?(?: *"(?P<title>.*)")?')
_TAB = re.compile(r'===(?:\+!?|!\+?)? +"(?P<title>.*)"')
_BLOCK = re.compile(r"(/{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\|(.*))?")
_BLOCK_END = re.compile(r"(/{3,})[ \t]*")
_BLOCK_ENDS = re.compile(r"^[ \t>]*(/{3,})[ \t]*$", re.MULTILINE)
_BLOCK_OPTION = re.compile(r"[A-Za-z_-]+:(?=\s|$)")
_BARE_BLOCKS = frozenset({"tab", "html", "caption", "figure-caption", "table-caption", "definition"})
"""Those that are not set apart from the text around them."""
_UNTITLED_BLOCKS = _BARE_BLOCKS - {"tab"}
_DEFINITION = re.compile(r":(?:[ ]{2,}|[ ]*\t\s*)(?=\S)")
_ABBREVIATION = re.compile(r"\*\[[^\]\n]{1,100}\] ?:[ \t]*\S")
_SNIPPET = re.compile(
    r"-+8<-+[ \t]+(?:\"[^\"\n]+\"|'[^'\n]+'|\[[ \t]*(?:start|end)[ \t]*:[^\]\n]+\])"
    r"|\{\*[ \t]+[^\n{}*]+\*\}|\{!>?[ \t]*[^\n{}!]+!\}"
)
_SNIPPETS_FENCE = re.compile(r"-+8<-+")
_SNIPPET_MARK = re.compile(r"-8<-|\{[*!]")
_FROM_CODE = re.compile(r":::[ \t]+[A-Za-z_]\w*(\.\w+)*")
_FROM_CODE_OPTION = re.compile(r"(?:options|handler|selection|rendering|:\w+):")
SNIPPET_NOT_READ = "what it takes from other files (`--8<--` and the like) is not read"
FROM_CODE_NOT_READ = "what is made from code (`::: module`) is not read"


def add_mkdocs_block_rules(md: MarkdownIt) -> None:
    rules = md.block.ruler
    everywhere = ["paragraph", "reference", "blockquote", "list"]
    rules.before("fence", "admonition", _admonition, {"alt": everywhere})
    rules.before("fence", "content_tab", _tab, {"alt": everywhere})
    rules.before("fence", "pymdown_block", _block, {"alt": everywhere})
    rules.before("fence", "snippet", _snippet, {"alt": everywhere})
    rules.before("directive", "from_code", _from_code, {"alt": everywhere})
    rules.before("fence", "definition", _definition, {"alt": ["paragraph"]})
    rules.before("fence", "abbreviation", _abbreviation)


def mentions_snippets(code: str) -> bool:
    return _SNIPPET_MARK.search(code) is not None


def takes_snippet(line: str) -> bool:
    """Whether a line, of code or of text, stands for another file or a part of one."""
    return _SNIPPET.fullmatch(line.strip()) is not None


def _match(pattern: re.Pattern[str], state: StateBlock, line: int) -> re.Match[str] | None:
    """What the whole line is, white space at its ends left out."""
    if state.is_code_block(line):
        return None
    start = line_start(state, line)
    end = start + len(state.src[start : state.eMarks[line]].rstrip())
    return pattern.fullmatch(state.src, start, end)


# --- what is indented


def _admonition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`!!! note "Title"` and, where it can be folded, `??? note`."""
    if state.src[line_start(state, start_line)] not in "!?":
        return False
    match = _match(_ADMONITION, state, start_line)
    if not match or not (match["type"] or match["title"]) or (match["title"] and not match["title"].strip()):
        return False
    last_line = _end_of_indented(state, start_line, end_line)
    if last_line == start_line + 1 and not match["title"]:  # a cry such as `!!! Look here`
        return False
    if not silent:
        _contain(state, match, start_line, last_line, "directive")
    return True


def _tab(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`=== "Label"`."""
    if state.src[line_start(state, start_line)] != "=":
        return False
    match = _match(_TAB, state, start_line)
    if not match:
        return False
    if not silent:
        _contain(state, match, start_line, _end_of_indented(state, start_line, end_line), "content_tab")
    return True


def _contain(state: StateBlock, match: re.Match[str], start_line: int, last_line: int, kind: str) -> None:
    """The title in the line, and what is indented below it up to the last line."""
    indent = state.sCount[start_line] + _INDENT
    state.push(f"{kind}_open", "", 1).map = [start_line, last_line]
    if match["title"]:
        push_text(state, start_line, *match.span("title"), is_title=kind == "directive")
    tokenize_lines(state, start_line + 1, last_line, indent)
    state.push(f"{kind}_close", "", -1)
    state.line = last_line


def _end_of_indented(state: StateBlock, start_line: int, end_line: int) -> int:
    """The line after the last one that is indented below the first."""
    indent = state.sCount[start_line] + _INDENT
    last_line = line = start_line + 1
    while line < end_line and (state.isEmpty(line) or state.sCount[line] >= indent):
        line += 1
        last_line = last_line if state.isEmpty(line - 1) else line
    return last_line


# --- PyMdown's blocks


class _OpenBlock(NamedTuple):
    slashes: int
    is_bare: bool


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The first or last line of `/// note | Title` … `///`."""
    if not state.src.startswith("///", line_start(state, start_line)):
        return False
    return _block_start(state, start_line, end_line, silent) or _block_end(state, start_line, silent)


def _block_start(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    match = _match(_BLOCK, state, start_line)
    if not match or _last_ends(state).get(len(match[1]), -1) < match.end():
        return False
    if silent:
        return True
    block = _OpenBlock(len(match[1]), match[2] in _BARE_BLOCKS)
    state.env.setdefault("open_blocks", []).append(block)
    next_line = _end_of_options(state, start_line, end_line)
    hide(state, start_line, next_line, "hidden" if block.is_bare else "directive_open")
    if match[3] and match[3].strip() and match[2] not in _UNTITLED_BLOCKS:
        start = match.end(3) - len(match[3].lstrip())
        push_text(state, start_line, start, match.end(3), is_title=not block.is_bare)
    return True


def _last_ends(state: StateBlock) -> dict[int, int]:
    """Where on the page the last block of so many slashes ends: one that never does is text."""
    if "block_ends" not in state.env:
        state.env["block_ends"] = {len(end[1]): end.start(1) for end in _BLOCK_ENDS.finditer(state.src)}
    ends: dict[int, int] = state.env["block_ends"]
    return ends


def _end_of_options(state: StateBlock, start_line: int, end_line: int) -> int:
    """Options are indented right below the first line: `    type: warning`."""
    line = start_line + 1
    if line >= end_line or not _BLOCK_OPTION.match(state.src, line_start(state, line)):
        return line
    while line < end_line and not state.isEmpty(line) and state.sCount[line] >= state.sCount[start_line] + _INDENT:
        line += 1
    return line


def _block_end(state: StateBlock, start_line: int, silent: bool) -> bool:
    match = _match(_BLOCK_END, state, start_line)
    open_blocks: list[_OpenBlock] = state.env.get("open_blocks", [])
    if not match or not any(block.slashes == len(match[1]) for block in open_blocks[-_INDENT:]):
        return False
    if silent:
        return True
    hide(state, start_line, start_line + 1)
    while True:  # also those inside it that were never closed
        block = open_blocks.pop()
        if not block.is_bare:
            state.push("directive_close", "", 0)
        if block.slashes == len(match[1]):
            return True


# --- single lines


def _definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`:   text` below a term; both are paragraphs, as in an HTML list of definitions."""
    start = line_start(state, start_line)
    match = _DEFINITION.match(state.src, start, state.eMarks[start_line])
    if not match or state.is_code_block(start_line) or state.sCount[start_line] < state.blkIndent:
        return False
    if silent:
        return state.parentType == "paragraph"
    if not state.tokens or state.tokens[-1].type == "definition_open":
        return False
    indent = state.sCount[start_line] + _INDENT
    last_line = _end_of_definition(state, start_line, end_line)
    state.push("definition_open", "", 1).map = [start_line, last_line]
    before = state.tShift[start_line], state.sCount[start_line]
    state.tShift[start_line], state.sCount[start_line] = match.end() - state.bMarks[start_line], indent
    tokenize_lines(state, start_line, last_line, indent)
    state.tShift[start_line], state.sCount[start_line] = before
    state.push("definition_close", "", -1)
    state.line = last_line
    return True


def _end_of_definition(state: StateBlock, start_line: int, end_line: int) -> int:
    """Its first paragraph may go on without an indent."""
    line = start_line + 1
    while line < end_line and not state.isEmpty(line):
        if state.sCount[line] < state.sCount[start_line] + _INDENT and _is_definition(state, line):
            return line
        line += 1
    return max(line, _end_of_indented(state, start_line, end_line))


def _is_definition(state: StateBlock, line: int) -> bool:
    return _DEFINITION.match(state.src, line_start(state, line), state.eMarks[line]) is not None


def _abbreviation(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """`*[HTML]: Hyper Text Markup Language`, which is shown only to whoever points at the word."""
    start = line_start(state, start_line)
    if not _ABBREVIATION.match(state.src, start, state.eMarks[start_line]) or state.is_code_block(start_line):
        return False
    if not silent:
        hide(state, start_line, start_line + 1)
    return True


def _snippet(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A line, or several between two `--8<--`, that stands for other files."""
    if state.src[line_start(state, start_line)] not in "-{":
        return False
    next_line = start_line + 1
    if not _match(_SNIPPET, state, start_line):
        if not _match(_SNIPPETS_FENCE, state, start_line):
            return False
        next_line = _end_of_snippets(state, start_line, end_line)
        if next_line == start_line:
            return False
    if not silent:
        hide(state, start_line, next_line)
        state.env["not_read"][SNIPPET_NOT_READ] = None
    return True


def _end_of_snippets(state: StateBlock, start_line: int, end_line: int) -> int:
    """The line after the fence that closes them; the first line where none does."""
    for line in range(start_line + 1, end_line):
        if not state.isEmpty(line) and state.sCount[line] < state.blkIndent:
            break
        if _match(_SNIPPETS_FENCE, state, line):
            return line + 1
    return start_line


def _from_code(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`::: package.module`, with options indented below: mkdocstrings puts the documentation of code there."""
    if state.src[line_start(state, start_line)] != ":":
        return False
    match = _match(_FROM_CODE, state, start_line)
    if not match:
        return False
    last_line = _end_of_indented(state, start_line, end_line)
    has_options = last_line > start_line + 1 and _FROM_CODE_OPTION.match(state.src, line_start(state, start_line + 1))
    if not match[1] and not has_options:
        return False
    if not silent:
        hide(state, start_line, last_line)
        state.env["not_read"][FROM_CODE_NOT_READ] = None
    return True

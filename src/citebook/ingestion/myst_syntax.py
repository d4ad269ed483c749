"""What MyST, the Markdown of Jupyter Book and Sphinx, adds: directives, roles, labels.

A directive is a fence whose language stands in braces, a role is code with such a name before it.
"""

import re
from bisect import bisect_left

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from citebook.ingestion.mdx_flow import hide, line_start, push_text, tokenize_lines

_MOST_MARKS = 20
_DIRECTIVE = re.compile(
    rf"(?P<fence>`{{3,{_MOST_MARKS}}}|:{{3,{_MOST_MARKS}}})\{{(?P<name>[A-Za-z][\w:+-]{{1,60}})\}}"
)
_FENCE_END = re.compile(rf"^[ \t>]*(?P<fence>`{{3,{_MOST_MARKS}}}|:{{3,{_MOST_MARKS}}})[ \t]*$", re.MULTILINE)
_OPTION = re.compile(r":[A-Za-z][\w-]{0,60}:(?=\s|$)")
_DASHES = re.compile(r"---[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"\([A-Za-z0-9][\w.:/-]{0,200}\)=[ \t]*$", re.MULTILINE)
_ROLE = re.compile(r"\{(?P<name>[A-Za-z][\w:+.-]{1,60})\}`(?P<content>[^`]{1,500})`(?!`)")
_TITLED = re.compile(r"(?P<title>[^<>]*?)\s*<(?P<target>[^<>]+)>\s*")

_PROGRAMS = frozenset({"python", "bash", "julia", "console", "shell", "java", "rust", "javascript", "sql", "mermaid"})
"""In braces where a notebook runs them: a plain fence."""
_CODE = frozenset({"code", "code-block", "code-cell", "sourcecode", "prompt", "ipython"})
_FORMULAS = frozenset({"math"})
_FIGURES = frozenset({"figure", "figure-md", "subfigure"})
_BARE = frozenset("table list-table csv-table tab-set tab-item grid grid-item div container glossary".split())
"""Those that are not set apart from the text around them."""
_SILENT = frozenset(
    "toctree tableofcontents contents bibliography index raw image video iframe youtube glue only meta "
    "currentmodule highlight embed solution-end exercise-end".split()
)
_FROM_ELSEWHERE = frozenset(
    {"include", "literalinclude", "eval-rst", "autodoc", "automodule", "autoclass", "mermaid"}
)
_UNTITLED = frozenset(
    "figure figure-md subfigure grid grid-item tab-set div container glossary solution solution-start".split()
)
"""What stands behind their names is a label, a class or a path."""
_SILENT_ROLES = re.compile(r"(?:cite|footcite)(?::[\w:]+)?|index|eval|glue(?::\w+)?|numref|eq|label")
ELSEWHERE_NOT_READ = "what it takes from elsewhere (`{include}`, `{eval-rst}` and the like) is not read"


def add_myst_rules(md: MarkdownIt) -> None:
    everywhere = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("directive", "myst_directive", _directive, {"alt": everywhere})
    md.block.ruler.before("directive", "myst_label", _label, {"alt": everywhere})
    md.inline.ruler.before("backticks", "myst_role", _role)


# --- directives


def _directive(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """From a fence such as ```` ```{note} Title ```` to the one that closes it."""
    start = line_start(state, start_line)
    opening = _DIRECTIVE.match(state.src, start, state.eMarks[start_line])
    if not opening or opening["name"] in _PROGRAMS or state.is_code_block(start_line):
        return False
    last_line = _closing_line(state, opening["fence"], start_line, end_line)
    if last_line is None:
        return False
    if not silent:
        _read_directive(state, opening, start_line, last_line)
        state.line = last_line + 1
    return True


def _read_directive(state: StateBlock, opening: re.Match[str], start_line: int, last_line: int) -> None:
    name = opening["name"].lower()
    first_line = _after_options(state, start_line + 1, last_line)
    if name in _FROM_ELSEWHERE:
        state.env["not_read"][ELSEWHERE_NOT_READ] = None
    if name in _SILENT or name in _FROM_ELSEWHERE:
        hide(state, start_line, last_line + 1)
    elif name in _CODE:
        _push_lines(state, "fence", first_line, last_line).info = _argument(state, opening, start_line)
    elif name in _FORMULAS:
        _push_lines(state, "formula", first_line, last_line)
    else:
        _push_content(state, opening, (start_line, first_line, last_line))


def _push_lines(state: StateBlock, kind: str, first_line: int, last_line: int) -> Token:
    """A block that is kept to the letter, below a line that is counted as its fence."""
    token = state.push(kind, "", 0)
    token.content = state.getLines(first_line, last_line, state.blkIndent, True)
    token.map = [first_line - 1, last_line]
    return token


def _push_content(state: StateBlock, opening: re.Match[str], lines: tuple[int, int, int]) -> None:
    start_line, first_line, last_line = lines
    name = opening["name"].lower()
    kind = "figure" if name in _FIGURES else "container" if name in _BARE else "directive"
    state.push(f"{kind}_open", "", 1).map = [start_line, last_line + 1]
    argument = _argument(state, opening, start_line)
    if argument and name not in _UNTITLED:
        start = state.src.index(argument, opening.end())
        push_text(state, start_line, start, start + len(argument), is_title=kind == "directive")
    tokenize_lines(state, first_line, last_line, state.blkIndent)
    state.push(f"{kind}_close", "", -1)


def _argument(state: StateBlock, opening: re.Match[str], start_line: int) -> str:
    return state.src[opening.end() : state.eMarks[start_line]].strip()


def _closing_line(state: StateBlock, fence: str, start_line: int, end_line: int) -> int | None:
    """The next line that is nothing but such a fence, or a longer one."""
    ends = _fence_ends(state)
    after = state.eMarks[start_line]
    found = [
        places[at]
        for marks, places in ends.items()
        if marks[0] == fence[0] and len(marks) >= len(fence) and (at := bisect_left(places, after)) < len(places)
    ]
    nearest = min(found, default=None)
    if nearest is None or nearest > state.eMarks[end_line - 1]:
        return None
    line = bisect_left(state.eMarks, nearest, start_line, end_line)
    return line if state.sCount[line] >= state.blkIndent else None


def _fence_ends(state: StateBlock) -> dict[str, list[int]]:
    """Where on the page fences that may close something stand, by the fence; found once."""
    if "myst_fence_ends" not in state.env:
        ends: dict[str, list[int]] = {}
        for end in _FENCE_END.finditer(state.src):
            ends.setdefault(end["fence"], []).append(end.start("fence"))
        state.env["myst_fence_ends"] = ends
    found: dict[str, list[int]] = state.env["myst_fence_ends"]
    return found


def _after_options(state: StateBlock, line: int, last_line: int) -> int:
    """Options stand between dashes or each on a line of its own: `:name: value`."""
    if line < last_line and _DASHES.match(state.src, line_start(state, line), state.eMarks[line]):
        closing = range(line + 1, last_line)
        ends = (at for at in closing if _DASHES.match(state.src, line_start(state, at), state.eMarks[at]))
        return next(ends, line - 1) + 1
    while line < last_line and _OPTION.match(state.src, line_start(state, line), state.eMarks[line]):
        line += 1
    return line


def _label(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """`(name)=`, by which other pages link to what follows."""
    start = line_start(state, start_line)
    if not _LABEL.match(state.src, start, state.eMarks[start_line]) or state.is_code_block(start_line):
        return False
    if not silent:
        hide(state, start_line, start_line + 1)
    return True


# --- roles


def _role(state: StateInline, silent: bool) -> bool:
    """`` {ref}`text <label>` `` and the like show their text; citations show what the site makes of them."""
    match = _ROLE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if not match:
        return False
    if not silent:
        _push_role(state, match)
    state.pos = match.end()
    return True


def _push_role(state: StateInline, match: re.Match[str]) -> None:
    name = match["name"].lower()
    if _SILENT_ROLES.fullmatch(name):
        state.push("hidden", "", 0)
        return
    start, end = match.span("content")
    if name == "math":
        start, end = start - 1, end + 1  # a formula is shown without what stands around it
    titled = _TITLED.fullmatch(match["content"])
    if titled and titled["title"]:
        end = start + len(titled["title"])
    token = state.push("math_inline" if name == "math" else "literal", "", 0)
    text = state.src[start:end]
    token.content = state.env["titles"].get(text, text) if name == "ref" else text
    token.meta = {"start": start, "end": end}

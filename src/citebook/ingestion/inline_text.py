"""Parses the content of a paragraph so that each token knows its place in that content.

markdown-it tells the lines of a block and nothing about the places of its inline tokens. This parser keeps
them: `token.meta` of every token has `start` and `end`.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from citebook.ingestion.script_scanner import UNCLOSED, Tag, expression_end, read_tag, string_literal

MAX_IMAGE_DEPTH = 10
MAX_LABEL_DEPTH = 20

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,200})\]")

_ESCAPED_BRACKET = re.compile(r"\\&(lt|gt);")


class Unclosed(ValueError):
    """Markup that opens at a place in the content and never closes."""

    def __init__(self, position: int, what: str) -> None:
        super().__init__(what)
        self.position = position


class PlacedState(StateInline):
    """The inline state, which also knows where the pending text began."""

    pending_start = 0

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.meta = {"start": self.pending_start, "end": self.pending_start + len(token.content)}
        return token


class PlacedInline(ParserInline):
    """The inline parser, which also notes the place of each token."""

    def tokenize(self, state: StateInline) -> None:
        assert isinstance(state, PlacedState)
        while state.pos < state.posMax:
            start, tokens_before, had_pending = state.pos, len(state.tokens), bool(state.pending)
            if not self._apply_rules(state):
                state.append_pending(state.src[start])
                state.pos += 1
            if not had_pending and state.pending:
                state.pending_start = start
            _place(state.tokens, tokens_before, start, state.pos)
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Look ahead by one token; in too many open brackets, to the end of the content."""
        if state.level >= MAX_LABEL_DEPTH and state.pos not in state.cache:
            state.cache[state.pos] = state.posMax
        super().skipToken(state)

    def _apply_rules(self, state: StateInline) -> bool:
        if state.level >= state.md.options["maxNesting"]:
            return False
        return any(rule(state, False) for rule in self.ruler.getRules(""))

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = PlacedState(src, md, env, tokens)
        depth = env.get("inline_depth", 0)
        if depth > MAX_IMAGE_DEPTH:  # images in the alt text of images: as good as plain text by now
            state.pending = src
            state.pushPending()
            return state.tokens
        env["inline_depth"] = depth + 1
        self.tokenize(state)
        env["inline_depth"] = depth
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _place(tokens: list[Token], first: int, start: int, end: int) -> None:
    """Give the tokens of one rule its range; a row of delimiters shares it out."""
    for index in range(first, len(tokens)):
        token = tokens[index]
        if "start" in token.meta:
            continue
        if token.markup == "autolink" and token.nesting == 1:
            tokens[index + 1].meta = {"start": start + 1, "end": end - 1}
        if token.type == "text":
            token.meta = {"start": start, "end": start + len(token.content)}
            start += len(token.content)
        else:
            token.meta = {**token.meta, "start": start, "end": end}


def add_inline_rules(md: MarkdownIt, *, mdx: bool) -> None:
    md.inline.ruler.before("escape", "math", _math)
    md.inline.ruler.before("escape", "escaped_entity", _escaped_entity)
    md.inline.ruler.before("link", "footnote_reference", _footnote_reference)
    md.inline.ruler.after("autolink", "comment", _comment)
    if mdx:
        md.inline.ruler.after("comment", "jsx", _jsx)
        md.inline.ruler.after("jsx", "expression", _expression)


def _escaped_entity(state: StateInline, silent: bool) -> bool:
    """`\\&lt;`: authors who escape a bracket twice mean the bracket, not the name of the entity."""
    match = _ESCAPED_BRACKET.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    token = _pass(state, match.end(), silent, "text_special")
    if token:
        token.content = "<" if match[1] == "lt" else ">"
    return True


def _pass(state: StateInline, end: int, silent: bool, kind: str) -> Token | None:
    token = None if silent else state.push(kind, "", 0)
    if token:
        token.meta = {"start": state.pos, "end": end}
    state.pos = end
    return token


def _math(state: StateInline, silent: bool) -> bool:
    """`$a_1 * b$`: kept with its dollars, and what is inside is no Markdown. `$HOME … `$PATH`` is none."""
    source, start = state.src, state.pos
    if source[start] != "$":
        return False
    fence = "$$" if source.startswith("$$", start) else "$"
    close = _closing_dollar(source, start + len(fence), state.posMax, fence)
    if close < 0:
        return False
    inner = source[start + len(fence) : close]
    after = source[close + len(fence) : close + len(fence) + 1]
    if not inner or "`" in inner or (fence == "$" and (inner != inner.strip() or after.isdigit())):
        return False
    token = _pass(state, close + len(fence), silent, "math_inline")
    if token:
        token.content = source[start : state.pos]
    return True


def _closing_dollar(source: str, start: int, end: int, fence: str) -> int:
    close = source.find(fence, start, end)
    while close > 0 and source[close - 1] == "\\":
        close = source.find(fence, close + 1, end)
    return close


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    match = _FOOTNOTE.match(state.src, state.pos, state.posMax)
    if not match or ":" + match[1] not in state.env.get("footnotes", {}).get("refs", {}):
        return False
    _pass(state, match.end(), silent, "hidden")
    return True


def _comment(state: StateInline, silent: bool) -> bool:
    """`{/* … */}` and, where MDX knows no raw HTML, `<!-- … -->`."""
    for opener, closer in (("{/*", "*/}"), ("<!--", "-->")):
        if state.src.startswith(opener, state.pos):
            absent = state.env.setdefault("absent", {})
            if absent.get(closer) is state.src:
                return False
            end = state.src.find(closer, state.pos + len(opener), state.posMax)
            if end < 0:
                absent[closer] = state.src if state.posMax == len(state.src) else None
                return False
            _pass(state, end + len(closer), silent, "hidden")
            return True
    return False


def _jsx(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    tag = read_tag(state.src, state.pos, state.posMax)
    if tag is None:
        return False
    if not isinstance(tag, Tag):
        if state.posMax < len(state.src):  # a link's text ends first: then it is no link
            return False
        raise Unclosed(state.pos, f"the tag `{state.src[state.pos : state.pos + 20]}` is not closed")
    token = _pass(state, tag.end, silent, "tag")
    if token:
        token.meta["tag"] = tag
    return True


def _expression(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    end = expression_end(state.src, state.pos, state.posMax)
    if end == UNCLOSED:
        if state.posMax < len(state.src):
            return False
        raise Unclosed(state.pos, f"the expression `{state.src[state.pos : state.pos + 20]}` is not closed")
    literal = string_literal(state.src, state.pos, end)
    token = _pass(state, end, silent, "literal" if literal else "hidden")
    if token and literal:
        token.content = literal[0]
        token.meta = {"start": literal[1], "end": literal[2]}
    return True

"""Turns the tokens of a page into its visible text."""

import re
from collections.abc import Callable, Mapping

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.token import Token

from citebook.domain.blocks import Mark
from citebook.domain.layout import NodeKind
from citebook.ingestion.content_map import ContentMap, Piece, map_of_lines, map_of_range
from citebook.ingestion.inline_text import Unclosed
from citebook.ingestion.mapped_text import TextRun
from citebook.ingestion.markdown_dialects import MarkdownInHtml, is_contents, says_nothing
from citebook.ingestion.mdbook_includes import Includes, code_language, visible_rust
from citebook.ingestion.mdx_syntax import markdown_parser
from citebook.ingestion.mkdocs_inline import language_mark
from citebook.ingestion.mkdocs_syntax import SNIPPET_NOT_READ, mentions_snippets, takes_snippet
from citebook.ingestion.page_builder import PageBuilder
from citebook.ingestion.page_tags import TagReader
from citebook.ingestion.script_scanner import Tag, TooDeep, string_literal
from citebook.ingestion.source_text import MalformedPage, SourceText

_FENCE_TITLE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_PARTIAL = re.compile(r"""import\s+([\w$]+)\s+from\s+['"]([^'"\n]+\.mdx?)['"]""")
_SHOWN_INLINE = frozenset({"text", "text_special", "math_inline", "literal", "keys"})
_PAIRED_MARKS: dict[str, Mark] = {"strong": "strong", "em": "emphasis"}
_SINGLE_MARKS: dict[str, Mark] = {
    "code_inline": "code",
    "keys": "code",
    "math_inline": "formula",
    "image": "emphasis",
}


class PageWalker:
    """Walks over the tokens once and tells the builder what a reader sees."""

    def __init__(
        self,
        page: SourceText,
        title: str | None,
        *,
        mdx: bool,
        includes: Includes | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self.page = page
        self.builder = PageBuilder(title)
        self.imports: dict[str, str] = {}
        self._parser = markdown_parser(mdx=mdx)
        self._includes = includes
        self._is_mdx = mdx
        self._not_read: dict[str, None] = {}
        """What a page of MkDocs takes from elsewhere; each once, in order."""
        self._env: dict[str, object] = {
            "page": page,
            "markdown_in_html": MarkdownInHtml("" if mdx else page.text),
            "not_read": self._not_read,
            "titles": titles or {},
        }
        if includes:
            self._env["includes"] = includes
        self._tags = TagReader(page, self.builder, must_match=mdx)
        self._marker_end = 0
        self._containers = 0
        self._handlers = self._block_handlers()

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self._tags.warnings, *self._not_read, *(self._includes.warnings if self._includes else ()))

    def walk(self) -> None:
        tokens = self._parser.parse(self.page.text, self._env)
        for index, token in enumerate(tokens):
            if token.type == "inline":
                self._inline(token, tokens[index - 1])
            elif token.type in self._handlers:
                self._handlers[token.type](token)
        self._tags.end_page()

    def _block_handlers(self) -> dict[str, Callable[[Token], None]]:
        """What to do at each kind of token; the kinds that are not here show nothing."""
        builder = self.builder
        return {
            "paragraph_close": lambda _: self._tags.end_paragraph(),
            "bullet_list_open": lambda _: self._list_open(ordered=False),
            "ordered_list_open": lambda _: self._list_open(ordered=True),
            "bullet_list_close": self._list_close,
            "ordered_list_close": self._list_close,
            "list_item_open": self._list_item,
            "blockquote_open": self._quote_open,
            "blockquote_close": self._quote_close,
            "directive_open": lambda _: builder.open_quote(),
            "directive_close": lambda _: builder.close_quote(),
            "figure_open": lambda _: builder.open_caption(),
            "figure_close": lambda _: builder.close_caption(),
            "table_open": lambda _: builder.open_table(),
            "tr_open": lambda _: builder.open_row(),
            "th_open": lambda _: builder.open_cell(header=True),
            "td_open": lambda _: builder.open_cell(header=False),
            "table_close": lambda _: builder.close_table(),
            "fence": self._fence,
            "code_block": lambda token: self._code(token, skipped_lines=0),
            "math_block": self._math,
            "formula": self._formula,
            "html_block": self._html,
            "flow": self._flow,
            "esm": lambda token: self.imports.update(_PARTIAL.findall(token.content)),
        }

    # --- blocks

    def _enter(self, step: int) -> None:
        self._containers += step

    def _list_open(self, *, ordered: bool) -> None:
        self._enter(1)
        self.builder.open_list(ordered=ordered)

    def _list_close(self, _: Token) -> None:
        self._enter(-1)
        self.builder.close_list()

    def _quote_open(self, _: Token) -> None:
        self._enter(1)
        self.builder.open_quote()

    def _quote_close(self, _: Token) -> None:
        self._enter(-1)
        self.builder.close_quote()

    def _list_item(self, token: Token) -> None:
        marker = token.info + token.markup
        number = int(token.info or 1)
        line_start, line_end = self.page.line_range(_lines(token)[0])
        # Items can share a line, as in `- 1. text`: look behind the last marker.
        start = self.page.text.find(marker, max(line_start, self._marker_end), line_end)
        if start < 0 or self._tags.hides_text:
            self.builder.open_item(number=number)
            return
        self._marker_end = start + len(marker)
        runs = self.page.runs(marker, start, self._marker_end)
        after = runs[-1].end
        has_space = self.page.text.startswith(" ", self._marker_end)
        self.builder.open_item([*runs, TextRun(" ", after, after + has_space)], number)

    def _fence(self, token: Token) -> None:
        title = _FENCE_TITLE.search(token.info)
        shown = (title[1] or title[2]) if title else None
        line_start, line_end = self.page.line_range(_lines(token)[0])
        start = self.page.text.find(shown, line_start, line_end) if shown else -1
        if shown and start >= 0 and not self._tags.hides_text:
            self.builder.end_paragraph()
            self.builder.add(self.page.runs(shown, start, start + len(shown)))
            self.builder.end_paragraph()
        self._code(token, skipped_lines=1)

    def _code(self, token: Token, *, skipped_lines: int) -> None:
        first_line, last_line = _lines(token)
        content = token.content.rstrip("\n")
        mapped = map_of_lines(self.page, content, first_line + skipped_lines, last_line)
        if not self._tags.hides_text:
            language = code_language(token.info)
            self.builder.add_block(NodeKind.CODE, self._code_runs(mapped, token), language)

    def _code_runs(self, mapped: ContentMap, token: Token) -> list[TextRun]:
        if self._includes:
            return self._listing(mapped, token)
        if not self._is_mdx and mentions_snippets(mapped.content):
            return self._without_snippets(mapped)
        return mapped.runs(mapped.content, 0, len(mapped.content))

    def _without_snippets(self, mapped: ContentMap) -> list[TextRun]:
        runs: list[TextRun] = []
        start = 0
        for line in mapped.content.split("\n"):
            end = start + len(line)
            if takes_snippet(line):
                self._not_read[SNIPPET_NOT_READ] = None
            else:
                runs += mapped.runs("\n", start - 1, start) if runs else []
                runs += mapped.runs(line, start, end)
            start = end + 1
        return runs

    def _listing(self, mapped: ContentMap, token: Token) -> list[TextRun]:
        """Code as mdBook shows it, with what it includes; that stands for the line of the directive."""
        runs: list[TextRun] = []
        start = 0
        for line in mapped.content.split("\n"):
            end = start + len(line)
            shown = self._shown_code(line, rust=code_language(token.info) == "rust")
            if shown is not None:
                runs += mapped.runs("\n", start - 1, start) if runs else []
                runs += mapped.runs(shown, start, end)
            start = end + 1
        return runs

    def _shown_code(self, line: str, *, rust: bool) -> str | None:
        """None where the line, or all that it includes, is hidden."""
        assert self._includes is not None, "asked for only in an mdBook"
        included = self._includes.shown(line)
        lines = [line] if included is None else included.split("\n") if included else []
        shown = [visible_rust(one) for one in lines] if rust else lines
        kept = [one for one in shown if one is not None]
        return "\n".join(kept) if kept else None

    def _math(self, token: Token) -> None:
        mapped = map_of_lines(self.page, token.content, *_lines(token))
        start = token.content.index("$$") + 2
        end = token.content.rindex("$$")
        inner = token.content[start:end]
        start += len(inner) - len(inner.lstrip())
        end = start + len(inner.strip())
        if not self._tags.hides_text:
            self.builder.add_block(NodeKind.FORMULA, mapped.runs(inner.strip(), start, end))

    def _formula(self, token: Token) -> None:
        """One that a line above it announces, as a fence does code."""
        first_line, last_line = _lines(token)
        mapped = map_of_lines(self.page, token.content, first_line + 1, last_line)
        inner = token.content.strip()
        start = token.content.index(inner)
        if inner and not self._tags.hides_text:
            self.builder.add_block(NodeKind.FORMULA, mapped.runs(inner, start, start + len(inner)))

    def _html(self, token: Token) -> None:
        mapped = map_of_lines(self.page, token.content, *_lines(token))
        self._tags.read_html(mapped, token.content, 0, in_flow=True)

    def _flow(self, token: Token) -> None:
        mapped = map_of_lines(self.page, token.content, *_lines(token))
        for item in token.meta["items"]:
            if isinstance(item, Tag):
                self._tags.read_tag(item, mapped, 0, in_flow=True)
                continue
            literal = string_literal(token.content, *item)
            if literal and not self._tags.hides_text:
                self.builder.add(mapped.runs(*literal))
                self.builder.end_paragraph()

    # --- inline content

    def _inline(self, token: Token, before: Token) -> None:
        if is_contents(token.content):
            return
        mapped = self._content_map(token, before)
        children: list[Token] = []
        try:
            self._parser.inline.parse(token.content, self._parser, self._env, children)
        except (Unclosed, TooDeep) as error:
            at = mapped.position(error.position if isinstance(error, Unclosed) else 0)
            raise MalformedPage(self.page.file_line(at), str(error)) from None
        if before.type == "heading_open":
            self._heading(before, children, mapped)
        else:
            if token.meta.get("is_title"):
                self.builder.open_mark("strong")
            self._children(children, mapped, 0)

    def _content_map(self, token: Token, before: Token) -> ContentMap:
        if "range" in token.meta:
            return map_of_range(self.page, *token.meta["range"])
        if "cell" in token.meta:
            return _cell_map(self.page, token.content, token.meta["cell"])
        first_line, last_line = _lines(token)
        if before.type == "heading_open" and before.markup.startswith("#"):
            line_start, line_end = self.page.line_range(first_line)
            hashes = self.page.text.find(before.markup, line_start, line_end) + len(before.markup)
            start = self.page.text.find(token.content, hashes, line_end)
            return map_of_range(self.page, start, start + len(token.content))
        return map_of_lines(self.page, token.content, first_line, last_line)

    def _heading(self, opening: Token, children: list[Token], mapped: ContentMap) -> None:
        raw_title = "".join(_raw_text(child) for child in children)
        explicit_id = opening.meta.get("id")
        if self._containers or self._tags.hides_text:
            self.builder.use_anchor(raw_title, explicit_id)
            self._children(children, mapped, 0)
            self.builder.end_paragraph()
            return
        self.builder.open_heading()
        self._children(children, mapped, 0)
        self.builder.close_heading(int(opening.tag[1]), raw_title, explicit_id)

    def _children(self, children: list[Token], mapped: ContentMap, base: int) -> None:
        """Inline tokens whose places are counted from `base` in the mapped content."""
        for child in children:
            start, end = base + child.meta.get("start", 0), base + child.meta.get("end", 0)
            mark = _PAIRED_MARKS.get(child.tag) if child.nesting else _SINGLE_MARKS.get(child.type)
            if mark and child.nesting >= 0:
                self.builder.open_mark(mark)
            self._child(child, mapped, base, start, end)
            if mark and child.nesting <= 0:
                self.builder.close_mark(mark)

    def _child(self, child: Token, mapped: ContentMap, base: int, start: int, end: int) -> None:
        if child.type == "html_inline":
            self._tags.read_html(mapped, child.content, start, in_flow=False)
        elif child.type == "tag":
            self._tags.read_tag(child.meta["tag"], mapped, base, in_flow=False)
        elif self._tags.hides_text:
            return
        elif child.type in _SHOWN_INLINE:
            self.builder.add(mapped.runs(child.content, start, end))
        elif child.type in ("softbreak", "hardbreak"):
            self.builder.add(mapped.runs(" ", start, end))
        elif child.type == "code_inline":
            self._code_span(child, mapped, start, end)
        elif child.type == "image" and not says_nothing(child.content):
            self.builder.open_caption()
            self._children(child.children or [], mapped, start + 2)
            self.builder.close_caption()

    def _code_span(self, token: Token, mapped: ContentMap, start: int, end: int) -> None:
        start += len(token.markup)
        end -= len(token.markup)
        if end - start > len(token.content):  # one space on each side is not shown
            start, end = start + 1, end - 1
        hidden = 0 if self._is_mdx else language_mark(token.content)
        self.builder.add(mapped.runs(token.content[hidden:], start + hidden, end))


def _lines(token: Token) -> tuple[int, int]:
    """The lines [first, last) of a block's token."""
    assert token.map is not None, f"markdown-it gives each {token.type} its lines"
    return token.map[0], token.map[1]


def _cell_map(page: SourceText, content: str, ranges: list[tuple[int, int]]) -> ContentMap:
    """The map of a table's cell, whose content is its ranges put together and trimmed."""
    text = "".join(page.text[start:end] for start, end in ranges)
    at = len(text.lstrip(MD_TRIM_CHARS)) - len(text)
    pieces: list[Piece] = []
    for start, end in ranges:
        pieces.append(Piece(at, at + end - start, start, end))
        at += end - start
    return ContentMap(page, content, pieces)


def _raw_text(token: Token) -> str:
    """What the anchor of a heading is made of."""
    if token.type == "image":
        return "".join(_raw_text(child) for child in token.children or [])
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content if token.type in _SHOWN_INLINE or token.type == "code_inline" else ""

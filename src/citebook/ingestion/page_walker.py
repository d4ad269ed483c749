"""Turns the tokens of a page into its visible text."""

import re

from markdown_it.token import Token

from citebook.ingestion.content_map import ContentMap, Piece, map_of_lines, map_of_range
from citebook.ingestion.html_text import HtmlText, decoded, read_html
from citebook.ingestion.inline_text import Unclosed
from citebook.ingestion.mdx_syntax import markdown_parser
from citebook.ingestion.page import BlockKind, MappedText, Run
from citebook.ingestion.page_builder import PageBuilder, fold_spaces
from citebook.ingestion.script_scanner import Tag, TooDeep, string_literal
from citebook.ingestion.source_text import MalformedPage, SourceText

_HIDDEN_TAGS = frozenset({"script", "style", "template", "head", "Head", "annotation", "annotation-xml", "iframe"})
_CELL_TAGS = frozenset({"td", "th"})
_ROW_TAGS = frozenset({"tr", "caption"})
_LIST_TAGS = frozenset({"ul", "ol"})
_SPACE_TAGS = frozenset({"br", "mtd", "mtr", "wbr"})
_PARAGRAPH_TAGS = frozenset(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav option p pre section summary table ul ol".split()
)
_SHOWN_ATTRIBUTES = frozenset({"label", "title", "alt", "caption", "summary", "header"})
_FENCE_TITLE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")
_PARTIAL = re.compile(r"""import\s+([\w$]+)\s+from\s+['"]([^'"\n]+\.mdx?)['"]""")
_SHOWN_INLINE = frozenset({"text", "text_special", "math_inline", "literal"})


class PageWalker:
    """Walks over the tokens once and tells the builder what a reader sees."""

    def __init__(self, page: SourceText, title: str | None, *, mdx: bool) -> None:
        self.page = page
        self.builder = PageBuilder(title)
        self.imports: dict[str, str] = {}
        self._mdx = mdx
        self._parser = markdown_parser(mdx=mdx)
        self._env: dict[str, object] = {"page": page}
        self._hidden: list[str] = []
        self._open_tags: list[tuple[str, int]] = []
        self._pre_runs: list[Run] | None = None
        self._marker_end = 0
        self._containers = 0

    def walk(self) -> None:
        tokens = self._parser.parse(self.page.text, self._env)
        for index, token in enumerate(tokens):
            if token.type == "inline":
                self._inline(token, tokens[index - 1])
            else:
                handler = getattr(self, f"_on_{token.type}", None)
                if handler:
                    handler(token)
        if self._mdx and self._open_tags:
            name, position = self._open_tags[-1]
            raise MalformedPage(self.page.file_line(position), f"the tag `<{name}>` is not closed")

    # --- blocks

    def _on_paragraph_close(self, _: Token) -> None:
        if not self._mdx:
            self._hidden.clear()
        self.builder.end_paragraph()

    def _on_bullet_list_open(self, _: Token) -> None:
        self._containers += 1
        self.builder.open_list()

    def _on_bullet_list_close(self, _: Token) -> None:
        self._containers -= 1
        self.builder.close_list()

    _on_ordered_list_open = _on_bullet_list_open
    _on_ordered_list_close = _on_bullet_list_close

    def _on_blockquote_open(self, _: Token) -> None:
        self._containers += 1

    def _on_blockquote_close(self, _: Token) -> None:
        self._containers -= 1

    def _on_list_item_open(self, token: Token) -> None:
        if not token.map or self._hidden:
            return
        marker = token.info + token.markup
        line_start, line_end = self.page.line_range(token.map[0])
        start = self.page.text.find(marker, max(line_start, self._marker_end), line_end)
        if start < 0:
            self.builder.open_item()
            return
        end = self._marker_end = start + len(marker)
        if self.page.text.startswith(" ", end):
            runs = self.page.runs(marker + " ", start, end + 1)
        else:
            runs = self.page.runs(marker, start, end)
            runs.append(Run(" ", runs[-1].end, runs[-1].end))
        self.builder.open_item(runs)

    def _on_table_open(self, _: Token) -> None:
        self.builder.open_table()

    def _on_table_close(self, _: Token) -> None:
        self.builder.close_table()

    def _on_tr_open(self, _: Token) -> None:
        self.builder.open_row()

    def _on_td_open(self, _: Token) -> None:
        self.builder.open_cell()

    _on_th_open = _on_td_open

    def _on_fence(self, token: Token) -> None:
        assert token.map
        title = _FENCE_TITLE.search(token.info)
        if title and not self._hidden:
            self._fence_title(token, title[1] or title[2] or "")
        self._code(token, token.map[0] + 1)

    def _fence_title(self, token: Token, title: str) -> None:
        assert token.map
        line_start, line_end = self.page.line_range(token.map[0])
        start = self.page.text.find(title, self.page.text.find("title=", line_start, line_end), line_end)
        if title and start >= 0:
            self.builder.end_paragraph()
            self.builder.add(self.page.runs(title, start, start + len(title)))
            self.builder.end_paragraph()

    def _on_code_block(self, token: Token) -> None:
        assert token.map
        self._code(token, token.map[0])

    def _code(self, token: Token, first_line: int) -> None:
        assert token.map
        if self._hidden:
            return
        content = token.content.rstrip("\n")
        mapped = map_of_lines(self.page, content, first_line, token.map[1])
        self.builder.add_block(BlockKind.CODE, mapped.runs(content, 0, len(content)))

    def _on_math_block(self, token: Token) -> None:
        assert token.map
        mapped = map_of_lines(self.page, token.content, *token.map)
        start = token.content.index("$$") + 2
        end = token.content.rindex("$$")
        inner = token.content[start:end]
        start += len(inner) - len(inner.lstrip())
        end -= len(inner) - len(inner.rstrip())
        if start < end and not self._hidden:
            self.builder.add_block(BlockKind.MATH, mapped.runs(token.content[start:end], start, end))

    def _on_esm(self, token: Token) -> None:
        self.imports.update(_PARTIAL.findall(token.content))

    def _on_html_block(self, token: Token) -> None:
        assert token.map
        self._html(map_of_lines(self.page, token.content, *token.map), token.content, 0, in_flow=True)
        if not self._pre_runs:
            self.builder.gap()

    def _on_flow(self, token: Token) -> None:
        assert token.map
        mapped = map_of_lines(self.page, token.content, *token.map)
        for item in token.meta["items"]:
            if isinstance(item, Tag):
                self._tag(item, mapped, 0, in_flow=True)
                continue
            literal = string_literal(token.content, *item)
            if literal and not self._hidden:
                self.builder.add(mapped.runs(*literal))
                self.builder.end_paragraph()

    # --- inline content

    def _inline(self, token: Token, before: Token) -> None:
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
            self._children(children, mapped, 0)

    def _content_map(self, token: Token, before: Token) -> ContentMap:
        assert token.map
        if "range" in token.meta:
            return map_of_range(self.page, *token.meta["range"])
        if "cell" in token.meta:
            return _cell_map(self.page, token.content, token.meta["cell"])
        if before.type == "heading_open" and before.markup.startswith("#"):
            line_start, line_end = self.page.line_range(token.map[0])
            hashes = self.page.text.find(before.markup, line_start, line_end) + len(before.markup)
            start = self.page.text.find(token.content, hashes, line_end)
            return map_of_range(self.page, start, start + len(token.content))
        return map_of_lines(self.page, token.content, *token.map)

    def _heading(self, opening: Token, children: list[Token], mapped: ContentMap) -> None:
        if self._hidden:
            return
        raw_title = "".join(_raw_text(child) for child in children)
        explicit_id = opening.meta.get("id")
        if self._containers:
            if not explicit_id:
                self.builder.skip_anchor(raw_title)
            self._children(children, mapped, 0)
            self.builder.end_paragraph()
            return
        scratch, self.builder = self.builder, PageBuilder(None)
        self._children(children, mapped, 0)
        blocks = self.builder.take_blocks()
        self.builder = scratch
        runs = [run for block in blocks for run in block.content.runs]
        self.builder.open_section(int(opening.tag[1]), MappedText(fold_spaces(runs)), raw_title, explicit_id)

    def _children(self, children: list[Token], mapped: ContentMap, base: int) -> None:
        """Inline tokens whose places are counted from `base` in the mapped content."""
        for child in children:
            start, end = base + child.meta.get("start", 0), base + child.meta.get("end", 0)
            if child.type == "html_inline":
                self._html(mapped, child.content, start, in_flow=False)
            elif child.type == "tag":
                self._tag(child.meta["tag"], mapped, base, in_flow=False)
            elif self._hidden:
                continue
            elif child.type in _SHOWN_INLINE:
                self.builder.add(mapped.runs(child.content, start, end))
            elif child.type in ("softbreak", "hardbreak"):
                self.builder.add(mapped.runs(" ", start, end))
            elif child.type == "code_inline":
                self._code_span(child, mapped, start, end)
            elif child.type == "image":
                self._children(child.children or [], mapped, start + 2)

    def _code_span(self, token: Token, mapped: ContentMap, start: int, end: int) -> None:
        start += len(token.markup)
        end -= len(token.markup)
        if end - start > len(token.content):  # one space on each side is not shown
            start, end = start + 1, end - 1
        self.builder.add(mapped.runs(token.content, start, end))

    # --- tags

    def _html(self, mapped: ContentMap, content: str, base: int, *, in_flow: bool) -> None:
        for item in read_html(content):
            if isinstance(item, Tag):
                self._tag(item, mapped, base, in_flow=in_flow)
            elif not self._hidden:
                self._text(item, mapped, base)

    def _text(self, item: HtmlText, mapped: ContentMap, base: int) -> None:
        runs = mapped.runs(item.text, base + item.start, base + item.end)
        if self._pre_runs is not None:
            self._pre_runs += runs
        else:
            self.builder.add(runs)

    def _tag(self, tag: Tag, mapped: ContentMap, base: int, *, in_flow: bool) -> None:
        self._match_tags(tag, mapped.position(base + tag.start))
        if self._hidden or tag.name in _HIDDEN_TAGS:
            self._hide_or_show(tag)
            return
        is_component = tag.name[:1].isupper() or "." in tag.name or tag.name == ""
        if tag.name in _PARAGRAPH_TAGS or (is_component and in_flow):
            self.builder.end_paragraph()
        self._structure(tag)
        for attribute in tag.attributes:
            if attribute.name == "alt" or (is_component and attribute.name in _SHOWN_ATTRIBUTES):
                stands_alone = in_flow or (is_component and self.builder.line_is_empty)
                self._attribute(mapped, base + attribute.start, base + attribute.end, attribute.is_expression)
                if stands_alone:
                    self.builder.end_paragraph()

    def _attribute(self, mapped: ContentMap, start: int, end: int, is_expression: bool) -> None:
        self.builder.gap()
        if is_expression:
            literal = string_literal(mapped.content, start, end)
            pieces = [HtmlText(*literal)] if literal else []
        else:
            pieces = list(decoded(mapped.content, start, end))
        for piece in pieces:
            self.builder.add(mapped.runs(*piece))
        self.builder.gap()

    def _structure(self, tag: Tag) -> None:
        """What a tag of HTML means for the blocks."""
        name, builder = tag.name, self.builder
        if name in _SPACE_TAGS:
            builder.gap()
        elif name in _ROW_TAGS:
            builder.open_row()
        elif name in _CELL_TAGS and not tag.closes:
            builder.open_cell()
        elif name == "table":
            _ = builder.close_table() if tag.closes else builder.open_table()
        elif name in _LIST_TAGS:
            _ = builder.close_list() if tag.closes else builder.open_list()
        elif name == "pre":
            self._pre(tag)

    def _pre(self, tag: Tag) -> None:
        if not tag.closes:
            self._pre_runs = []
        elif self._pre_runs is not None:
            self.builder.add_block(BlockKind.CODE, self._pre_runs)
            self._pre_runs = None

    def _hide_or_show(self, tag: Tag) -> None:
        """Keep count of tags whose content no reader sees."""
        if not self._hidden:
            if not tag.closes and not tag.self_closing:
                self._hidden.append(tag.name)
        elif tag.name == self._hidden[0] and not tag.self_closing:
            _ = self._hidden.pop() if tag.closes else self._hidden.append(tag.name)

    def _match_tags(self, tag: Tag, position: int) -> None:
        """In MDX, each tag must be closed by its own kind."""
        if not self._mdx or tag.self_closing:
            return
        if not tag.closes:
            self._open_tags.append((tag.name, position))
        elif self._open_tags and self._open_tags[-1][0] == tag.name:
            self._open_tags.pop()
        else:
            open_tag = f"`<{self._open_tags[-1][0]}>` is open" if self._open_tags else "nothing is open"
            line = self.page.file_line(position)
            raise MalformedPage(line, f"`</{tag.name}>` closes a tag while {open_tag}")


def _cell_map(page: SourceText, content: str, ranges: list[tuple[int, int]]) -> ContentMap:
    pieces: list[Piece] = []
    at = 0
    for start, end in ranges:
        pieces.append(Piece(at, at + end - start, start, end))
        at += end - start
    text = "".join(page.text[start:end] for start, end in ranges)
    shift = len(text) - len(text.lstrip(" \t\n"))
    moved = [Piece(piece.start - shift, piece.end - shift, *piece[2:]) for piece in pieces]
    return ContentMap(page, content, moved)


def _raw_text(token: Token) -> str:
    """What the anchor of a heading is made of."""
    if token.type == "image":
        return "".join(_raw_text(child) for child in token.children or [])
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    return token.content if token.type in _SHOWN_INLINE or token.type == "code_inline" else ""

"""What the tags of a page, HTML's and JSX's, mean for the text that a reader sees."""

import re

from citebook.domain.blocks import Mark
from citebook.domain.layout import NodeKind
from citebook.ingestion.component_texts import attribute_texts, holds_prose, is_command, is_shown
from citebook.ingestion.content_map import ContentMap
from citebook.ingestion.html_text import read_html
from citebook.ingestion.mapped_text import TextRun
from citebook.ingestion.page_builder import PageBuilder
from citebook.ingestion.script_scanner import Attribute, Tag
from citebook.ingestion.scripts import OpenScripts, Script
from citebook.ingestion.source_text import MalformedPage, SourceText

_HOLD_NOTHING = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_HIDDEN_TAGS = frozenset({"script", "style", "template", "head", "Head", "annotation", "annotation-xml", "iframe"})
_CELL_TAGS = frozenset({"td", "th"})
_ROW_TAGS = frozenset({"tr", "caption"})
_LIST_TAGS = frozenset({"ul", "ol"})
_SPACE_TAGS = frozenset({"br", "mtd", "mtr", "wbr"})
_PARAGRAPH_TAGS = frozenset(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p pre section summary table "
    "ul".split()
)
_MARK_TAGS: dict[str, Mark] = {
    "b": "strong",
    "strong": "strong",
    "i": "emphasis",
    "em": "emphasis",
    "code": "code",
    "kbd": "code",
}
_HIDING_STYLE = re.compile(r"(?:display['\"]?\s*:\s*['\"]?none|visibility['\"]?\s*:\s*['\"]?hidden)\b", re.IGNORECASE)
_SHOWN_ALL_THE_SAME = frozenset({"false", "{false}"})
_TELLING_NOTHING = frozenset({"alt", "answers", "caption", "choices", "options", "questions", "quiz"})
"""Attributes with the text of a figure, or with right and wrong answers side by side."""
_SHELL = "sh"
_SCRIPT_TAGS: dict[str, Script] = {"sup": "sup", "sub": "sub"}


class TagReader:
    """Reads tags in order and tells the builder; knows which are open and whether they hide what is in them."""

    def __init__(self, page: SourceText, builder: PageBuilder, *, must_match: bool) -> None:
        self._page = page
        self._builder = builder
        self._must_match = must_match
        self._hidden: list[str] = []
        self._hides_on = False
        """Whether what is hidden ends with its tag only, and not with its paragraph."""
        self._open_tags: list[tuple[str, int]] = []
        self._preformatted: list[TextRun] | None = None
        self._preformatted_scripts = OpenScripts()
        self._unread: dict[str, dict[str, None]] = {}
        """Components with their attributes that hold text and are not shown; each once, in order."""

    @property
    def warnings(self) -> list[str]:
        return [f"text in <{name}> is not read: {', '.join(unread)}" for name, unread in self._unread.items()]

    @property
    def hides_text(self) -> bool:
        return bool(self._hidden)

    def end_paragraph(self) -> None:
        """A stray `<style>` in Markdown does not hide more than its paragraph."""
        if not self._must_match and not self._hides_on:
            self._hidden.clear()
        self._builder.end_paragraph()

    def end_page(self) -> None:
        if self._must_match and self._open_tags:
            name, position = self._open_tags[-1]
            raise MalformedPage(self._page.file_line(position), f"the tag `<{name}>` is not closed")

    def read_html(self, mapped: ContentMap, content: str, base: int, *, in_flow: bool) -> None:
        """A piece of HTML that starts at `base` in the mapped content."""
        for item in read_html(content):
            if isinstance(item, Tag):
                self.read_tag(item, mapped, base, in_flow=in_flow)
            elif not self._hidden:
                runs = mapped.runs(item.text, base + item.start, base + item.end)
                self._add(runs)
        if in_flow and self._preformatted is None:
            self._builder.gap()

    def read_tag(self, tag: Tag, mapped: ContentMap, base: int, *, in_flow: bool) -> None:
        self._match(tag, mapped.position(base + tag.start))
        hides = not self._hidden and _is_hidden(tag, mapped.content, base)
        if self._hidden or hides or tag.name in _HIDDEN_TAGS:
            self._hides_on = in_flow if hides else self._hides_on and bool(self._hidden)
            self._hide_or_show(tag)
            return
        is_component = tag.name[:1].isupper() or "." in tag.name or tag.name == ""
        if tag.name in _PARAGRAPH_TAGS or (is_component and in_flow):
            self._builder.end_paragraph()
        if tag.name in _SCRIPT_TAGS:
            self._script(tag, mapped, base)
        self._structure(tag)
        for attribute in tag.attributes:
            # The title of an HTML element is a tooltip; that of a component is most likely shown.
            if attribute.name == "alt" or (is_component and is_shown(attribute)):
                stands_alone = in_flow or (is_component and self._builder.line_is_empty)
                self._attribute(attribute, mapped, base, stands_alone=stands_alone)
            elif is_component and is_command(mapped.content, attribute.moved(base)):
                self._command(attribute, mapped, base)
            elif is_component and holds_prose(mapped.content, attribute.moved(base)):
                self._unread.setdefault(tag.name, {})[attribute.name] = None

    def _add(self, runs: list[TextRun]) -> None:
        if self._preformatted is not None:
            self._preformatted += runs
        else:
            self._builder.add(runs)

    def _attribute(self, attribute: Attribute, mapped: ContentMap, base: int, *, stands_alone: bool) -> None:
        is_caption = attribute.name in _TELLING_NOTHING
        for text in attribute_texts(mapped.content, attribute.moved(base)):
            self._builder.gap()
            if is_caption:
                self._builder.open_caption()
            for piece in text:
                self._builder.add(mapped.runs(*piece))
            if is_caption:
                self._builder.close_caption()
            self._builder.gap()
            if stands_alone:
                self._builder.end_paragraph()

    def _command(self, attribute: Attribute, mapped: ContentMap, base: int) -> None:
        for text in attribute_texts(mapped.content, attribute.moved(base)):
            runs = [run for piece in text for run in mapped.runs(*piece)]
            self._builder.add_block(NodeKind.CODE, runs, _SHELL)

    def _structure(self, tag: Tag) -> None:
        """What a tag of HTML means for the blocks."""
        name, builder = tag.name, self._builder
        if name in _SPACE_TAGS:
            builder.gap()
        elif name in _ROW_TAGS:
            builder.open_row()
        elif name in _MARK_TAGS:
            self._mark(tag)
        elif name == "pre":
            self._pre(tag)
        elif tag.closes:
            self._close(name)
        else:
            self._open(name)

    def _open(self, name: str) -> None:
        builder = self._builder
        if name in _CELL_TAGS:
            builder.open_cell(header=name == "th")
        elif name == "table":
            builder.open_table()
        elif name in _LIST_TAGS:
            builder.open_list(ordered=name == "ol")
        elif name == "li":
            builder.open_item()
        elif name == "blockquote":
            builder.open_quote()
        elif name == "figcaption":
            builder.open_caption()

    def _close(self, name: str) -> None:
        builder = self._builder
        if name == "table":
            builder.close_table()
        elif name in _LIST_TAGS:
            builder.close_list()
        elif name == "blockquote":
            builder.close_quote()
        elif name == "figcaption":
            builder.close_caption()

    def _mark(self, tag: Tag) -> None:
        mark = _MARK_TAGS[tag.name]
        if tag.closes:
            self._builder.close_mark(mark)
        elif not tag.self_closing:
            self._builder.open_mark(mark)

    def _script(self, tag: Tag, mapped: ContentMap, base: int) -> None:
        start = self._page.offset(mapped.position(base + tag.start))
        end = self._page.offset(mapped.end_position(base + tag.end))
        script, runs = _SCRIPT_TAGS[tag.name], self._preformatted
        if tag.closes:
            if runs is None:
                self._builder.close_script(end)
            else:
                self._preformatted_scripts.close(runs, end)
        elif not tag.self_closing:
            if runs is None:
                self._builder.open_script(script, start)
            else:
                self._preformatted_scripts.open(script, start, len(runs))

    def _pre(self, tag: Tag) -> None:
        if not tag.closes:
            self._preformatted = []
            self._preformatted_scripts.clear()
        elif self._preformatted is not None:
            self._builder.add_block(NodeKind.CODE, self._preformatted)
            self._preformatted = None

    def _hide_or_show(self, tag: Tag) -> None:
        """Keep count of tags whose content no reader sees."""
        if tag.self_closing or tag.name in _HOLD_NOTHING:
            return
        if not self._hidden or tag.name == self._hidden[0]:
            if not tag.closes:
                self._hidden.append(tag.name)
            elif self._hidden:
                self._hidden.pop()

    def _match(self, tag: Tag, position: int) -> None:
        """In MDX, each tag must be closed by its own kind, but for those of HTML that hold nothing.

        MDX itself wants `<br />`; other readers of `.mdx` pages take `<br>`, and nothing is lost by it.
        """
        if not self._must_match or tag.self_closing or tag.name in _HOLD_NOTHING:
            return
        if not tag.closes:
            self._open_tags.append((tag.name, position))
        elif self._open_tags and self._open_tags[-1][0] == tag.name:
            self._open_tags.pop()
        else:
            open_tag = f"`<{self._open_tags[-1][0]}>` is open" if self._open_tags else "nothing is open"
            line = self._page.file_line(position)
            raise MalformedPage(line, f"`</{tag.name}>` closes a tag while {open_tag}")


def _is_hidden(tag: Tag, content: str, base: int) -> bool:
    """Whether its attributes keep the element, and all that is in it, from every reader's eyes."""
    values = {one.name: content[base + one.start : base + one.end].strip() for one in tag.attributes}
    if "hidden" in values and values["hidden"].lower() not in _SHOWN_ALL_THE_SAME:
        return True
    return _HIDING_STYLE.search(values.get("style", "")) is not None

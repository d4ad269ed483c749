"""What other Markdown than Docusaurus' adds: alerts, attribute lists, Markdown in HTML, tags of Liquid, contents.

GitHub, kramdown, MkDocs and GitBook know these; in a `.md` page they would show as text that no reader sees.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from citebook.ingestion.mdbook_includes import DIRECTIVE, Includes

_NAME = r"[A-Za-z][\w:-]{0,60}"
_VALUE = r"(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[\w./%-]{1,100})"
_ATTRIBUTE = rf"(?:[.#][\w-]{{1,100}}|{_NAME}={_VALUE}|data-[\w-]{{1,60}}(?!=))"
ATTRIBUTE_LIST = rf"\{{:?\s?{_ATTRIBUTE}(?:\s{{1,9}}{_ATTRIBUTE}){{0,20}}\s?\}}"
_ATTRIBUTES = re.compile(ATTRIBUTE_LIST)
_HEADING_ATTRIBUTES = re.compile(rf"(?:^|\s)({ATTRIBUTE_LIST})$")
_ID = re.compile(r"[{\s:]#([\w-]+)")
_KRAMDOWN = re.compile(rf"\{{::?\s?/?(?:{_ATTRIBUTE}|{_NAME})?(?:\s{{1,9}}{_ATTRIBUTE}){{0,20}}\s?/?\}}")
_LIQUID = re.compile(r"\{%[^%\n]{1,300}%\}")
_AFTER_MARKUP = frozenset(")]*_`")
_CONTENTS = re.compile(r"[^\n]*\n\{:\s*toc\b[^}\n]*\}\s*|\[TOC\]|\[\[_?TOC_?\]\]", re.IGNORECASE)

_BARE_REFERENCE = re.compile(r"\[\\\[link\\\]\]\(#[^()\s]{1,200}\)(?:\*\*[a-z]{1,3}\*\*)?\s?\)")
_ALERT = re.compile(r"\[![A-Za-z]{3,20}\][+-]?[ \t]*")
_QR_CODE = re.compile(r"\s*QR[ -]?code\b", re.IGNORECASE)

_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)\b([^<>]*)>")
_MARKDOWN_ATTRIBUTE = re.compile(r"\smarkdown(?:\s*=\s*[\"']?(?:1|block|span)[\"']?)?(?=[\s/>]|$)")
_TAGS_ALONE = re.compile(r"\s*(?:</?[a-z][^<>]*>\s*)+")
_NOTHING_MORE = re.compile(r"\s*\Z")
_DEEPEST = 50
_LONGEST_LIST = 500


def add_alerts(md: MarkdownIt) -> None:
    """What Markdown and MDX have in common."""
    md.inline.ruler.before("link", "alert", _alert)


def add_dialects(md: MarkdownIt) -> None:
    md.inline.ruler.before("link", "attribute_list", _attribute_list)
    md.inline.ruler.before("link", "mdbook_directive", _mdbook_directive)
    md.inline.ruler.before("link", "bare_reference", _bare_reference)


def is_contents(content: str) -> bool:
    """Whether a paragraph is nothing but the place where a site puts its table of contents."""
    return _CONTENTS.fullmatch(content) is not None


def says_nothing(description: str) -> bool:
    """Whether a picture's description is of no use to whoever reads it: nobody can scan a QR code by its name."""
    return _QR_CODE.match(description) is not None


def _bare_reference(state: StateInline, silent: bool) -> bool:
    """`([\\[link\\]](#figure-3)**b**)`: exported from OpenStax, where the number of a figure was not known."""
    is_opened = state.src[state.pos] == "[" and state.pending.endswith(("(", "( "))
    match = _BARE_REFERENCE.match(state.src, state.pos, state.posMax) if is_opened else None
    if not match:
        return False
    if not silent:
        state.pending = state.pending.rstrip(" ").removesuffix("(").rstrip()
        state.push("hidden", "", 0)
    state.pos = match.end()
    return True


def _alert(state: StateInline, silent: bool) -> bool:
    """`[!NOTE]` at the head of a quotation, by which GitHub and Obsidian choose its colour."""
    match = _ALERT.match(state.src, 0, state.posMax) if state.pos == 0 else None
    if not match:
        return False
    if not silent:
        state.push("hidden", "", 0)
    state.pos = match.end()
    return True


def _attribute_list(state: StateInline, silent: bool) -> bool:
    """`{: .class}`, `![…](…){ width="680" }` and `{% hint %}`, which show nothing."""
    source, start = state.src, state.pos
    if source[start] != "{":
        return False
    for pattern in (_KRAMDOWN, _LIQUID, _ATTRIBUTES):
        match = pattern.match(source, start, state.posMax)
        if match and (pattern is not _ATTRIBUTES or _belongs_to_markup(source, start, match.end())):
            if not silent:
                state.push("hidden", "", 0)
            state.pos = match.end()
            return True
    return False


def _belongs_to_markup(source: str, start: int, end: int) -> bool:
    """Whether attributes follow a link or the like, or end a paragraph: `{ .class }`, or any on their own line."""
    before = source[start - 1] if start else "\n"
    if before in _AFTER_MARKUP:
        return True
    if not before.isspace() or not _NOTHING_MORE.match(source, end):
        return False
    has_own_line = not source[source.rfind("\n", 0, start) + 1 : start].strip()
    return has_own_line or source[start + 1 : end].lstrip(": ").startswith((".", "#"))


class HeadingAttributes(NamedTuple):
    start: int
    """Where they stand in the heading."""
    id: str | None


def heading_attributes(content: str) -> HeadingAttributes | None:
    """`{ #id .class }` at the end of a heading."""
    tail = max(0, len(content) - _LONGEST_LIST)
    match = _HEADING_ATTRIBUTES.search(content, tail) if content.endswith("}") else None
    if not match:
        return None
    named = _ID.search(match[1])
    return HeadingAttributes(match.start(1), named[1] if named else None)


def _mdbook_directive(state: StateInline, silent: bool) -> bool:
    """`{{#title …}}` in an mdBook shows nothing, and a page that is included is read as one of its own."""
    includes: Includes | None = state.env.get("includes")
    match = DIRECTIVE.match(state.src, state.pos, state.posMax) if includes else None
    if not match or includes is None:
        return False
    if not silent:
        state.push("hidden", "", 0)
        includes.note_in_text(match)
    state.pos = match.end()
    return True


class MarkdownInHtml:
    """The lines of a page inside elements such as `<div markdown="1">`, whose content is Markdown."""

    def __init__(self, text: str) -> None:
        self._ranges = _markdown_elements(text) if _MARKDOWN_ATTRIBUTE.search(text) else []
        self._starts = [start for start, _ in self._ranges]

    def holds(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ranges[index][1]


def has_tags_alone(line: str) -> bool:
    return _TAGS_ALONE.fullmatch(line) is not None


def _markdown_elements(text: str) -> list[tuple[int, int]]:
    """Where the outermost of them stand; one that is never closed does not count."""
    found: list[tuple[int, int]] = []
    open_tags: list[tuple[str, int, bool]] = []
    for tag in _TAG.finditer(text):
        name = tag[2]
        if not tag[1]:
            is_markdown = _MARKDOWN_ATTRIBUTE.search(tag[3]) is not None
            open_tags = [*open_tags[-_DEEPEST:], (name, tag.start(), is_markdown)]
            continue
        depth = next((at for at in range(len(open_tags) - 1, -1, -1) if open_tags[at][0] == name), None)
        if depth is None:
            continue
        if open_tags[depth][2]:
            while found and found[-1][0] > open_tags[depth][1]:
                found.pop()
            found.append((open_tags[depth][1], tag.end()))
        del open_tags[depth:]
    return found

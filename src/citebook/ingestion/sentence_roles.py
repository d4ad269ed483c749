"""What each sentence of a section is to the reader: text, or an objective, a task, a caption and so on."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from citebook.domain.book import Role
from citebook.domain.layout import NodeKind
from citebook.ingestion.glossaries import glossary_entries
from citebook.ingestion.spans import Span
from citebook.language.headings import plain_heading
from citebook.language.languages import Language
from citebook.language.role_cues import Roles

_LONGEST_HEADING = 80
_OF_CONTENTS = 0.8
"""Share of the items of a list that are headings of its page, in contents at the top of it."""
_LEADING = frozenset({Role.OBJECTIVE, Role.ANNOUNCEMENT, Role.TASK})
_KEPT_TO_THE_LETTER = frozenset({NodeKind.CODE, NodeKind.TABLE, NodeKind.FORMULA})
_DIAGRAMS = frozenset({"d2", "dot", "graphviz", "mermaid", "plantuml", "puml"})
"""Languages of code that a site shows as a figure."""
_CHOICE = re.compile(r"(?:^|\s)\(?([A-Ea-e])[).]\s")
_FIRST_CHOICES = ["A", "B", "C"]


class Headings(NamedTuple):
    """What a section stands under and beside."""

    path: Sequence[str]
    """From the page's own down to the section's."""
    of_page: frozenset[str] = frozenset()
    """All of its page, plain."""


def with_roles(spans: Sequence[Span], headings: Headings, language: Language) -> list[tuple[Span, Role]]:
    """The sentences of a section with their roles; terms of a glossary become sentences of their own."""
    path = [plain_heading(title) for title in headings.path]
    if any(map(language.roles.glossary_headings.fullmatch, path)):
        return list(glossary_entries(spans))
    own = headings.of_page if len(path) <= 1 else frozenset[str]()
    opening = spans[0].text if spans else ""
    return list(zip(spans, _RoleFinder(path, opening, own, language).roles(spans), strict=True))


class _RoleFinder:
    """Gives the sentences of one section their roles, block by block."""

    def __init__(self, headings: Sequence[str], opening: str, below: frozenset[str], language: Language) -> None:
        """`opening` is the section's first sentence, `below` the headings that a list may be the contents of."""
        self._below = below
        self._cues, self._statement = language.roles, language.passages.statement
        self._of_section = _role_of_section(headings, self._cues) or _by_orders(headings, opening, self._cues)
        is_mixed = bool(headings) and self._cues.mixed_headings.fullmatch(headings[-1]) is not None
        self._of_lists = Role.TASK if is_mixed else None
        self._led_to: Role | None = None
        """What a list is that stands behind the last paragraph, where that says so."""
        self._is_announced = False
        """Whether that paragraph ends in a colon."""
        self._is_asked = False
        """Whether it ends in a question."""

    def roles(self, spans: Sequence[Span]) -> list[Role]:
        blocks = groupby(spans, key=lambda span: id(span.block))
        return [role for _, block in blocks for role in self._of_block(list(block))]

    def _of_block(self, spans: Sequence[Span]) -> list[Role]:
        is_list = spans[0].block.kind is NodeKind.LIST
        of_block = self._of_list(spans) if is_list else self._of_paragraph(spans)
        given = self._of_section or of_block
        roles = [self._role(span, given) for span in spans]
        if not is_list:
            self._is_announced = spans[-1].text.endswith(":")
            self._is_asked = spans[-1].text.endswith("?")
            leads = roles[-1] in _LEADING and (given is not None or self._is_announced)
            self._led_to = roles[-1] if leads else None
        return roles

    def _of_list(self, spans: Sequence[Span]) -> Role | None:
        """What its lead-in or its section says of it; or it is the page's contents."""
        items = [plain_heading(span.text) for span in spans]
        listed = sum(item in self._below for item in items)
        is_contents = not self._is_announced and len(items) > 1 and listed >= _OF_CONTENTS * len(items)
        if self._are_choices(spans):
            return Role.TASK
        return self._led_to or self._of_lists or (Role.ANNOUNCEMENT if is_contents else None)

    def _are_choices(self, spans: Sequence[Span]) -> bool:
        """Of a quiz: `A) … B) … C) …`; in small letters only behind a question, as others count so, too."""
        letters = _CHOICE.findall(" ".join(span.text for span in spans))
        first = letters[: len(_FIRST_CHOICES)]
        opens = _CHOICE.match(spans[0].text) is not None
        return opens and (first == _FIRST_CHOICES or (self._is_asked and [*map(str.upper, first)] == _FIRST_CHOICES))

    def _of_paragraph(self, spans: Sequence[Span]) -> Role | None:
        """Of a caption, of a reference, or of what stands in the place of a heading, such as the title of a box."""
        text = spans[0].text
        if spans[0].block.kind is not NodeKind.PARAGRAPH:
            return None
        if self._are_choices(spans):
            return Role.TASK
        if self._cues.captions.match(text):
            return Role.CAPTION
        if self._cues.references.match(text):
            return Role.REFERENCE
        is_heading = len(spans) == 1 and len(text) <= _LONGEST_HEADING
        return _role_of_heading(plain_heading(text), self._cues) if is_heading else None

    def _role(self, span: Span, given: Role | None) -> Role:
        if span.block.content.is_caption(span.start, span.end) or _is_of_diagram(span):
            return Role.CAPTION
        tells = given is Role.ANNOUNCEMENT and self._of_section is None and span.text.endswith(".")
        if given is not None and not tells:
            return given
        return Role.TEXT if span.block.kind in _KEPT_TO_THE_LETTER else self._by_wording(span.text)

    def _by_wording(self, text: str) -> Role:
        if self._cues.objectives.match(text):
            return Role.OBJECTIVE
        if self._cues.announcements.match(text):
            return Role.ANNOUNCEMENT
        if self._cues.tasks.match(text):
            return Role.TASK
        asks = text.endswith("?") and self._statement.match(text) is None
        return Role.QUESTION if asks else Role.TEXT


def _is_of_diagram(span: Span) -> bool:
    return span.block.kind is NodeKind.CODE and span.block.leaves[0].language.lower() in _DIAGRAMS


def _role_of_section(headings: Sequence[str], cues: Roles) -> Role | None:
    """By its own heading, or else by the nearest above it that sets tasks or objectives, or lists sources."""
    if headings and cues.telling_headings.fullmatch(headings[-1]):
        return None
    found = [_role_of_heading(heading, cues) for heading in headings]
    above = [role for role in found[:-1] if role is not Role.ANNOUNCEMENT]
    return next((role for role in (*found[-1:], *reversed(above)) if role is not None), None)


def _by_orders(headings: Sequence[str], opening: str, cues: Roles) -> Role | None:
    """A section called “Exercise” may be on exercise; one that gives orders sets a task."""
    sets_tasks = headings and cues.doubtful_headings.fullmatch(headings[-1]) and cues.orders.match(opening)
    return Role.TASK if sets_tasks else None


def _role_of_heading(heading: str, cues: Roles) -> Role | None:
    if cues.objective_headings.fullmatch(heading):
        return Role.OBJECTIVE
    if cues.task_headings.fullmatch(heading):
        return Role.TASK
    if cues.reference_headings.fullmatch(heading):
        return Role.REFERENCE
    return Role.ANNOUNCEMENT if cues.announcement_headings.fullmatch(heading) else None

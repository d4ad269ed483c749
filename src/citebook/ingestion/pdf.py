"""Reads a PDF: its pages as text, cut into paragraphs and sections."""

import itertools
import logging
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

from citebook.ingestion.mapped_text import MappedText, TextRun, fold_spaces
from citebook.ingestion.page import ParsedPage, Section, paragraph_block
from citebook.ingestion.source_text import MalformedPage, SourceText

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MAX_PAGES = 3_000
MAX_CHARACTERS = 20_000_000
MAX_SECONDS = 120.0
MAX_OUTLINE_ENTRIES = 5_000
PAGE_BREAK = "\f\n"

_HYPHEN_AT_LINE_END = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n[ \t]*(?=[a-z\u00df-\u00f6\u00f8-\u00ff])")
_LIST_ITEM = re.compile(r"\s*(?:[•▪‣◦●–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
_PAGE_NUMBER = re.compile(r"\s*(?:page\s*)?[\divxlc]{1,5}\s*$", re.IGNORECASE)
_UNIX_LINES = re.compile("\r\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Bookmark:
    title: str
    page: int
    level: int


@dataclass(slots=True)
class _Part:
    """A section in the making."""

    title: str
    page: int
    level: int
    path: tuple[str, ...]
    heading: MappedText | None = None
    paragraphs: list[tuple[MappedText, int]] = field(default_factory=list)
    """Each with the number of its page."""


@dataclass(frozen=True, slots=True)
class _PdfLine:
    start: int
    end: int
    text: str


def parse_pdf(data: bytes) -> tuple[str, ParsedPage]:
    """The text of a PDF, pages joined by PAGE_BREAK, and the page whose offsets point into that text."""
    title, texts, bookmarks = _read(data)
    if not any(text.strip() for text in texts):
        raise MalformedPage(None, "there is no text in this PDF: if it was scanned, run a text recognition over it")
    source = PAGE_BREAK.join(texts)
    repeated = _repeated_lines(texts)
    parts: list[_Part] = []
    start = 0
    page = SourceText(source)
    for number, text in enumerate(texts, start=1):
        lines = [line for line in _lines(text, start) if line.text.strip() not in repeated]
        headings = [bookmark for bookmark in bookmarks if bookmark.page == number]
        _read_page(page, number, _without_page_number(lines), headings, parts, has_outline=bool(bookmarks))
        start += len(text) + len(PAGE_BREAK)
    numbers = itertools.count(1)
    sections = tuple(_section(part, numbers) for part in parts if part.paragraphs or part.heading)
    return source, ParsedPage(title, {}, sections)


# --- what pypdf gives


def _read(data: bytes) -> tuple[str | None, list[str], list[_Bookmark]]:
    try:
        from pypdf import PdfReader

        logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what matters of its complaints is raised
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise MalformedPage(None, "this PDF needs a password: save it without one")
        if len(reader.pages) > MAX_PAGES:
            raise MalformedPage(None, f"this PDF has more than {MAX_PAGES} pages: split it")
        metadata = reader.metadata
        title = str(metadata.title).strip() if metadata and metadata.title else None
        return title or None, list(_page_texts(reader)), _bookmarks(reader)
    except MalformedPage:
        raise
    # A broken PDF makes pypdf raise whatever its bytes provoke, from KeyError to RecursionError.
    except Exception as error:
        reason = f"this PDF is damaged and cannot be read ({type(error).__name__}): export it again"
        raise MalformedPage(None, reason) from error


def _page_texts(reader: "PdfReader") -> Iterator[str]:
    deadline = time.monotonic() + MAX_SECONDS
    characters = 0
    for page in reader.pages:
        text = _SURROGATE.sub("\ufffd", _text_with_gaps(page)).replace("\f", " ")
        characters += len(text)
        if characters > MAX_CHARACTERS or time.monotonic() > deadline:
            raise MalformedPage(None, "this PDF is too much work to read: split it into smaller files")
        yield text


def _text_with_gaps(page: "PageObject") -> str:
    """The page's text, a blank line standing where its lines are set wider apart than most."""
    pieces: list[tuple[str, float]] = []

    def note(text: str, matrix: list[float], text_matrix: list[float], _font: Any, _size: float) -> None:
        height = matrix[1] * text_matrix[4] + matrix[3] * text_matrix[5] + matrix[5]
        pieces.append((_UNIX_LINES.sub("\n", text), height))

    page.extract_text(visitor_text=note)
    lines = _lines_with_heights(pieces)
    steps = sorted(high - low for (_, high), (_, low) in itertools.pairwise(lines) if high > low)
    usual = steps[len(steps) // 2] if steps else 0.0
    text = [lines[0][0]] if lines else []
    for (_, high), (line, low) in itertools.pairwise(lines):
        text += ["", line] if high - low > 1.4 * usual else [line]
    return "\n".join(text)


def _lines_with_heights(pieces: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Lines of text with the height on the page of the first letter of each; blank ones are left out."""
    lines: list[tuple[str, float]] = []
    line, height = "", 0.0
    for text, at in pieces:
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append((line, height))
                line = ""
            height = at if part.strip() and not line.strip() else height
            line += part
    lines.append((line, height))
    return [(line, height) for line, height in lines if line.strip()]


def _bookmarks(reader: "PdfReader") -> list[_Bookmark]:
    found: list[_Bookmark] = []
    waiting: list[tuple[Any, int]] = [(reader.outline, 1)]
    while waiting and len(found) < MAX_OUTLINE_ENTRIES:
        item, level = waiting.pop()
        if isinstance(item, list):
            # A list after an entry holds that entry's children.
            waiting += [(child, level + isinstance(child, list)) for child in reversed(item)]
            continue
        number = reader.get_destination_page_number(item)
        title = " ".join(str(item.title).split())
        if number is not None and number >= 0 and title:
            found.append(_Bookmark(title, number + 1, min(level, 6)))
    return found


# --- pages to sections


def _read_page(
    page: SourceText,
    number: int,
    lines: list[_PdfLine],
    headings: list[_Bookmark],
    parts: list[_Part],
    *,
    has_outline: bool,
) -> None:
    """Add the page's paragraphs to the section they belong to; open sections where headings stand."""
    if not has_outline or not (parts or headings):
        title = _title_line(lines)
        name = title.text.strip() if title else f"Page {number}"
        parts.append(_Part(name, number, 1, (name,), _mapped(page, [title]) if title else None))
        lines = lines[1:] if title else lines
    for heading in headings:
        at, count = _find_heading(lines, heading.title)
        _add_paragraphs(page, number, lines[:at], parts)
        path = (*_ancestors(parts, heading.level), heading.title)
        shown = _mapped(page, lines[at : at + count]) if count else None
        parts.append(_Part(heading.title, number, heading.level, path, shown))
        lines = lines[at + count :]
    _add_paragraphs(page, number, lines, parts)


def _ancestors(parts: list[_Part], level: int) -> tuple[str, ...]:
    for part in reversed(parts):
        if part.level < level:
            return part.path
    return ()


def _find_heading(lines: list[_PdfLine], title: str) -> tuple[int, int]:
    """Where a heading stands among the lines and how many it takes; (0, 0) if it is not there."""
    wanted = _letters(title)
    for index in range(len(lines) if wanted else 0):
        for count in range(1, min(3, len(lines) - index) + 1):
            found = _letters("".join(line.text for line in lines[index : index + count]))
            if wanted in (found, found.lstrip("0123456789")):  # a bookmark may leave out the number
                return index, count
    return 0, 0


def _letters(text: str) -> str:
    return "".join(character for character in text[:300].casefold() if character.isalnum())


def _title_line(lines: list[_PdfLine]) -> _PdfLine | None:
    """The first line of a page, if it looks like a heading."""
    first = next((line for line in lines if line.text.strip()), None)
    if first is None or first is not lines[0]:
        return None
    text = first.text.strip()
    looks_like_one = len(text) <= 80 and text[-1] not in ".,;:!?" and any(map(str.isalpha, text))
    return first if looks_like_one and not text[0].islower() and not _LIST_ITEM.match(text) else None


def _add_paragraphs(page: SourceText, number: int, lines: list[_PdfLine], parts: list[_Part]) -> None:
    for paragraph in _paragraphs(lines):
        content = _mapped(page, paragraph)
        if not content.text:
            continue
        if not parts:
            name = f"Page {number}"
            parts.append(_Part(name, number, 1, (name,)))
        parts[-1].paragraphs.append((content, number))


def _section(part: _Part, numbers: Iterator[int]) -> Section:
    blocks = tuple(paragraph_block(content, next(numbers), page) for content, page in part.paragraphs)
    return Section(part.title, f"page={part.page}", part.level, part.path, part.heading, blocks)


# --- lines to paragraphs


def _lines(text: str, start: int) -> Iterator[_PdfLine]:
    for line in text.split("\n"):
        yield _PdfLine(start, start + len(line), line)
        start += len(line) + 1


def _repeated_lines(texts: list[str]) -> set[str]:
    """Running heads: first and last lines that stand on most pages."""
    counts: Counter[str] = Counter()
    for text in texts:
        lines = [line.strip() for line in text.strip().split("\n")]
        counts.update({lines[0], lines[-1]})
    return {line for line, pages in counts.items() if line and pages >= 4 and pages * 2 > len(texts)}


def _without_page_number(lines: list[_PdfLine]) -> list[_PdfLine]:
    while lines and not lines[0].text.strip():
        lines = lines[1:]
    while lines and not lines[-1].text.strip():
        lines = lines[:-1]
    if len(lines) > 1 and _PAGE_NUMBER.match(lines[-1].text):
        return lines[:-1]
    if len(lines) > 1 and _PAGE_NUMBER.match(lines[0].text):
        return lines[1:]
    return lines


def _paragraphs(lines: list[_PdfLine]) -> Iterator[list[_PdfLine]]:
    """Lines that belong together: up to a blank line, an indent, a list item or a short last line."""
    width = max((len(line.text) for line in lines), default=0)
    paragraph: list[_PdfLine] = []
    for line in lines:
        if paragraph and _starts_paragraph(line, paragraph[-1], width):
            yield paragraph
            paragraph = []
        if line.text.strip():
            paragraph.append(line)
    if paragraph:
        yield paragraph


def _starts_paragraph(line: _PdfLine, before: _PdfLine, width: int) -> bool:
    text = line.text
    if not text.strip() or _LIST_ITEM.match(text):
        return True
    indent = len(text) - len(text.lstrip())
    indent_before = len(before.text) - len(before.text.lstrip())
    ends_short = before.text.rstrip()[-1:] in ".!?:" and len(before.text.rstrip()) < 0.75 * width
    return indent >= indent_before + 2 or ends_short


def _mapped(page: SourceText, lines: list[_PdfLine]) -> MappedText:
    """The lines joined by spaces; a word cut by a hyphen at a line's end is made whole."""
    start, end = lines[0].start, lines[-1].end
    text = page.text[start:end]
    runs: list[TextRun] = []
    position = 0
    for match in _HYPHEN_AT_LINE_END.finditer(text):
        runs += page.runs(text[position : match.start()], start + position, start + match.start())
        position = match.end()
    runs += page.runs(text[position:], start + position, end)
    return MappedText(fold_spaces(runs))

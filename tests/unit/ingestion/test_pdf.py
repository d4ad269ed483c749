"""A PDF as its reader sees it."""

import pytest

from citebook.ingestion.mdx import MalformedPage
from citebook.ingestion.page import ParsedPage
from citebook.ingestion.pdf import PAGE_BREAK, parse_pdf


def pdf(pages: list[list[str]], *, bookmarks: list[tuple[str, int]] = [], extra: str = "") -> bytes:  # noqa: B006
    """A small PDF: the lines of each page, an empty one being a gap, and bookmarks to pages (from 0)."""
    objects = ["", ""]
    page_ids = []
    for lines in pages:
        stream = "BT /F1 12 Tf 14 TL 72 720 Td\n"
        stream += "".join(f"({line}) Tj T*\n" if line else "T* T*\n" for line in lines) + "ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        )
        page_ids.append(len(objects))
    outline = ""
    if bookmarks:
        root = len(objects) + 1
        outline = f"/Outlines {root} 0 R"
        first, last = root + 1, root + len(bookmarks)
        objects.append(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>")
        for index, (title, page) in enumerate(bookmarks):
            following = f"/Next {first + index + 1} 0 R" if index + 1 < len(bookmarks) else ""
            target = f"[{page_ids[page]} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent {root} 0 R /Dest {target} {following} >>")
    kids = " ".join(f"{number} 0 R" for number in page_ids)
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {outline} >>"
    objects[1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(page_ids)} >>"
    return _file(objects, extra)


def _file(objects: list[str], extra: str) -> bytes:
    data = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"trailer << /Size {size} /Root 1 0 R {extra} >>\nstartxref\n{len(data)}\n%%EOF"
    return data + f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()


def texts(page: ParsedPage) -> list[tuple[int | None, str]]:
    return [(block.page_number, block.content.text) for section in page.sections for block in section.blocks]


def test_each_page_without_bookmarks_is_a_section_with_real_page_numbers() -> None:
    source, page = parse_pdf(
        pdf([["First Title", "", "One line here,", "and more of it."], ["no title, just text."]])
    )
    assert [(part.title, part.anchor) for part in page.sections] == [("First Title", "page=1"), ("Page 2", "page=2")]
    assert texts(page) == [(1, "One line here, and more of it."), (2, "no title, just text.")]
    assert PAGE_BREAK in source


def test_offsets_point_into_the_returned_text() -> None:
    source, page = parse_pdf(pdf([["A Title", "", "Some words", "go on."], ["more words at the end of it."]]))
    for section in page.sections:
        for block in section.blocks:
            for run in block.content.runs:
                assert source[run.start : run.end].replace("\n", " ") == run.text


def test_words_cut_at_a_line_end_are_made_whole() -> None:
    source, page = parse_pdf(pdf([["the actua-", "tor moves the Jetson-", "Orin board."]]))
    content = page.sections[0].blocks[0].content
    assert content.text == "the actuator moves the Jetson- Orin board."
    start, end = content.source_range(4, 12)
    assert source[start:end] == "actua-\ntor"


def test_paragraphs_end_at_gaps_list_items_and_short_last_lines() -> None:
    lines = [
        "a long line of text that fills the page and goes",
        "on to end here.",
        "another paragraph of the very same length",
    ]
    _, page = parse_pdf(pdf([[*lines, "", "after a gap", "1. an item", "2. an item"]]))
    assert [text for _, text in texts(page)] == [
        "a long line of text that fills the page and goes on to end here.",
        "another paragraph of the very same length",
        "after a gap",
        "1. an item",
        "2. an item",
    ]


def test_bookmarks_make_sections_that_may_run_over_pages() -> None:
    pages = [["Sensors", "", "they measure."], ["on they go.", "", "Motors", "", "they move."]]
    _, page = parse_pdf(pdf(pages, bookmarks=[("Sensors", 0), ("Motors", 1)]))
    assert [(part.title, part.path) for part in page.sections] == [("Sensors", ("Sensors",)), ("Motors", ("Motors",))]
    assert texts(page) == [(1, "they measure."), (2, "on they go."), (2, "they move.")]
    assert page.sections[1].heading is not None


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = [["My Book", "", f"page text number {number} is here.", "", str(number)] for number in range(1, 7)]
    _, page = parse_pdf(pdf(pages))
    assert [text for _, text in texts(page)] == [f"page text number {number} is here." for number in range(1, 7)]


_LOCK = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O ({'x' * 32}) /U ({'y' * 32}) /P -4 >> /ID [(a) (b)]"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a pdf",
        b"%PDF-1.4\n%%EOF",
        pdf([["text"]])[:200],
        pdf([["text"]]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
        pdf([["text"]], extra=_LOCK),
        pdf([[]]),
    ],
)  # fmt: skip
def test_what_is_broken_locked_or_empty_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedPage):
        parse_pdf(data)

"""“What page discusses X?” is answered with places, best first: section, page where the source has any, and link."""

from pathlib import Path

import pytest

from tests.contracts.service import ASKING, Service
from tests.small_book import write_book
from tests.unit.ingestion.test_pdf import pdf

ABOUT_COMPLIANCE = "What page discusses passive compliance?"
PAGES = [
    ["Robots stand on feet."],
    ["Passive compliance lets joints yield.", "Springs give passive compliance."],
    ["Gears turn slowly."],
    ["Passive compliance makes contact safe."],
]


@pytest.fixture
async def with_manual(own_service: Service, tmp_path: Path) -> Service:
    book = write_book(tmp_path / "book")
    (book / "manual.pdf").write_bytes(pdf(PAGES))
    await own_service.ingest.run(book, progress=lambda _report: None, allow_deletions=True)
    return own_service


async def test_places_in_a_pdf_are_pages(with_manual: Service) -> None:
    body = (await ASKING["ask"].ask(with_manual, ABOUT_COMPLIANCE)).json()
    assert body["outcome"] == "answered"
    assert body["answer"].startswith("The book has this in:\n\n")
    places = [(citation["page"], citation["url"].rsplit("/", 1)[-1]) for citation in body["citations"]]
    assert sorted(places) == [(2, "manual.pdf#page=2"), (4, "manual.pdf#page=4")]
    for page, _ in places:
        assert f"(page {page})" in body["answer"]


async def test_places_on_a_site_are_sections_with_their_links(with_manual: Service) -> None:
    for question in ("What page discusses stepper motors?", "Where are stepper motors discussed?"):
        body = (await ASKING["ask"].ask(with_manual, question)).json()
        best = body["citations"][0]
        assert (best["section_title"], best["page"]) == ("Stepper motors", None)
        assert best["url"].endswith("#stepper-motors")
        assert "(page" not in body["answer"]


async def test_academic_tells_the_page_in_its_citation_too(with_manual: Service) -> None:
    body = (await ASKING["academic"].ask(with_manual, ABOUT_COMPLIANCE)).json()
    assert body["status"] == "success"
    assert {source["page"] for source in body["sources"]} == {2, 4}
    assert "(Page 2) - " in body["answer"]


async def test_what_stands_on_no_page_is_refused(with_manual: Service) -> None:
    body = (await ASKING["ask"].ask(with_manual, "What page discusses photosynthesis?")).json()
    assert body["outcome"] == "refused"

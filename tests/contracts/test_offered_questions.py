"""Questions to begin and to go on with: made of headings, and offered only where their section answers them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from citebook.domain.errors import VectorStoreUnavailable
from citebook.pacing.deadline import Budget
from tests.contracts.conftest import Start, wire
from tests.contracts.service import ASKING, DownIndex, Service

DRIVE = {
    "question": "What is a harmonic drive?",
    "url": "/docs/joints/gears#harmonic-drives",
    "section": "Harmonic drives",
}
POINT = "What is the zero moment point?"


async def offered(service: Service, **wanted: Any) -> list[dict[str, str]]:
    response = await service.client.get("/api/questions", params=wanted)
    assert response.status_code == 200, response.text
    questions: list[dict[str, str]] = response.json()["questions"]
    return questions


async def test_what_is_on_the_wire(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get("/api/questions", params={"page": "joints/gears"})) == snapshot


@pytest.mark.parametrize("page", ["joints/gears", "/docs/joints/gears", "/docs/joints/gears/", DRIVE["url"]])
async def test_questions_of_the_page_come_first(service: Service, page: str) -> None:
    assert (await offered(service, page=page))[0] == DRIVE


async def test_questions_of_the_rest_of_the_book_follow(service: Service) -> None:
    questions = [one["question"] for one in await offered(service, page="joints/gears", limit=10)]
    assert POINT in questions
    assert len(questions) == len(set(questions))


@pytest.mark.parametrize("page", [None, "no/such/page", "https://elsewhere.example.org/docs"])
async def test_without_a_page_of_the_book_they_are_of_all_of_it(service: Service, page: str | None) -> None:
    questions = await offered(service, limit=10, **({"page": page} if page else {}))
    assert {one["url"].partition("#")[0] for one in questions} >= {"/docs/joints/gears", "/docs/walking/balance"}


async def test_there_are_at_most_as_many_as_wanted(service: Service) -> None:
    assert len(await offered(service, limit=1)) == 1


async def test_each_is_likely_answered_from_its_own_section(service: Service) -> None:
    for one in await offered(service, limit=10):
        body = (await ASKING["ask"].ask(service, one["question"])).json()
        assert (body["support"], body["citations"][0]["url"]) == ("likely", one["url"])


async def test_what_the_section_does_not_answer_is_not_offered(own_service: Service, tmp_path: Path) -> None:
    page = "## Harmonic drives\n\nGrease it once a year, says the maker of them.\n"
    await own_service.ingest_again(tmp_path / "book", gears=page)
    assert "harmonic" not in str(await offered(own_service, page="joints/gears", limit=10))


async def test_after_an_answer_they_go_on_from_its_section(service: Service) -> None:
    questions = await offered(service, after=DRIVE["url"], limit=10)
    assert DRIVE["url"] not in [one["url"] for one in questions]
    assert POINT in [one["question"] for one in questions]


async def test_after_a_section_of_another_book_there_are_none(service: Service) -> None:
    assert await offered(service, after="https://elsewhere.example.org/docs#section") == []


@pytest.mark.parametrize("wanted", [{"limit": 0}, {"limit": 11}, {"page": "x" * 501}, {"page": "a", "after": "b"}])
async def test_a_wish_that_breaks_a_rule_is_refused_by_name(service: Service, wanted: dict[str, Any]) -> None:
    response = await service.client.get("/api/questions", params=wanted)
    assert (response.status_code, response.json()["error"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"]["field"] in wanted


async def test_who_has_them_already_is_told_so(service: Service) -> None:
    first = await service.client.get("/api/questions")
    again = await service.client.get("/api/questions", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "no-cache"


async def test_a_new_edition_has_questions_of_its_own(own_service: Service, tmp_path: Path) -> None:
    assert "belt drive" not in str(await offered(own_service, limit=10))
    page = "## Belt drives\n\nA belt drive is a toothed band that turns a wheel.\n"
    await own_service.ingest_again(tmp_path / "book", gears=page)
    assert (await offered(own_service, page="joints/gears"))[0]["question"] == "What is a belt drive?"


async def test_many_who_come_at_once_are_offered_the_same(service: Service) -> None:
    first, *others = await asyncio.gather(*(offered(service) for _ in range(5)))
    assert len(first) == 3
    assert all(other == first for other in others)


async def test_what_cannot_be_asked_now_is_asked_later(start: Start) -> None:
    hurried = await start(budget=Budget(1e-6, 1e-6, 1e-6))
    assert await offered(hurried) == []
    assert await offered(await start()) != []


async def test_without_an_index_the_reader_is_told(start: Start) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable("down")))
    response = await service.client.get("/api/questions")
    assert (response.status_code, response.json()["error"]) == (503, "SERVICE_UNAVAILABLE")

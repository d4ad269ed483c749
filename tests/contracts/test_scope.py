"""A question can be asked of one page or module alone: nothing else is quoted, and the rest is only named."""

from typing import Any

import pytest

from tests.contracts.service import ASKING, Service, frames_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES = ["ask", "ask-stream", "core", "core-stream"]
GEARS, MOTORS = {"chapter_id": "joints/gears"}, {"chapter_id": "joints/motors"}
OF_GEARS = "What is a harmonic drive?"
UNKNOWN = "What is the capital of France?"


async def answered(service: Service, name: str, question: str, scope: dict[str, Any] | None) -> dict[str, Any]:
    response = await ASKING[name].ask(service, question, scope=scope)
    assert response.status_code == 200, response.text
    return frames_of(response.text)[-1] if name.endswith("stream") else dict(response.json())


def cited(body: dict[str, Any]) -> set[str]:
    return {source["url"].partition("#")[0] for source in body.get("citations", body.get("sources", []))}


@pytest.mark.parametrize("name", NAMES)
async def test_the_page_that_has_the_answer_gives_it(roomy: Service, name: str) -> None:
    body = await answered(roomy, name, OF_GEARS, GEARS)
    assert (body["outcome"], cited(body)) == ("answered", {"/docs/joints/gears"})


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_that_lacks_it_says_so_and_names_the_places_that_have_it(roomy: Service, name: str) -> None:
    body = await answered(roomy, name, OF_GEARS, MOTORS)
    assert (body["outcome"], cited(body)) == ("refused", set())
    urls = [suggestion["url"] for suggestion in body["suggestions"]]
    assert urls[0] == "/docs/joints/gears#harmonic-drives"
    assert not any(url.startswith("/docs/joints/motors") for url in urls)


async def test_it_is_said_in_words(roomy: Service) -> None:
    body = await answered(roomy, "ask", OF_GEARS, MOTORS)
    assert body["answer"] == "I did not find this in the part of the book that you chose."
    assert body["filter_message"] is None


async def test_what_no_part_of_the_book_is_near_to_names_none(roomy: Service) -> None:
    assert (await answered(roomy, "ask", UNKNOWN, GEARS))["suggestions"] == []


async def test_a_weak_answer_of_the_page_stays_on_it_and_names_the_rest(roomy: Service) -> None:
    body = await answered(roomy, "ask", "How cheap is a stepper motor with a toothed belt?", GEARS)
    assert (body["support"], cited(body)) == ("unsure", {"/docs/joints/gears"})
    assert "/docs/joints/motors#stepper-motors" in [one["url"] for one in body["suggestions"]]


@pytest.mark.parametrize("module", [1, "joints"])
async def test_a_module_is_a_scope_too(roomy: Service, module: int | str) -> None:
    inside = await answered(roomy, "ask", OF_GEARS, {"module": module})
    assert inside["outcome"] == "answered"
    outside = await answered(roomy, "ask", "What is the zero moment point?", {"module": module})
    assert outside["outcome"] == "refused"
    assert outside["suggestions"][0]["url"] == "/docs/walking/balance#the-zero-moment-point"


@pytest.mark.parametrize("question", ["What is this page about?", "Summarize this chapter"])
async def test_what_is_asked_of_this_page_is_told_of_it_alone(roomy: Service, question: str) -> None:
    body = await answered(roomy, "ask", question, GEARS)
    assert (body["outcome"], cited(body)) == ("answered", {"/docs/joints/gears"})
    assert body["answer"].startswith("Gears")


async def test_what_is_asked_of_the_book_s_other_parts_is_not_told_within_a_page(roomy: Service) -> None:
    body = await answered(roomy, "ask", "Where can I read about the zero moment point?", GEARS)
    assert cited(body) <= {"/docs/joints/gears"}


@pytest.mark.parametrize("name", [*NAMES, "ask-selected"])
async def test_a_page_that_the_book_has_not_is_refused_by_name(roomy: Service, name: str) -> None:
    response = await ASKING[name].ask(roomy, OF_GEARS, scope={"chapter_id": "joints/unknown"})
    assert response.status_code == 400
    body = response.json()
    if name.startswith("core"):
        assert body["error"]["code"] == "INVALID_QUERY"
        assert body["error"]["message"] == "scope.chapterId: must be that of a page of the book"
    else:
        rule = {"field": "scope.chapter_id", "rule": "must be that of a page of the book"}
        assert (body["error"], body["details"]) == ("INVALID_REQUEST", rule)


async def test_a_module_that_the_book_has_not_is_refused_by_name(roomy: Service) -> None:
    response = await ASKING["ask"].ask(roomy, OF_GEARS, scope={"module": 9})
    assert (response.status_code, response.json()["details"]["field"]) == (400, "scope.module")


@pytest.mark.parametrize("scope", [None, {}])
async def test_no_scope_is_the_whole_book(roomy: Service, scope: dict[str, Any] | None) -> None:
    assert (await answered(roomy, "ask", OF_GEARS, scope))["outcome"] == "answered"


async def test_core_takes_both_spellings(roomy: Service) -> None:
    body = await answered(roomy, "core", OF_GEARS, {"chapterId": "joints/gears"})
    assert cited(body) == {"/docs/joints/gears"}


async def test_a_selected_text_may_be_asked_of_within_a_page(roomy: Service) -> None:
    response = await ASKING["ask-selected"].ask(roomy, OF_GEARS, scope=GEARS)
    assert response.json()["outcome"] == "answered"

"""A refusal claims nothing, so its confidence is 0; it says what was measured, and what comes nearest."""

from typing import Any

import pytest

from tests.contracts.service import ASKING, QUESTION, Service, frames_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNKNOWN = "What is the capital of France?"
NEAR = "How heavy is the harmonic drive of the rover on Mars in kilograms and ounces?"
"""Of which the book has a part."""
HALF = "How cheap is a stepper motor with a toothed belt?"
"""Of which the book answers a half."""
MEASURED = {"core": "measuredConfidence", "core-stream": "measuredConfidence"}


async def refused(service: Service, name: str, question: str) -> dict[str, Any]:
    response = await ASKING[name].ask(service, question)
    assert response.status_code == 200
    return frames_of(response.text)[-1] if name.endswith("stream") else dict(response.json())


@pytest.mark.parametrize("question", [UNKNOWN, NEAR])
@pytest.mark.parametrize("name", [name for name in ASKING if name not in ("academic-restricted", "ask-selected")])
async def test_its_confidence_is_0_and_what_was_measured_stands_beside(
    roomy: Service, name: str, question: str
) -> None:
    body = await refused(roomy, name, question)
    assert body.get("outcome", "refused") == "refused"
    assert body["confidence"] == 0
    measured = body.get(MEASURED.get(name, "measured_confidence")) or 0.0
    assert 0 <= measured < 0.6


@pytest.mark.parametrize("name", ["textbook", "core", "academic", "academic-book", "agent", "ask"])
async def test_it_suggests_what_comes_nearest(roomy: Service, name: str) -> None:
    (nearest, *_) = (await refused(roomy, name, NEAR))["suggestions"]
    assert nearest["url"] == "/docs/joints/gears#harmonic-drives"
    assert nearest.keys() == {"title", "url", "snippet"}


async def test_textbook_shows_the_nearest_as_sources(roomy: Service) -> None:
    """Strict clients of that seed want one to five of them in every answer."""
    body = await refused(roomy, "textbook", NEAR)
    source = body["sources"][0]
    assert (source["chapter"], source["section_title"], source["filename"]) == (
        "Gears",
        "Harmonic drives",
        "gears.mdx",
    )
    assert source["excerpt"] in "A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash."
    assert source["section"]
    assert 0 <= source["score"] <= 1
    assert len(body["sources"]) == len(body["suggestions"]) <= 5


@pytest.mark.parametrize("name", ["textbook", "core", "core-stream", "agent", "ask", "ask-stream"])
async def test_what_is_far_from_the_book_suggests_nothing(roomy: Service, name: str) -> None:
    assert (await refused(roomy, name, UNKNOWN))["suggestions"] == []


@pytest.mark.parametrize("name", ["textbook", "core", "core-stream", "agent", "ask", "ask-stream"])
async def test_an_answer_that_may_be_none_names_what_else_comes_near(roomy: Service, name: str) -> None:
    body = await refused(roomy, name, HALF)
    assert 0 < body["confidence"] < 0.7
    suggested = body["suggestions"]
    assert 1 <= len(suggested) <= 3
    assert all(one["title"] and one["snippet"] for one in suggested)
    cited = {source["url"] for source in body.get("citations", body.get("sources", [])) if "url" in source}
    assert not cited & {one["url"] for one in suggested}


async def test_a_likely_answer_suggests_nothing(roomy: Service) -> None:
    body = (await ASKING["ask"].ask(roomy)).json()
    assert body["support"] == "likely"
    assert body["suggestions"] == []


@pytest.mark.parametrize("name", ["textbook", "core", "core-stream", "agent", "ask", "ask-stream"])
async def test_answers_and_refusals_name_their_edition(roomy: Service, name: str) -> None:
    edition = (await roomy.services.book().index.edition()).name
    for question in (QUESTION, NEAR):
        assert (await refused(roomy, name, question))["edition"] == edition


@pytest.mark.parametrize("name", ["core", "academic", "agent", "ask"])
async def test_elsewhere_sources_are_for_claims(roomy: Service, name: str) -> None:
    body = await refused(roomy, name, NEAR)
    assert body["citations" if name == "ask" else "sources"] == []


async def test_an_answer_has_no_measured_confidence_beside_its_own(roomy: Service) -> None:
    body = (await ASKING["ask"].ask(roomy)).json()
    assert body["confidence"] > 0
    assert body["measured_confidence"] is None


async def test_small_talk_was_not_measured(roomy: Service) -> None:
    body = (await ASKING["ask"].ask(roomy, "hello")).json()
    assert (body["outcome"], body["confidence"], body["measured_confidence"]) == ("refused", 0, None)


async def test_an_academic_refusal_is_found_again_as_it_was(roomy: Service) -> None:
    given = await refused(roomy, "academic", NEAR)
    assert given["status"] == "out_of_scope"
    assert given["suggestions"]
    again = await roomy.client.get(f"/chat/{given['answer_id']}", headers=roomy.bearer)
    assert again.json() == given


@pytest.mark.parametrize("name", ["academic", "academic-book"])
@pytest.mark.parametrize("question", [UNKNOWN, NEAR])
async def test_that_of_academic_names_the_book(roomy: Service, name: str, question: str) -> None:
    books = (await roomy.client.get("/books", headers=roomy.bearer)).json()["books"]
    body = await refused(roomy, name, question)
    assert body["answer"].startswith(f"This question is not covered in {books[0]['title']}.")


async def test_the_others_say_what_was_not_found(roomy: Service) -> None:
    for name in ("textbook", "core", "agent", "ask"):
        assert (await refused(roomy, name, UNKNOWN))["answer"].startswith("I did not find this in the book.")


async def test_small_talk_is_no_question_that_is_not_covered(roomy: Service) -> None:
    assert "not covered" not in (await refused(roomy, "academic", "hello"))["answer"]

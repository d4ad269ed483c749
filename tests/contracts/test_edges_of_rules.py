"""Every rule at its edge: the last value that is taken and the first that is not."""

import json
from typing import Any

import httpx
import pytest

from tests.contracts.service import ASKING, PASSAGE, QUESTION, SSE, Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

LENGTHS = [
    ("core", "characters", 500, "QUERY_TOO_LONG"),
    ("core-stream", "characters", 500, "QUERY_TOO_LONG"),
    ("academic", "characters", 1000, "INVALID_QUERY"),
    ("academic-restricted", "characters", 1000, "INVALID_QUERY"),
    ("academic-book", "characters", 1000, "INVALID_QUERY"),
    ("agent", "characters", 10_000, "validation"),
    ("ask", "characters", 1000, "INVALID_REQUEST"),
    ("ask-stream", "characters", 1000, "INVALID_REQUEST"),
    ("ask-selected", "characters", 1000, "INVALID_REQUEST"),
    ("textbook", "words", 500, "query: exceeds 500 words (has 501)"),
]


def said(response: httpx.Response) -> str:
    """The code of an error, wherever the contract has it."""
    body = response.json()
    error = body.get("error", body.get("detail"))
    return str(error["code"] if isinstance(error, dict) else error)


def text_of(length: int, unit: str) -> str:
    return " ".join(["drive"] * length) if unit == "words" else QUESTION.ljust(length, "x")


@pytest.mark.parametrize(("name", "unit", "limit", "code"), LENGTHS)
async def test_the_longest_question(roomy: Service, name: str, unit: str, limit: int, code: str) -> None:
    taken = await ASKING[name].ask(roomy, text_of(limit, unit))
    assert taken.status_code == 200 or "PASSAGE_INSUFFICIENT" in taken.text
    around = await ASKING[name].ask(roomy, f"\n {text_of(limit, unit)} \t")
    assert around.status_code == taken.status_code, "white space around it does not count"
    refused = await ASKING[name].ask(roomy, text_of(limit + 1, unit))
    assert (refused.status_code, said(refused)) == (400, code)


@pytest.mark.parametrize("name", ASKING)
async def test_the_shortest_question(roomy: Service, name: str) -> None:
    is_ask = name.startswith("ask")
    taken = await ASKING[name].ask(roomy, " cup " if is_ask else "?")
    assert taken.status_code == 200 or "PASSAGE_INSUFFICIENT" in taken.text
    refused = await ASKING[name].ask(roomy, "  cu  " if is_ask else "")
    assert refused.status_code == 400


SELECTIONS = [
    ("academic-restricted", "selected_passage", 50, 5000),
    ("ask-selected", "selected_text", 10, 10_000),
]


@pytest.mark.parametrize(("name", "field", "least", "most"), SELECTIONS)
async def test_how_long_a_selection_is(roomy: Service, name: str, field: str, least: int, most: int) -> None:
    for length, is_taken in ((least - 1, False), (least, True), (most, True), (most + 1, False)):
        response = await ASKING[name].ask(roomy, **{field: (PASSAGE * 200)[: length - 1] + "x"})
        broke_a_rule = response.status_code == 400 and "PASSAGE_INSUFFICIENT" not in response.text
        assert broke_a_rule != is_taken
        if not is_taken:
            assert field in response.text


@pytest.mark.parametrize("value", [None, "", "   "])
@pytest.mark.parametrize(("name", "field"), [selection[:2] for selection in SELECTIONS])
async def test_a_selection_must_be_there(roomy: Service, name: str, field: str, value: Any) -> None:
    response = await ASKING[name].ask(roomy, **{field: value})
    assert response.status_code == 400
    assert field in response.text


async def test_how_long_the_selection_of_textbook_is(roomy: Service) -> None:
    for words, status in ((0, 200), (200, 200), (201, 400)):
        response = await ASKING["textbook"].ask(roomy, selected_text="drive " * words)
        assert response.status_code == status
    assert response.json() == {"detail": "selected_text: exceeds 200 words (has 201)"}


async def test_the_selection_of_textbook_steers_and_does_not_restrict(roomy: Service) -> None:
    """The question alone names nothing; the selected words say what it is about; the answer is the book's."""
    response = await ASKING["textbook"].ask(roomy, "How is it made?", selected_text="stepper motor turns fixed steps")
    assert response.json()["sources"][0]["filename"] == "motors.mdx"


async def test_a_blank_selection_is_none(roomy: Service) -> None:
    response = await ASKING["textbook"].ask(roomy, "tell me more", selected_text=" \n ")
    assert response.json()["answer"].startswith("What would you like to know more about?")


TOP_K = [("core", "topK", 10), ("core", "top_k", 10), ("core-stream", "topK", 10)]
TOP_K += [("ask", "top_k", 20), ("ask-stream", "top_k", 20)]


@pytest.mark.parametrize(("name", "field", "most"), TOP_K)
async def test_how_many_passages(roomy: Service, name: str, field: str, most: int) -> None:
    for value, status in ((0, 400), (1, 200), (most, 200), (most + 1, 400)):
        response = await ASKING[name].ask(roomy, **{field: value})
        assert response.status_code == status
        if status == 400:
            own_name = "topK" if name.startswith("core") else "top_k"
            assert own_name in response.text
            assert f"between 1 and {most}" in response.text


@pytest.mark.parametrize(("name", "field", "sources"), [("core", "topK", "sources"), ("ask", "top_k", "citations")])
async def test_no_more_sources_than_passages(roomy: Service, name: str, field: str, sources: str) -> None:
    several = "What is a harmonic drive? What is a stepper motor? What is a toothed belt?"
    for question in (several, "Which chapters does this book have?", QUESTION):
        for most in (1, 2, 10):
            body = (await ASKING[name].ask(roomy, question, **{field: most})).json()
            assert len(body[sources]) <= most
    assert len(body[sources]) >= 1


@pytest.mark.parametrize("name", ["textbook", "academic", "agent", "ask-selected"])
async def test_passages_cannot_be_chosen_elsewhere(roomy: Service, name: str) -> None:
    for value in (1, 1000, "many"):
        assert (await ASKING[name].ask(roomy, top_k=value)).status_code == 200


@pytest.mark.parametrize("wrong", ["5", 5.5, True, None, [], {}])
@pytest.mark.parametrize("name", ["core", "ask"])
async def test_the_number_of_passages_is_a_number(roomy: Service, name: str, wrong: Any) -> None:
    assert (await ASKING[name].ask(roomy, top_k=wrong)).status_code == 400


FILTERS = [
    ({"module": 0}, 400),
    ({"module": 1}, 200),
    ({"module": 10}, 200),
    ({"module": 11}, 400),
    ({"module": "1"}, 400),
    ({"module": ""}, 400),
    ({"module": True}, 400),
    ({"module": "Joints"}, 200),
    ({"module": "a" * 201}, 400),
    ({"difficulty": "beginner"}, 200),
    ({"difficulty": "expert"}, 400),
    ({"tags": []}, 200),
    ({"tags": ["gears"] * 20}, 200),
    ({"tags": ["gears"] * 21}, 400),
    ({"tags": [""]}, 400),
    ({"tags": "gears"}, 400),
    ({"chapter": 1}, 200),
    ({}, 200),
    (None, 200),
]


@pytest.mark.parametrize(("filters", "status"), FILTERS)
@pytest.mark.parametrize("name", ["core", "ask"])
async def test_filters(roomy: Service, name: str, filters: Any, status: int) -> None:
    assert (await ASKING[name].ask(roomy, filters=filters)).status_code == status


async def test_a_filter_that_finds_little_says_so(roomy: Service) -> None:
    response = await ASKING["core"].ask(roomy, filters={"module": 2})
    assert response.json()["filterMessage"].startswith("The part of the book that you chose has little on this")
    stream = await ASKING["core"].ask(roomy, filters={"module": 2}, headers=SSE)
    assert "filterMessage" in stream.text


async def test_so_it_does_where_nothing_is_kept(roomy: Service) -> None:
    little = "The part of the book that you chose has little on this"
    body = (await ASKING["ask"].ask(roomy, filters={"module": 2})).json()
    assert body["filter_message"].startswith(little)
    assert little in (await ASKING["ask-stream"].ask(roomy, filters={"module": 2})).text
    lacking = (await ASKING["ask"].ask(roomy, filters={"tags": ["radar"]})).json()
    assert "The book has nothing for tags: radar" in lacking["filter_message"]
    kept = (await ASKING["ask"].ask(roomy, filters={"difficulty": "beginner", "tags": ["Gears"]})).json()
    assert (kept["filter_message"], kept["citations"][0]["chapter"]) == (None, "joints/gears")


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (
            {"module": 7},
            "The book has nothing for module: 7, so all of it was searched. It has module: 1 (joints), 2",
        ),
        (
            {"module": "Swimming"},
            "The book has nothing for module: Swimming, so all of it was searched. It has module:",
        ),
        ({"difficulty": "intermediate"}, "It has difficulty: beginner, advanced."),
        (
            {"tags": ["radar", "Sonar"]},
            "The book has nothing for tags: radar, sonar, so all of it was searched. It has tags:",
        ),
        ({"module": 9, "tags": ["radar"]}, "The book has nothing for module: 9; tags: radar, so"),
    ],
)
async def test_a_filter_that_the_book_lacks_is_told_with_those_that_it_has(
    roomy: Service, filters: Any, message: str
) -> None:
    body = (await ASKING["core"].ask(roomy, filters=filters)).json()
    assert message in body["filterMessage"]
    assert body["outcome"] == "answered"


@pytest.mark.parametrize("module", [1, "joints", "JOINTS"])
async def test_a_module_is_named_by_its_number_or_its_title(roomy: Service, module: Any) -> None:
    body = (await ASKING["core"].ask(roomy, filters={"module": module})).json()
    assert "filterMessage" not in body
    assert body["sources"][0]["chapterId"] == "joints/gears"


async def test_no_filter_makes_a_refusal_where_the_book_has_an_answer(roomy: Service) -> None:
    for filters in ({"module": 2}, {"difficulty": "advanced"}, {"module": "walking"}):
        body = (await ASKING["core"].ask(roomy, filters=filters)).json()
        assert body["outcome"] == "answered"
        assert body["sources"][0]["chapterId"] == "joints/gears"
        assert "all of it was searched" in body["filterMessage"]


SAID_BEFORE = [
    ([], 200),
    (None, 200),
    ([{"question": "a" * 10_000, "answer": ""}], 200),
    ([{"question": "a" * 10_001, "answer": ""}], 400),
    ([{"question": "Why?", "answer": "a" * 10_001}], 400),
    ([{"question": "", "answer": "No."}], 400),
    ([{"question": "Why?"}], 400),
    ([{"question": 1, "answer": "No."}], 400),
    ([{"role": "user", "content": "Why?"}], 200),
    (["Why?"], 400),
    ([{"question": "Why \x00?", "answer": "\x00"}], 200),
    ([{"question": "Why \ud800?", "answer": ""}], 400),
    ([{"question": "Why?", "answer": "No.", "role": "user"}] * 50, 200),
    ("Why?", 400),
]


@pytest.mark.parametrize(("history", "status"), SAID_BEFORE)
async def test_what_was_said_before(roomy: Service, history: Any, status: int) -> None:
    body = json.dumps(ASKING["ask"].body("And that?", history=history))
    response = await roomy.client.post("/api/ask", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == status


HISTORY = [
    ("limit=0", 400),
    ("limit=1", 200),
    ("limit=50", 200),
    ("limit=51", 400),
    ("limit=x", 400),
    ("before=2026-01-05T09:30:00Z", 200),
    ("before=2026-01-05T09:30:00", 400),
    ("before=yesterday", 400),
    ("before=0001-01-01T00:00:00%2B14:00", 400),
    ("before=9999-12-31T23:59:59-14:00", 400),
]


@pytest.mark.parametrize(("query", "status"), HISTORY)
async def test_parts_of_a_history(roomy: Service, query: str, status: int) -> None:
    made = await ASKING["core"].ask(roomy)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    response = await roomy.client.get(f"/api/v1/chat/sessions/{made.json()['sessionId']}?{query}", headers=headers)
    assert response.status_code == status
    if status == 400:
        assert response.json()["error"]["code"] == "INVALID_QUERY"
        assert query.partition("=")[0] in response.json()["error"]["message"]


async def test_pages_of_a_history(roomy: Service) -> None:
    made = await ASKING["core"].ask(roomy)
    session, headers = made.json()["sessionId"], {"X-Session-Token": made.headers["X-Session-Token"]}
    for _ in range(2):
        await ASKING["core"].ask(roomy, sessionId=session, headers=headers)
    address = f"/api/v1/chat/sessions/{session}"
    whole = (await roomy.client.get(address, headers=headers)).json()["messages"]
    newest = (await roomy.client.get(f"{address}?limit=2", headers=headers)).json()["messages"]
    before = (
        await roomy.client.get(address, params={"limit": 2, "before": newest[0]["createdAt"]}, headers=headers)
    ).json()["messages"]
    assert [message["role"] for message in whole] == ["user", "assistant"] * 3
    assert (newest, before) == (whole[4:], whole[2:4])


@pytest.mark.parametrize(
    ("chapter", "status"),
    [("ab", 400), ("abc", 202), ("a" * 50, 202), ("a" * 51, 400), ("a-b", 400), ("abc\n", 400), ("äbc", 400)],
)
async def test_chapter_ids(roomy: Service, chapter: str, status: int) -> None:
    """Nobody takes the chapters in: no upload desk is at work."""
    response = await roomy.client.post(
        "/content/ingest",
        files={"file": ("a.md", b"# A\n\nText.\n")},
        data={"chapter_id": chapter},
        headers=roomy.bearer,
    )
    assert response.status_code == status


@pytest.mark.parametrize("module", [11, 0, [1], "3"])
async def test_a_module_that_breaks_its_rule_is_called_by_its_own_name(roomy: Service, module: Any) -> None:
    response = await ASKING["core"].ask(roomy, filters={"module": module})
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith("filters.module: ")

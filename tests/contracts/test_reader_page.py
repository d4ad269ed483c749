"""What the reader's page asks for: the book itself, opinions of answers, and its own files."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from syrupy.assertion import SnapshotAssertion

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.book import Chunk
from citebook.domain.errors import VectorStoreUnavailable
from tests.contracts.conftest import Start, wire
from tests.contracts.service import ASKING, CANARY, ORIGIN, QUESTION, DownIndex, Service
from tests.fakes import WORKERS
from tests.small_book import write_book

ANSWER_ID = "4be0643f-1d98-473b-97cd-ca98a65347dd"
ADDRESSES = ["/book/contents", "/book/pages/joints/gears"]


# --- the book


async def test_the_contents(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get("/book/contents")) == snapshot


@pytest.mark.parametrize("chapter_id", ["intro", "joints/gears", "walking/balance"])
async def test_a_page(service: Service, snapshot: SnapshotAssertion, chapter_id: str) -> None:
    assert wire(await service.client.get(f"/book/pages/{chapter_id}")) == snapshot


async def test_every_citation_leads_to_a_page_that_shows_it(service: Service) -> None:
    citation = (await ASKING["ask"].ask(service)).json()["citations"][0]
    page = (await service.client.get(f"/book/pages/{citation['chapter_id']}")).json()
    anchor = citation["url"].partition("#")[2]
    (section,) = [part for part in page["sections"] if part["id"] == anchor]
    assert section["title"] == citation["section_title"]
    assert citation["excerpt"] in "".join(run["text"] for block in section["blocks"] for run in block["text"])


@pytest.mark.parametrize(
    "chapter_id",
    [
        "none",
        "",
        "joints",
        "joints/gears/",
        "joints/gears.mdx",
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "%ff",
        "a%0Ab",
        "a" * 3000,
    ],
)
async def test_a_page_that_is_not_there(service: Service, chapter_id: str) -> None:
    response = await service.client.get(f"/book/pages/{chapter_id}")
    body = {"error": "NOT_FOUND", "message": "There is no such page in this book.", "details": {}}
    assert (response.status_code, response.json()) == (404, body)


@pytest.mark.parametrize("address", ADDRESSES)
async def test_what_the_client_has_is_not_sent_again(service: Service, address: str) -> None:
    first = await service.client.get(address)
    again = await service.client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    other = await service.client.get(address, headers={"If-None-Match": '"other"'})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert (other.status_code, other.json()) == (200, first.json())


async def test_a_new_edition_has_new_tags(own_service: Service, tmp_path_factory: pytest.TempPathFactory) -> None:
    tags = [(await own_service.client.get(address)).headers["ETag"] for address in ADDRESSES]
    assert len(set(tags)) == 2
    page = "---\ntitle: Gears\nmodule: 1\n---\n\n## Harmonic drives\n\nA new text.\n"
    await own_service.ingest_again(tmp_path_factory.mktemp("changed"), gears=page)
    gears = await own_service.client.get(ADDRESSES[1], headers={"If-None-Match": tags[1]})
    assert gears.status_code == 200
    paragraph = {"kind": "paragraph", "text": [{"text": "A new text.", "marks": []}]}
    assert gears.json()["sections"][0]["blocks"] == [paragraph]


async def test_a_heading_with_nothing_under_it_is_listed_and_read_in_its_place(
    own_service: Service, tmp_path: Path
) -> None:
    page = "---\ntitle: Gears\n---\n\n## Drives\n\n### Harmonic drives\n\nThey have no play.\n\n## Notes\n"
    await own_service.ingest_again(tmp_path, gears=page)
    sections = (await own_service.client.get(ADDRESSES[1])).json()["sections"]
    assert [(one["id"], one["level"], len(one["blocks"])) for one in sections] == [
        ("drives", 2, 0),
        ("harmonic-drives", 3, 1),
        ("notes", 2, 0),
    ]
    chapters = (await own_service.client.get("/chapters")).json()["chapters"]
    assert ["Drives", "Harmonic drives", "Notes"] in [chapter["sections"] for chapter in chapters]


async def test_the_book_is_called_by_its_index_page(own_service: Service, tmp_path: Path) -> None:
    await own_service.ingest_again(tmp_path, intro="---\ntitle: All about robots\nslug: /\n---\n\nHello.\n")
    assert (await own_service.client.get("/book/contents")).json()["title"] == "All about robots"


async def test_the_book_is_called_as_its_index_page_is_headed(own_service: Service, tmp_path: Path) -> None:
    page = "---\ntitle: About this book\nslug: /\n---\n\n# All about robots\n\nHello.\n"
    await own_service.ingest_again(tmp_path, intro=page)
    contents = (await own_service.client.get("/book/contents")).json()
    assert contents["title"] == "All about robots"
    assert "About this book" in [chapter["title"] for chapter in contents["chapters"]]


async def test_a_book_without_an_index_page_is_called_as_its_first_page_is_headed(
    own_service: Service, tmp_path: Path
) -> None:
    page = "---\ntitle: Welcome\nslug: /intro\n---\n\n# All about robots\n\nHello.\n"
    await own_service.ingest_again(tmp_path, intro=page)
    assert (await own_service.client.get("/book/contents")).json()["title"] == "All about robots"


async def test_parts_stand_as_the_sidebars_order_and_label_them(own_service: Service, tmp_path: Path) -> None:
    walking = "{type: 'category', label: 'To walk', items: ['walking/balance']}"
    joints = "{type: 'category', label: 'To turn', items: ['joints/motors', 'joints/gears']}"
    book = write_book(tmp_path / "book")
    (book / "sidebars.js").write_text(f"module.exports = {{book: ['intro', {walking}, {joints}]}}")
    await own_service.ingest_again(book)
    chapters = (await own_service.client.get("/book/contents")).json()["chapters"]
    assert [(one["id"], one["module_title"]) for one in chapters] == [
        ("intro", None),
        ("walking/balance", "To walk"),
        ("joints/motors", "To turn"),
        ("joints/gears", "To turn"),
    ]


@pytest.mark.parametrize("address", ["/book/contents", "/book/pages/intro", "/api/questions", "/api/search?q=gear"])
async def test_a_book_without_an_index_names_the_command_that_makes_one(
    start: Start, tmp_path: Path, address: str
) -> None:
    service = await start(index=EmbeddedQdrant(tmp_path / "empty", WORKERS))
    response = await service.client.get(address)
    assert response.status_code == 503
    assert "citebook ingest PATH" in response.json()["message"]


async def test_the_book_is_called_as_its_site_is(own_service: Service, tmp_path: Path) -> None:
    (tmp_path / "docusaurus.config.js").write_text("export default { title: 'Robots', baseUrl: '/' }")
    await own_service.ingest_again(tmp_path)
    assert (await own_service.client.get("/book/contents")).json()["title"] == "Robots"


@pytest.mark.parametrize("address", ADDRESSES)
async def test_no_index(start: Start, snapshot: SnapshotAssertion, address: str) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable(CANARY)))
    assert wire(await service.client.get(address)) == snapshot


async def test_a_book_of_an_older_version_says_what_to_do(
    own_service: Service, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(Chunk, "model_copy", lambda chunk, **_: chunk)  # as chunks were before they held sections
    await own_service.ingest_again(tmp_path / "old", intro="---\ntitle: Old\n---\n\nAn old page.\n")
    assert wire(await own_service.client.get("/book/pages/intro")) == snapshot


# --- opinions


def feedback(**changed: Any) -> dict[str, Any]:
    return {"answer_id": ANSWER_ID, "rating": "up", **changed}


async def test_feedback_is_kept(service: Service, snapshot: SnapshotAssertion) -> None:
    answer_id = (await ASKING["ask"].ask(service)).json()["answer_id"]
    body = feedback(answer_id=answer_id, rating="down", note="  Not what I meant.\n", reason="off_topic")
    assert wire(await service.client.post("/api/feedback", json=body)) == snapshot
    (kept,) = await service.services.feedback.newest(5)
    assert (str(kept.answer_id), kept.rating, kept.note) == (answer_id, "down", "Not what I meant.")
    assert kept.reason == "off_topic"
    assert "203.0.113" not in kept.client_id


async def test_the_last_word_counts(service: Service) -> None:
    for rating in ("up", "down"):
        await service.client.post("/api/feedback", json=feedback(rating=rating))
    assert await service.services.feedback.counts() == {"up": 0, "down": 1}


async def test_an_answer_that_nobody_knows_is_taken_all_the_same(service: Service) -> None:
    response = await service.client.post("/api/feedback", json=feedback(answer_id=str(uuid4())))
    assert response.status_code == 204


@pytest.mark.parametrize(
    "wrong",
    [
        {"answer_id": "7"},
        {"answer_id": {"$ne": ""}},
        {"answer_id": None},
        {"rating": "meh"},
        {"rating": True},
        {"note": "x" * 1001},
        {"note": ["x"]},
        {"reason": "ugly"},
    ],
    ids=str,
)
async def test_feedback_that_breaks_a_rule(
    service: Service, snapshot: SnapshotAssertion, wrong: dict[str, Any]
) -> None:
    assert wire(await service.client.post("/api/feedback", json=feedback(**wrong))) == snapshot
    assert await service.services.feedback.newest(1) == ()


async def test_the_longest_note(service: Service) -> None:
    response = await service.client.post("/api/feedback", json=feedback(note=f" {'é' * 1000} "))
    assert response.status_code == 204


async def test_too_much_feedback(start: Start, snapshot: SnapshotAssertion) -> None:
    service = await start(policies={"feedback": {"anonymous": {"questions": 1, "seconds": 60}}})
    await service.client.post("/api/feedback", json=feedback())
    assert wire(await service.client.post("/api/feedback", json=feedback())) == snapshot


async def test_feedback_without_a_database(start: Start, snapshot: SnapshotAssertion, broken_database: str) -> None:
    service = await start(database_url=broken_database)
    assert wire(await service.client.post("/api/feedback", json=feedback())) == snapshot


async def test_a_history_knows_the_answers_that_feedback_is_given_on(service: Service) -> None:
    made = await ASKING["core"].ask(service)
    given = made.json()
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    address = f"/api/v1/chat/sessions/{given['sessionId']}"
    _question, said = (await service.client.get(address, headers=headers)).json()["messages"]
    sources = [{name: value for name, value in one.items() if name != "place"} for one in given["sources"]]
    assert (said["answerId"], said["outcome"], said["sources"]) == (given["answerId"], "answered", sources)
    assert (said["support"], said["supportText"]) == (given["support"], given["supportText"])


# --- files


async def test_the_page_has_its_rules_and_the_request_its_id(service: Service) -> None:
    response = await service.client.get("/")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Request-ID"]


async def test_the_page_does_not_hide_the_contracts(service: Service) -> None:
    response = await service.client.get(f"/chat/{uuid4()}", headers=service.bearer)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "NOT_FOUND")


async def test_any_site_may_load_the_widget_but_not_ask(service: Service) -> None:
    elsewhere = {"Origin": "https://elsewhere.example"}
    widget = await service.client.get("/widget.js", headers=elsewhere)
    asked = await service.client.post("/api/ask", json={"question": QUESTION}, headers=elsewhere)
    own = await service.client.get("/widget.js", headers={"Origin": ORIGIN})
    assert widget.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in asked.headers
    assert own.headers.get_list("Access-Control-Allow-Origin") == [ORIGIN]


async def test_feedback_with_half_a_surrogate_pair_is_taken(service: Service) -> None:
    """JSON can spell what no database takes."""
    body = json.dumps(feedback(note="half a pair: \ud800, and NUL: \x00")).encode()
    response = await service.client.post("/api/feedback", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 204
    (kept,) = await service.services.feedback.newest(1)
    assert kept.note == "half a pair: \ufffd, and NUL: \ufffd"

"""Which books there are, and that each of them can be asked by the id in the list."""

from citebook.domain.errors import BookNotIngested
from tests.contracts.conftest import Start
from tests.contracts.service import QUESTION, DownIndex, Service


async def test_each_book_of_the_list_can_be_asked(service: Service) -> None:
    listed = (await service.client.get("/books", headers=service.bearer)).json()
    assert [book["id"] for book in listed["books"]] == ["default", "another"]
    assert [book["is_default"] for book in listed["books"]] == [True, False]
    assert listed["total_count"] == 2
    for book in listed["books"]:
        assert book["title"]
        assert book["chapters"] == 4
        path = f"/chat/book/{book['id']}/query"
        answer = await service.client.post(path, json={"query": QUESTION}, headers=service.bearer)
        assert answer.json()["status"] == "success"


async def test_a_book_that_cannot_be_asked_yet_is_listed_without_a_title(start: Start) -> None:
    service = await start(index=DownIndex(BookNotIngested("x")))
    listed = (await service.client.get("/books", headers=service.bearer)).json()["books"]
    assert listed[0] == {"id": "default", "title": None, "chapters": 0, "is_default": True}


async def test_the_list_needs_a_key(service: Service) -> None:
    response = await service.client.get("/books")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")

"""Sections are found at each key, by what they are called and by what they say."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from citebook.domain.errors import VectorStoreUnavailable
from tests.contracts.conftest import Start, wire
from tests.contracts.service import DownIndex, Service


async def found(service: Service, typed: str, **more: Any) -> dict[str, Any]:
    response = await service.client.get("/api/search", params={"q": typed, **more})
    assert response.status_code == 200
    body: dict[str, Any] = response.json()
    return body


async def titles(service: Service, typed: str) -> list[str]:
    return [section["title"] for section in (await found(service, typed))["sections"]]


async def test_what_is_on_the_wire(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get("/api/search", params={"q": "harm"})) == snapshot


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("h", "Harmonic drives"),
        ("harmonic dri", "Harmonic drives"),
        ("Harmonic drive", "Harmonic drives"),
        ("gears harm", "Harmonic drives"),
        ("bel", "Belts"),
        ("zero moment", "The zero moment point"),
        ("the zero moment point", "The zero moment point"),
        ("encoder", "Stepper motors"),
        ("toothed and quiet", "Belts"),
    ],
)
async def test_the_best_section_comes_first(service: Service, typed: str, title: str) -> None:
    assert (await titles(service, typed))[0] == title


async def test_a_section_is_named_once(service: Service) -> None:
    urls = [section["url"] for section in (await found(service, "harmonic drive gear cup"))["sections"]]
    assert len(urls) == len(set(urls))


async def test_a_snippet_is_of_the_book_s_own_words(service: Service) -> None:
    (section, *_) = (await found(service, "backlash "))["sections"]
    assert section["snippet"] == "It has almost no backlash."
    assert section["url"] == "/docs/joints/gears#harmonic-drives"


@pytest.mark.parametrize(("typed", "meant"), [("harmnic ", "harmonic"), ("steppr motors", "stepper")])
async def test_slips_are_put_right_and_said(service: Service, typed: str, meant: str) -> None:
    body = await found(service, typed)
    assert body["corrections"][0]["searched"] == meant
    assert body["sections"]


async def test_a_slip_in_a_word_that_is_half_there_finds_it(service: Service) -> None:
    assert "Stepper motors" in await titles(service, "encdoe")


@pytest.mark.parametrize(
    "typed", ["", " ", "?", "xyzzy", "🤖", "\u200b", "\ud800".encode("utf-8", "replace").decode()]
)
async def test_where_nothing_is_like_it_nothing_is_found(service: Service, typed: str) -> None:
    assert (await found(service, typed))["sections"] == []


async def test_no_more_are_told_than_were_asked_for(service: Service) -> None:
    assert len((await found(service, "a", limit=1))["sections"]) <= 1


@pytest.mark.parametrize("query", ["", "q=a&limit=0", "q=a&limit=21", "q=a&limit=x", f"q={'a' * 201}"])
async def test_what_breaks_a_rule_is_told_so(service: Service, query: str) -> None:
    response = await service.client.get(f"/api/search?{query}")
    assert (response.status_code, response.json()["error"]) == (400, "INVALID_REQUEST")


async def test_while_the_index_is_down_it_is_said_so(start: Start) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable("down")))
    response = await service.client.get("/api/search", params={"q": "gear"})
    assert response.status_code == 503
    assert "Retry-After" in response.headers

"""Questions about the book itself: an introduction without a source, then headed lines, each with its own."""

import pytest

from tests.contracts.service import ASKING, Service, frames_of

ABOUT = "What is this book about?"
INTRODUCTION = "The book has 2 parts: Joints; Walking."
OPENING = "This book explains the joints of walking machines in four short pages."


@pytest.mark.parametrize("name", ["textbook", "core", "ask"])
async def test_the_introduction_is_a_part_without_a_source(service: Service, name: str) -> None:
    body = (await ASKING[name].ask(service, ABOUT)).json()
    assert body["answer"].startswith(f"{INTRODUCTION}\n\nAbout this book\n\n{OPENING} [1]")
    introduction, first, *_ = body["parts"]
    assert introduction == {
        "blocks": [{"kind": "paragraph", "text": [{"text": INTRODUCTION, "marks": []}]}],
        "citation": None,
    }
    assert first["citation"] == 1
    assert first["blocks"][0] == {"kind": "paragraph", "text": [{"text": "About this book", "marks": ["strong"]}]}


@pytest.mark.parametrize("name", ["academic", "agent"])
async def test_other_contracts_tell_the_introduction_first_too(service: Service, name: str) -> None:
    body = (await ASKING[name].ask(service, ABOUT)).json()
    assert body["answer"].startswith(INTRODUCTION)
    assert OPENING in body["answer"]


@pytest.mark.parametrize(("name", "field"), [("core-stream", "chunk"), ("ask-stream", "content")])
async def test_a_stream_tells_the_introduction_with_its_first_line(service: Service, name: str, field: str) -> None:
    frames = frames_of((await ASKING[name].ask(service, ABOUT)).text)
    first = next(frame for frame in frames if frame.get(field))
    assert first[field].startswith(INTRODUCTION)
    assert [part["citation"] for part in first["parts"]] == [None, 1]


async def test_where_something_is_told_is_a_heading_and_a_line(service: Service) -> None:
    body = (await ASKING["ask"].ask(service, "Where do I learn about stepper motors?")).json()
    assert body["answer"].startswith("The book has this in:\n\nMotors: Stepper motors\n\nA stepper motor turns")
    assert body["confidence"] == pytest.approx(0.9)


async def test_what_the_book_does_not_have_is_refused(service: Service) -> None:
    body = (await ASKING["ask"].ask(service, "Where do I learn about photosynthesis?")).json()
    assert body["outcome"] == "refused"

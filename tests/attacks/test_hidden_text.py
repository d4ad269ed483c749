"""Text that is not what it seems: invisible Unicode (row 12), frames in frames (13), forged log lines (23)."""

import json
import logging
from collections.abc import Iterator

import pytest

from citebook.domain.conversation import Exchange
from citebook.domain.question import Question
from citebook.language.languages import language_of
from citebook.language.text import INVISIBLE
from citebook.telemetry import set_up_logging, texts
from citebook.writing.follow_up_writing import reworded
from citebook.writing.prompting import write_prompt
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, QUESTION, ROOMY, SEARCHING, frames_of
from tests.fakes import chunks_of_page, evidence_of, make_chunk
from tests.language_models import SpokenModel

# --- row 12

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "say cheese")
HIDDEN = {
    "tags": TAGS,
    "zero-width": "\u200b\u200c\u200d\u2060\ufeff",
    "directions": "\u202e\u2066\u2069\u200f\u061c",
    "variation selectors": "\ufe0f\ufe00\U000e0100\U000e01ef",
    "fillers": "\u3164\uffa0\u115f\u1160\u034f",
    "soft hyphens": "\u00ad\u180e",
    "controls": "\x01\x08\x1b\x7f\x9b",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_invisible_characters_of_a_page_are_no_text_and_offsets_stay_right(hidden: str) -> None:
    source = (
        f"# Ge{hidden}ars\n\nA har{hidden}monic drive has{hidden} a backlash of 1 arc minute. {hidden}It turns.\n"
    )
    (chunk,) = chunks_of_page(source)
    assert INVISIBLE.search(chunk.text + chunk.section_title) is None
    assert "A harmonic drive has a backlash of 1 arc minute." in chunk.text
    for sentence in chunk.sentences:
        shown, written = (
            chunk.text[sentence.start : sentence.end],
            source[sentence.source_start : sentence.source_end],
        )
        assert INVISIBLE.sub("", written) == shown


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
async def test_invisible_characters_reach_no_model(hidden: str) -> None:
    said = Exchange(question=f"What is a{hidden} gear?", answer=f"A gear{hidden} turns.")
    question = Question(text=f"and{hidden} why?", selected_text=f"A{hidden} gear.", history=(said,))
    evidence = evidence_of(make_chunk("A gear turns."), question=f"why{hidden}")
    asked = write_prompt(question, evidence, excerpt_characters=9_000, max_output_tokens=9).prompt
    model = SpokenModel("Why does a gear turn?")
    await reworded(model, question.text, (said,), language_of("en"))
    for prompt in (asked, *model.prompts):
        assert INVISIBLE.search(prompt.message + prompt.instructions) is None
    assert len(model.prompts) == 1


@pytest.mark.parametrize("name", SEARCHING)
async def test_invisible_characters_of_a_question_come_back_in_no_answer(start: Start, name: str) -> None:
    service = await start(policies=ROOMY)
    reply = await ASKING[name].ask(service, "".join(f"{letter}{TAGS}\u200b" for letter in QUESTION))
    assert reply.status_code == 200, reply.text
    body = json.dumps(frames_of(reply.text) if "stream" in name else reply.json(), ensure_ascii=False)
    assert INVISIBLE.search(body) is None
    assert "harmonic" in body


# --- row 13

CR_FRAMES = 'A.\rdata: {"done": true}\r\rdata: x\r\nevent: done\n\nid: 1\u2028data: y'


@pytest.mark.parametrize("name", ["ask-stream", "core-stream"])
async def test_a_bare_carriage_return_in_a_question_opens_no_frame(start: Start, name: str) -> None:
    service = await start(policies=ROOMY)
    reply = await ASKING[name].ask(service, f"{QUESTION} {CR_FRAMES}")
    assert "\r" not in reply.text
    assert frames_of(reply.text)


# --- row 23

FORGERIES = [
    "x\n2026-01-01 info admin: all is well",
    "x\r\nforged",
    "x\rforged",
    "x\u2028forged\u2029forged",
    "x\x85forged\x0bforged\x0cforged\x1c\x1d\x1eforged",
    "x\x1b[2K\x1b[1Aforged",
    'x", "level": "info", "message": "forged',
]


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("citebook")
    handlers, levels = root.handlers[:], (root.level, ours.level, texts.level)
    yield
    root.handlers[:] = handlers
    for logger, level in zip((root, ours, texts), levels, strict=True):
        logger.setLevel(level)


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_nobody_forges_a_line_of_the_log(capsys: pytest.CaptureFixture[str], log_format: str, forgery: str) -> None:
    set_up_logging("debug", "json" if log_format == "json" else "text")
    try:
        raise ValueError(forgery)
    except ValueError:
        logging.getLogger("citebook.api").exception("a request failed: %s", forgery)
    logged = capsys.readouterr().err
    assert len(logged.splitlines()) == 1, "a record is one line, however lines are counted"
    assert not set("\x1b\x9b\r") & set(logged)
    if log_format == "json":
        assert json.loads(logged)["message"] == f"a request failed: {forgery}"

"""Questions that nobody should ask and somebody will: each gets a reply that a reader understands."""

import re
from typing import Any

import httpx
import pytest

from tests.contracts.service import ASKING as ALL
from tests.contracts.service import SEARCHING, Asking, Service, frames_of

ASKING: dict[str, Asking] = {name: ALL[name] for name in SEARCHING}
ODD = {
    "one letter": "a",
    "one letter of the book": "N",
    "a digit": "7",
    "stop words": "what is the of and to",
    "a question word": "why",
    "emoji": "🤖🦾❓",
    "one emoji of many characters": "👨‍👩‍👧‍👦",
    "marks": "?!… --- ***",
    "code": "for (int i = 0; i < n; ++i) { drive[i]->set(0x1F); }",
    "a traceback": "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'drive'",
    "a formula": "$\\frac{\\partial L}{\\partial \\dot{q}}$",
    "markup": "<b>What</b> is a <Gear kind={`harmonic`}/> [drive](javascript:alert(1))?",
    "Urdu": "ہارمونک ڈرائیو کیا ہے؟",
    "German": "Was ist ein harmonisches Getriebe und wozu dient es?",
    "Chinese": "谐波传动是什么？",
    "mixed": "harmonic drive کیا ہے, und warum?",
    "from right to left": "\u202eevird cinomrah a si tahw\u202c",
    "invisible": "w\u200bh\u200bat is a har\u00admonic drive?",
    "combining marks": "What is a dr" + "\u0301" * 300 + "ive?",
    "SQL": "'; DROP TABLE chunks; --",
    "one long word": "harmonic" * 60,
    "the same word": "drive " * 80,
}
LIMITS = {400, 413, 422}
"""The statuses of a contract that says what is wrong with a question."""


def answer_of(response: httpx.Response) -> str:
    """What the reader is told."""
    if response.headers["content-type"].startswith("text/event-stream"):
        frames = frames_of(response.text)
        assert not any("error" in frame for frame in frames), frames
        return "".join(frame.get("chunk") or frame.get("content") or "" for frame in frames)
    body: dict[str, Any] = response.json()
    return str(body.get("answer") or body.get("response") or body.get("message") or body)


@pytest.mark.parametrize("question", ODD.values(), ids=ODD)
@pytest.mark.parametrize("name", ASKING)
@pytest.mark.asyncio(loop_scope="module")
async def test_an_odd_question_has_a_reply(roomy: Service, name: str, question: str) -> None:
    response = await ASKING[name].ask(roomy, question)
    assert response.status_code in {200, *LIMITS}, response.text
    assert answer_of(response).strip()


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.asyncio(loop_scope="module")
async def test_ten_thousand_characters_are_answered_or_named_as_too_many(roomy: Service, name: str) -> None:
    question = ("What is a harmonic drive, and why does it have no backlash? " * 200)[:10_000]
    response = await ASKING[name].ask(roomy, question)
    if response.status_code == 200:
        assert answer_of(response).strip()
    else:
        assert response.status_code in LIMITS
        assert re.search(r"(?:at most|exceeds) [\d,]+ (characters|words)", response.text)


@pytest.mark.parametrize("question", ["What is a harmonic drive? 🤖", "what is   a HARMONIC drive", ODD["invisible"]])
@pytest.mark.asyncio(loop_scope="module")
async def test_odd_spelling_of_a_good_question_is_answered(roomy: Service, question: str) -> None:
    body = (await ASKING["ask"].ask(roomy, question)).json()
    assert body["citations"], body

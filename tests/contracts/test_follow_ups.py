"""Follow-ups in a session: a new topic stays a new topic, and “what about” turns the question before."""

from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, ROOMY

CORE = ASKING["core"]


async def chapters_of(start: Start, *questions: str) -> list[str]:
    """The chapters that the answer to the last of the questions cites."""
    service = await start(policies=ROOMY)
    answer = await CORE.ask(service, questions[0])
    session, headers = answer.json()["sessionId"], {"X-Session-Token": answer.headers["X-Session-Token"]}
    for question in questions[1:]:
        answer = await CORE.ask(service, question, sessionId=session, headers=headers)
    return [source["chapterId"] for source in answer.json()["sources"]]


async def test_a_whole_question_is_no_follow_up(start: Start) -> None:
    cited = await chapters_of(start, "What is a harmonic drive?", "What fixed steps of a stepper motor are there?")
    assert cited == ["joints/motors"]


async def test_what_about_another_thing_is_asked_about_that_thing(start: Start) -> None:
    assert await chapters_of(start, "What is a harmonic drive?", "and a stepper motor?") == ["joints/motors"]

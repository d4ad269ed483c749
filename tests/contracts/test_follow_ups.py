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


async def test_agent_takes_what_was_said_before_with_the_question(start: Start) -> None:
    service, agent = await start(policies=ROOMY), ASKING["agent"]
    before = [{"question": "What is a harmonic drive?", "answer": "A gear that bends a thin steel cup."}]
    assert (await agent.ask(service, "why?")).json()["sources"] == []
    assert (await agent.ask(service, "why?", history=before)).json()["sources"]
    turned = await agent.ask(service, "and a stepper motor?", history=before)
    assert turned.json()["sources"][0].startswith("joints/motors#")


async def test_agent_ignores_what_older_clients_call_a_history(start: Start) -> None:
    service, messages = await start(policies=ROOMY), [{"role": "user", "content": "Hi"}]
    assert (await ASKING["agent"].ask(service, history=messages)).status_code == 200
    for broken in ("Hi", [1], [{"question": 1, "answer": "x"}], [{"question": "Hi"}]):
        assert (await ASKING["agent"].ask(service, history=broken)).status_code == 400

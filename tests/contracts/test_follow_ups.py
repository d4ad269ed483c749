"""Follow-ups, in a session or not: a new topic stays one, and “what about” turns the question before."""

from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, ROOMY

CORE, ASK = ASKING["core"], ASKING["ask"]


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


async def test_what_was_said_before_can_come_with_the_question(start: Start) -> None:
    service = await start(policies=ROOMY)
    first = await ASK.ask(service, "What is a harmonic drive?")
    before = [{"question": "What is a harmonic drive?", "answer": first.json()["answer"]}]
    for name in ("ask", "ask-stream"):
        told = await ASKING[name].ask(service, "and a stepper motor?", history=before)
        assert "joints/motors" in told.text
    alone = await ASK.ask(service, "why?")
    with_it = await ASK.ask(service, "why?", history=before)
    assert (alone.json()["outcome"], with_it.json()["outcome"]) == ("refused", "answered")


async def test_the_last_five_exchanges_are_used(start: Start) -> None:
    service = await start(policies=ROOMY)
    about_gears = {"question": "What is a harmonic drive?", "answer": "A gear that bends a cup. [1]"}
    about_balance = {"question": "What is the zero moment point?", "answer": "A point that may leave the foot. [1]"}
    forgotten = await ASK.ask(service, "why?", history=[about_gears, *[about_balance] * 5])
    assert {one["chapter"] for one in forgotten.json()["citations"]} == {"walking/balance"}


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

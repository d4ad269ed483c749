"""Answers that cross: by a call that was cancelled (row 19), by a cache (row 20)."""

import ast
import asyncio
from pathlib import Path
from uuid import uuid4

from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, QUESTION, ROOMY, QuotingGenerator, Service

SOURCE = Path(__file__).parents[2] / "src" / "citebook"
OF_A_READER = {"Question", "Caller", "Exchange", "ChatSession", "ChatMessage", "Answer", "Request", "Policy", "UUID"}


async def test_answers_beside_cancelled_ones_keep_to_their_readers(start: Start) -> None:
    service = await start(writer=QuotingGenerator(claims=1, pause=0.05), policies=ROOMY)
    questions = {f"{QUESTION} qx{number}z": number for number in range(30)}

    async def ask(question: str, number: int) -> tuple[int, str] | None:
        asking = asyncio.create_task(ASKING["core"].ask(service, question))
        if number % 3 == 0:
            await asyncio.sleep(0.01 * (number % 7))
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            return None
        made = await asking
        path, token = f"/api/v1/chat/sessions/{made.json()['sessionId']}", made.headers["X-Session-Token"]
        return number, (await service.client.get(path, headers={"X-Session-Token": token})).text

    told = [one for one in await asyncio.gather(*(ask(*item) for item in questions.items())) if one]
    assert len(told) == 20
    for number, history in told:
        assert f"qx{number}z" in history
        assert history.count("qx") == 1, "no word of another reader"


def cached_functions() -> list[tuple[str, list[str]]]:
    """Each function whose results are kept for the whole process, and the types of what it is given."""
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(_is_cache(one) for one in node.decorator_list):
                types = [ast.unparse(one.annotation) for one in node.args.args if one.annotation]
                found.append((f"{file.name}:{node.name}", types))
    return found


def _is_cache(decorator: ast.expr) -> bool:
    return ast.unparse(decorator).partition("(")[0].rpartition(".")[2] in ("cache", "lru_cache")


def test_nothing_that_depends_on_a_reader_is_cached() -> None:
    functions = cached_functions()
    assert len(functions) > 5
    of_readers = [name for name, types in functions if OF_A_READER & set(" ".join(types).split())]
    assert of_readers == []


async def test_the_same_words_in_another_conversation_have_another_answer(start: Start) -> None:
    service, core = await start(policies=ROOMY), ASKING["core"]

    async def follow_up(first: str) -> str:
        made = await core.ask(service, first)
        token = {"X-Session-Token": made.headers["X-Session-Token"]}
        said = await core.ask(service, "and why is that?", sessionId=made.json()["sessionId"], headers=token)
        return str(said.json()["answer"])

    belt = await follow_up("Why does a toothed belt stretch?")
    stepper = await follow_up("Why needs a stepper motor no encoder?")
    assert belt != stepper


async def test_a_new_edition_is_told_at_once(own_service: Service, tmp_path: Path) -> None:
    asked = ASKING["ask"]
    before = (await asked.ask(own_service)).json()["answer"]
    gears = "---\ntitle: Gears\n---\n\n## Harmonic drives\n\nA harmonic drive is a gear of cheese, as of now.\n"
    await own_service.ingest_again(tmp_path / "changed", gears=gears)
    after = (await asked.ask(own_service)).json()["answer"]
    assert "cheese" not in before
    assert "cheese" in after


async def test_no_reply_about_a_reader_may_be_kept_on_the_way(start: Start) -> None:
    service = await start(policies=ROOMY)
    made = await ASKING["core"].ask(service)
    token, session = {"X-Session-Token": made.headers["X-Session-Token"]}, made.json()["sessionId"]
    replies = [made, await service.client.get(f"/api/v1/chat/sessions/{session}", headers=token)]
    replies += [await service.client.get(f"/api/v1/chat/sessions/{uuid4()}", headers=token)]
    replies += [await asking.ask(service) for asking in ASKING.values()]
    assert {reply.headers["Cache-Control"] for reply in replies} == {"no-store"}

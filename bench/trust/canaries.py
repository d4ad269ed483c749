"""`python -m bench.trust.canaries`: many readers with words of their own, many of whom leave midway (figure 5).

Each reader owns a joint of the book and asks about it alone, each time with a word that nobody else has. A model on
this machine quotes the joint that its prompt asks about. So an answer, a history or a prompt that got to the wrong
reader shows a foreign joint or a foreign word.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx
from tests.language_models import ScriptedEndpoint

from bench.http import HOST, free_port, running
from bench.trust.reporting import Report
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.key_store import SqlKeyStore

FULL_EXCHANGES = 5_000
READERS = 40
LEAVING = 0.3
_WORD = re.compile(r"qx(\d+)x\d+z")
_JOINT = re.compile(r"joint zq(\d+)")
_WAYS = ("ask", "ask, stream", "core", "core, stream", "academic")
_PATIENCE = 120.0


class Echo(ScriptedEndpoint):
    """Quotes the joint that it is asked about, slowly, and looks at whose words it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.pause = 0.01
        self.mixed: list[str] = []
        """Prompts with the words of more than one reader."""

    def pieces_of(self, body: dict[str, Any]) -> Sequence[str]:
        prompt = " ".join(str(part["content"]) for part in body["messages"])
        owners = set(_WORD.findall(prompt))
        if len(owners) > 1:
            self.mixed.append(f"one prompt holds the words of readers {sorted(owners)}")
        if not owners:
            return ['{"not_covered": true}\n']
        quote = sentence_of(int(owners.pop()))
        line = json.dumps({"claim": quote, "excerpt": 1, "quote": quote})
        return [*(line[start : start + 20] for start in range(0, len(line), 20)), "\n"]


def sentence_of(reader: int) -> str:
    return f"The joint zq{reader:04} turns by {reader + 7} degrees."


@dataclass(slots=True)
class Reader:
    number: int
    key: str
    asked: int = 0
    session: dict[str, str] = field(default_factory=dict)
    conversation: str = field(default_factory=lambda: str(uuid4()))

    def question(self) -> str:
        self.asked += 1
        return (
            f"By how many degrees does the joint zq{self.number:04} turn? My word is qx{self.number}x{self.asked}z."
        )

    def foreign_in(self, text: str, *, joints: bool = True) -> list[str]:
        words = {f"the word of reader {owner}" for owner in _WORD.findall(text) if int(owner) != self.number}
        named = {f"joint {joint}" for joint in _JOINT.findall(text) if joints and int(joint) != self.number}
        return sorted(words | named)


@dataclass(slots=True)
class Tally:
    whole: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    own: Counter[str] = field(default_factory=Counter)
    """Answers that told the reader's own joint."""
    failures: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=200)
    parser.add_argument("--full", action="store_true", help=f"{FULL_EXCHANGES} exchanges")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    exchanges = FULL_EXCHANGES if options.full else options.exchanges
    with tempfile.TemporaryDirectory(prefix="citebook-canaries-") as folder:
        tally = asyncio.run(measure(Path(folder), exchanges, random.Random(options.seed)))
    rows = [(way, tally.whole[way] + tally.left[way], tally.left[way], tally.own[way]) for way in tally.whole]
    columns = ("way", "exchanges", "left midway", "told their own joint")
    measured = f"{exchanges} exchanges of {READERS} readers, {sum(tally.left.values())} of which they left midway"
    Report(5, columns, rows, measured, tally.failures, started).tell(options.json)


async def measure(folder: Path, exchanges: int, chance: random.Random) -> Tally:
    tally = Tally()
    async with Echo() as model:
        readers = [Reader(number, "") for number in range(READERS)]
        data, port = await _prepared(folder, readers), free_port()
        command = ["-m", "citebook", "serve", "--port", str(port), "--data-dir", str(data)]
        server = running(command, "/health", port, _environment(model.url))
        await asyncio.to_thread(server.__enter__)  # meanwhile the model says that it is there
        try:
            await asyncio.gather(*(_talk(reader, port, exchanges, chance, tally) for reader in readers))
            await asyncio.gather(*(_look_back(reader, port, tally) for reader in readers if reader.session))
        finally:
            await asyncio.to_thread(server.__exit__, None, None, None)
        tally.failures += model.mixed
    told = sum(tally.own.values())
    if told < sum(tally.whole.values()) // 2:
        tally.failures.append(f"only {told} answers told anything: nothing was shown by this run")
    return tally


async def _prepared(folder: Path, readers: Sequence[Reader]) -> Path:
    """A book with a page for each reader, its index, and a key for each."""
    book, data = folder / "book", folder / "data"
    book.mkdir()
    for reader in readers:
        page = f"# Joint zq{reader.number:04}\n\n{sentence_of(reader.number)} It is greased once a year.\n"
        (book / f"joint{reader.number}.md").write_text(page, encoding="utf-8")
    command = [sys.executable, "-m", "citebook", "ingest", str(book), "--data-dir", str(data)]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    async with Database.connect(f"sqlite:///{data / 'citebook.sqlite3'}") as database:
        for reader in readers:
            _, reader.key = await SqlKeyStore(database).create(f"reader {reader.number}")
    return data


def _environment(model_url: str) -> dict[str, str]:
    plenty = {"questions": 10**9, "seconds": 60}
    sure = {"anonymous": plenty, "refuse_below": 0.0, "warn_below": 0.0}
    return {
        "POLICIES": json.dumps(dict.fromkeys(("ask", "core", "academic"), sure)),
        "LLM_PROVIDER": "llamacpp",
        "LLM_BASE_URL": f"{model_url}/v1",
        "LLM_TOKENS_A_DAY": str(10**12),
        "LLM_TOKENS_A_DAY_PER_CALLER": str(10**12),
        "EXAMINER": "none",
        "LOG_LEVEL": "error",
        **dict.fromkeys(("DEADLINE_SECONDS", "GENERATION_SECONDS", "RETRIEVAL_SECONDS"), "60"),
    }


async def _talk(reader: Reader, port: int, exchanges: int, chance: random.Random, tally: Tally) -> None:
    """This reader's part of the exchanges, one after the other, some of them broken off at some moment."""
    part = exchanges // READERS + (reader.number < exchanges % READERS)
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=_PATIENCE) as client:
        for _ in range(part):
            way, leaves = chance.choice(_WAYS), chance.random() < LEAVING
            patience = chance.uniform(0.0, 0.5) if leaves else _PATIENCE
            try:
                async with asyncio.timeout(patience):
                    text = await _exchange(reader, client, way)
            except TimeoutError:
                tally.left[way] += 1
                continue
            tally.whole[way] += 1
            tally.own[way] += f"joint zq{reader.number:04} turns" in text
            tally.failures += [f"{way}, reader {reader.number}: {one}" for one in reader.foreign_in(text)]


async def _exchange(reader: Reader, client: httpx.AsyncClient, way: str) -> str:
    """What the reader was told, without the passages around it, which are the book's."""
    contract, _, streamed = way.partition(", ")
    headers = {"Accept": "text/event-stream"} if streamed else {}
    if contract == "ask":
        path, body = "/api/ask/stream" if streamed else "/api/ask", {"question": reader.question()}
    elif contract == "core":
        path, body = "/api/v1/query", {"query": reader.question(), **_in_session(reader)}
        headers |= {"X-Session-Token": reader.session["token"]} if reader.session else {}
    else:
        path, body = "/chat/query", {"query": reader.question(), "conversation_id": reader.conversation}
        headers |= {"Authorization": f"Bearer {reader.key}"}
    reply = await client.post(path, json=body, headers=headers)
    if reply.status_code != 200:
        return f"status {reply.status_code}"
    if contract == "core" and "X-Session-Token" in reply.headers and not streamed:
        reader.session = {"id": reply.json()["sessionId"], "token": reply.headers["X-Session-Token"]}
    return _told(reply.text) if streamed else str(reply.json()["answer"])


def _in_session(reader: Reader) -> dict[str, str]:
    return {"sessionId": reader.session["id"]} if reader.session else {}


def _told(stream: str) -> str:
    frames = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]
    return "".join(str(frame.get("content") or frame.get("chunk") or frame.get("token") or "") for frame in frames)


async def _look_back(reader: Reader, port: int, tally: Tally) -> None:
    """The whole history of the reader, sources included, has no word of another."""
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=_PATIENCE) as client:
        path, headers = f"/api/v1/chat/sessions/{reader.session['id']}", {"X-Session-Token": reader.session["token"]}
        history = await client.get(path, headers=headers, params={"limit": 50})
    tally.whole["history"] += 1
    tally.own["history"] += f"qx{reader.number}x" in history.text
    foreign = reader.foreign_in(history.text, joints=False)
    answers = [str(message["content"]) for message in history.json().get("messages", ())]
    foreign += reader.foreign_in(" ".join(answers))
    tally.failures += [f"history of reader {reader.number}: {one}" for one in foreign]


if __name__ == "__main__":
    main()

"""Records the terminal session of five-contracts-by-curl.md: real commands, real output.

    .venv/bin/python docs/guides/record_five_contracts.py [DATA_DIR]

Ingests the sample book into DATA_DIR (default: a folder that is removed afterwards), serves it, runs each command in
one shell, and writes the page anew. Needs bash and curl.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_PAGE = _HERE / "five-contracts-by-curl.md"
_BOOK = "examples/physical-ai/docs"
_SHOWN_PORT = "8000"
_END = "__end_of_command__"

_OPENING = """\
# Five contracts by curl

One terminal session with the sample book that uses each of the five contracts, both streams, a session, and a limit.
All of it was really printed, but for the port, which was another:
[record_five_contracts.py](record_five_contracts.py) runs the commands and writes this page.
What each contract allows is in [the HTTP service](http-service.md); all fields are in
[openapi.json](../reference/openapi.json), and at `/api/docs` of a running server.
"""

_JSON = "-H 'Content-Type: application/json'"
_SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Start",
        "The server was started by `citebook ingest examples/physical-ai/docs` and `citebook serve`.",
        (
            "S=http://127.0.0.1:8000 PRETTY='python3 -m json.tool --no-ensure-ascii'",
            "curl -s $S/health | $PRETTY",
            "curl -s $S/api/v1/health | $PRETTY",
        ),
    ),
    (
        "textbook",
        "Selected text steers the search, and does not restrict it.",
        (
            f"""curl -s $S/api/query {_JSON} \\
  -d '{{"query": "Why are there several solutions?", "selected_text": "inverse kinematics of an arm"}}' \\
  | $PRETTY""",
        ),
    ),
    (
        "core: a session",
        "The first question starts a session. Its token is told once, in a header; without it there is none.",
        (
            f"""curl -s -D headers $S/api/v1/query {_JSON} \\
  -d '{{"query": "Why is the zero moment point kept inside the foot?", "filters": {{"module": 4}}, "topK": 3}}' \\
  > first.json; $PRETTY first.json""",
            """TOKEN=$(sed -n 's/^x-session-token: //Ip' headers | tr -d '\\r')""",
            """echo "a token of ${#TOKEN} characters\"""",
            """SESSION=$(python3 -c 'import json; print(json.load(open("first.json"))["sessionId"])')""",
            f"""curl -s $S/api/v1/query {_JSON} -H "X-Session-Token: $TOKEN" \\
  -d "{{\\"query\\": \\"and why is that?\\", \\"sessionId\\": \\"$SESSION\\"}}" | $PRETTY""",
            """curl -s "$S/api/v1/chat/sessions/$SESSION?limit=4" -H "X-Session-Token: $TOKEN" \\
  | python3 -c 'import json, sys
for m in json.load(sys.stdin)["messages"]: print(m["createdAt"], m["role"] + ":", m["content"][:70])'""",
            """curl -s -w '%{http_code}\\n' "$S/api/v1/chat/sessions/$SESSION" """.rstrip(),
            """curl -s -w '%{http_code}\\n' -X DELETE "$S/api/v1/chat/sessions/$SESSION" \\
  -H "X-Session-Token: $TOKEN\"""",
            """curl -s -w '%{http_code}\\n' "$S/api/v1/chat/sessions/$SESSION" -H "X-Session-Token: $TOKEN\"""",
        ),
    ),
    (
        "core: a stream",
        "Each sentence is proven before it is sent.",
        (
            f"""curl -sN $S/api/v1/query {_JSON} -H 'Accept: text/event-stream' \\
  -d '{{"query": "What is inverse kinematics?", "topK": 3}}'""",
        ),
    ),
    (
        "core: too many questions",
        "Ten questions an hour are free for a reader who is not signed in; three were asked above.",
        (
            f"""for i in $(seq 10); do
  curl -s -o /dev/null -w '%{{http_code}} ' $S/api/v1/query {_JSON} -d '{{"query": "What is TF2?"}}'
done; echo""",
            f"""curl -si $S/api/v1/query {_JSON} -d '{{"query": "What is TF2?"}}'; echo""",
        ),
    ),
    (
        "academic",
        "For other servers, with a key. Each answer can be fetched again, and is in the audit log.",
        (
            f"""curl -s $S/chat/query {_JSON} -d '{{"query": "What is inverse kinematics?"}}'; echo""",
            """KEY=$(citebook keys create "the docs" 2>/dev/null | tail -1)""",
            f"""curl -s $S/chat/query {_JSON} -H "Authorization: Bearer $KEY" \\
  -d '{{"query": "What is inverse kinematics?"}}' > answer.json; $PRETTY answer.json""",
            """curl -s $S/health -H "Authorization: Bearer $KEY"; echo""",
            """curl -s $S/books -H "Authorization: Bearer $KEY"; echo""",
            """ID=$(python3 -c 'import json; print(json.load(open("answer.json"))["answer_id"])')""",
            """curl -s $S/chat/$ID -H "Authorization: Bearer $KEY" | head -c 120; echo""",
            f"""curl -s $S/chat/context-restricted {_JSON} -H "Authorization: Bearer $KEY" -d '{{
    "query": "How many solutions does inverse kinematics have?",
    "selected_passage": "Inverse kinematics may have no solution, one, several or infinitely many solutions."
  }}' | $PRETTY""",
            "citebook audit replay $ID",
            "citebook audit verify",
        ),
    ),
    (
        "agent",
        "Nothing of it is stored.",
        (
            f"""curl -s $S/query {_JSON} -d '{{"question": "What does an IMU measure?"}}' | $PRETTY""",
            """curl -s $S/chapters | python3 -c 'import json, sys
for chapter in json.load(sys.stdin)["chapters"][:4]: print(chapter["id"], "|", chapter["title"])'""",
        ),
    ),
    (
        "ask",
        "Whole, as a stream, about selected text alone; and a refusal.",
        (
            f"""curl -s $S/api/ask {_JSON} -d '{{"question": "What is SLAM?", "top_k": 3}}' | $PRETTY""",
            f"""curl -sN $S/api/ask/stream {_JSON} -d '{{"question": "What is SLAM?", "top_k": 3}}'""",
            f"""curl -s $S/api/ask-selected {_JSON} -d '{{
    "question": "What does a belt do under load?",
    "selected_text": "A toothed belt is cheap and quiet, but it stretches under load."
  }}' | $PRETTY""",
            f"""curl -s $S/api/ask {_JSON} -d '{{"question": "How do I file my income tax?"}}' \\
  | $PRETTY""",
        ),
    ),
)


def main(data_dir: str | None = None) -> None:
    with tempfile.TemporaryDirectory(prefix="citebook-record-") as folder:
        where = Path(data_dir or folder) / "data" if data_dir is None else Path(data_dir)
        _citebook("ingest", _BOOK, "--data-dir", str(where))
        with _serving(where) as port, _shell(where, Path(folder)) as shell:
            text = _OPENING + "".join(_section(shell, port, *section) for section in _SECTIONS)
    _PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {_PAGE}")


def _section(shell: "subprocess.Popen[str]", port: str, title: str, words: str, commands: tuple[str, ...]) -> str:
    session = "".join(f"$ {command}\n{_run(shell, command, port)}" for command in commands)
    return f"\n## {title}\n\n{words}{chr(10) * 2 if words else ''}```console\n{session}```\n"


def _run(shell: "subprocess.Popen[str]", command: str, port: str) -> str:
    """What the command prints, standard error included."""
    assert shell.stdin is not None
    assert shell.stdout is not None
    print(f"$ {command}")
    real = command.replace(f"127.0.0.1:{_SHOWN_PORT}", f"127.0.0.1:{port}")
    shell.stdin.write(f"{real}\necho\necho {_END}\n")
    shell.stdin.flush()
    output = "".join(_until_end(shell.stdout)).strip("\n")
    return f"{output}\n" if output else ""


def _until_end(lines: IO[str]) -> Iterator[str]:
    for line in lines:
        if line.strip() == _END:
            return
        yield line.rstrip().replace("\r", "") + "\n"


def _citebook(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "citebook", *arguments], cwd=_ROOT, check=True)


@contextmanager
def _serving(data_dir: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "citebook", "serve", "--port", port, "--data-dir", str(data_dir)]
    with subprocess.Popen(command, cwd=_ROOT, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(int(port))
            yield port
        finally:
            server.terminate()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("The server did not start.")


@contextmanager
def _shell(data_dir: Path, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """`citebook` in it means this installation and the server's data."""
    environment = {
        **os.environ,
        "CITEBOOK_DATA_DIR": str(data_dir.resolve()),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    with subprocess.Popen(
        ["bash", "--norc"],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as shell:
        yield shell


if __name__ == "__main__":
    main(*sys.argv[1:])

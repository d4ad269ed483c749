"""Makes the pictures of the README from what the command line really prints.

    .venv/bin/python docs/images/make_terminal_pictures.py [DATA_DIR]

The sample book is ingested into DATA_DIR (default .citebook/demo) if it is not there yet. Each command runs in a
terminal of its own, so that the picture has the colours that a reader sees.
"""

import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_BOOK = "examples/physical-ai/docs"
_COLUMNS = 100
_REMOTE_FONTS = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
_PICTURES = {
    "ask.svg": (
        ("ask", "What is inverse kinematics?"),
        ("ask", "How do I file my income tax?"),
    ),
}


def main(data_dir: str = ".citebook/demo") -> None:
    print(_run_in_terminal("ingest", _BOOK, "--data-dir", data_dir))
    for name, commands in _PICTURES.items():
        shown = [(command, _run_in_terminal(*command, "--data-dir", data_dir)) for command in commands]
        (_HERE / name).write_text(_picture(shown), encoding="utf-8")
        print(f"wrote {_HERE / name}")


def _run_in_terminal(*arguments: str) -> str:
    """What `citebook` writes when its standard output is a terminal."""
    reader, writer = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    command = [sys.executable, "-m", "citebook", *arguments]
    with subprocess.Popen(command, stdout=writer, stdin=subprocess.DEVNULL, env=environment, cwd=_ROOT) as process:
        os.close(writer)
        output = b"".join(_pieces(reader))
    os.close(reader)
    if process.returncode:
        sys.exit(f"citebook {shlex.join(arguments)} ended with exit code {process.returncode}")
    return output.decode().replace("\r\n", "\n").rstrip("\n")


def _pieces(reader: int) -> list[bytes]:
    pieces = []
    while True:
        try:
            piece = os.read(reader, 65_536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    return pieces


def _picture(shown: Sequence[tuple[tuple[str, str], str]]) -> str:
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=_COLUMNS, file=nowhere, force_terminal=True, highlight=False)
        for index, ((name, question), output) in enumerate(shown):
            console.print(Text.assemble("\n" if index else "", ("$ ", "bold green"), f'citebook {name} "{question}"'))
            console.print(Text.from_ansi(output))
        picture = console.export_svg(title="citebook", unique_id="citebook")
    return _REMOTE_FONTS.sub("", picture)  # a picture loads nothing from elsewhere


if __name__ == "__main__":
    main(*sys.argv[1:])

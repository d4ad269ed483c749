"""Records newcomers-run.md: from a checkout to the chat on a fresh Docusaurus site, by the words of the guide.

    .venv/bin/python docs/guides/record_newcomers_run.py

Works in a folder that is removed afterwards, with an empty home and with what is committed here; runs each command in
one shell, measures it, asks a question in a browser, and writes the page and its picture anew. Needs bash, git,
Node 20, Chromium, `make web/e2e/node_modules/.installed`, and the ports 3000 and 8000.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_PAGE = _HERE / "newcomers-run.md"
_PICTURE = _HERE.parent / "images" / "newcomers-site.png"
_PORTS = (3000, 8000)
_MOST_LINES = 6
_END = "__end_of_command__"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_OPENING = """\
# A newcomer's run

From nothing to the chat on a fresh Docusaurus site that has a `src/theme/Root` of its own, by the words of
[the guide](docusaurus.md) and of the [README](../../README.md) alone. All of it was really run and printed, in an
empty home with empty caches; long output is cut to its last lines.
[record_newcomers_run.py](record_newcomers_run.py) does it and writes this page.

It took {total}, of which {installs} were installs.
"""
_CLOSING = """
![The chat on the new site: an answer, and its sentence marked on the page](../images/newcomers-site.png)
"""

_ROOT_OF_THE_SITE = """mkdir -p src/theme && cat > src/theme/Root.js <<'END'
import React from 'react'

export default function Root({ children }) {
  return <div className="my-own-root">{children}</div>
}
END"""
_OPTION = "plugins: [['@citebook/docusaurus-plugin', { server: 'http://127.0.0.1:8000' }]],"


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    words: str
    commands: tuple[str, ...]
    is_install: bool = False


_STEPS = (
    Step(
        "Citebook",
        "A checkout of it lies in `citebook`. Into an environment of one's own:",
        ("python3 -m venv venv && . venv/bin/activate", "pip install --quiet ./citebook", "citebook --version"),
        is_install=True,
    ),
    Step(
        "A site",
        "As Docusaurus makes one, with a Root. (The registry that this was run with lacked `@docsearch/core` 4.7.1,\n"
        "which Docusaurus 3.10 asks for, so an older one is named; elsewhere the first line alone installs all.)",
        (
            "npx --yes create-docusaurus@latest my-book classic --javascript --skip-install",
            "cd my-book",
            "npm pkg set 'overrides.@docsearch/react=^3.9.0' && npm install",
            _ROOT_OF_THE_SITE,
        ),
        is_install=True,
    ),
    Step(
        "The plugin",
        "",
        (
            "npm --prefix ../citebook/web ci",
            "npm --prefix ../citebook/web pack --workspace @citebook/docusaurus-plugin --pack-destination .",
            "npm install ./citebook-docusaurus-plugin-0.1.0.tgz",
        ),
        is_install=True,
    ),
    Step(
        "Its line in the configuration",
        "",
        (
            f'sed -i "s|^  presets: |  {_OPTION}\\n  presets: |" docusaurus.config.js',
            "grep citebook docusaurus.config.js",
        ),
    ),
    Step(
        "The server",
        "It stays in its terminal; here it goes into the background.",
        (
            "citebook ingest docs",
            "CORS_ORIGINS=http://localhost:3000 citebook serve > server.log 2>&1 &",
            "until grep answers server.log; do sleep 0.2; done",
        ),
    ),
    Step(
        "The site, built and served",
        "",
        (
            "npm run build",
            "npm run serve -- --no-open > site.log 2>&1 &",
            "until curl --silent --fail --output intro.html http://localhost:3000/docs/intro; do sleep 0.2; done",
        ),
    ),
)


def main() -> None:
    for port in _PORTS:
        if _is_taken(port):
            sys.exit(f"The port {port} is taken.")
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder, _shell(Path(folder)) as shell:
        subprocess.run(["git", "clone", "--quiet", _ROOT, "citebook"], cwd=folder, check=True)
        parts = [_recorded(shell, Path(folder), step) for step in _STEPS]
        subprocess.run(["node", "newcomers-site.mjs", _PICTURE], cwd=_ROOT / "web/e2e", check=True)
    total = sum(seconds for _text, seconds in parts)
    installs = sum(seconds for step, (_text, seconds) in zip(_STEPS, parts, strict=True) if step.is_install)
    opening = _OPENING.format(total=_spoken(total), installs=_spoken(installs))
    _PAGE.write_text(opening + "".join(text for text, _seconds in parts) + _CLOSING, encoding="utf-8")
    print(f"wrote {_PAGE}: {_spoken(total)}")


def _recorded(shell: "subprocess.Popen[str]", folder: Path, step: Step) -> tuple[str, float]:
    session, total = "", 0.0
    for command in step.commands:
        printed, seconds = _run(shell, command)
        total += seconds
        session += f"$ {command}\n{_cut(printed.replace(str(folder), '~'))}# {seconds:.1f} s\n"
    words = f"{step.words}\n\n" if step.words else ""
    return f"\n## {step.title}\n\n{words}```console\n{session}```\n", total


def _run(shell: "subprocess.Popen[str]", command: str) -> tuple[str, float]:
    """What the command prints, standard error included, and how long it took. Ends all where it fails."""
    assert shell.stdin is not None
    assert shell.stdout is not None
    print(f"$ {command}")
    started = time.monotonic()
    shell.stdin.write(f"{command}\ncode=$?; echo; echo {_END} $code\n")
    shell.stdin.flush()
    lines = []
    for line in shell.stdout:
        if line.startswith(_END):
            if line.split()[-1] != "0":
                sys.exit(f"It failed: {command}")
            break
        print(f"  {line}", end="")
        lines.append(_COLOURS.sub("", line.rstrip().rsplit("\r", 1)[-1]).rstrip())
    return "\n".join(lines).strip("\n"), time.monotonic() - started


def _cut(printed: str) -> str:
    lines = [line for line in printed.splitlines() if line.strip()]
    shown = lines if len(lines) <= _MOST_LINES else ["…", *lines[-_MOST_LINES:]]
    return "".join(f"{line}\n" for line in shown)


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _shell(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """In a home that has nothing in it; what runs in its background ends with it."""
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "npm_config_userconfig": str(home / ".npmrc"), "CI": "true"}
    with subprocess.Popen(
        ["bash", "--norc"],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as shell:
        try:
            yield shell
        finally:
            os.killpg(shell.pid, 15)


if __name__ == "__main__":
    main()

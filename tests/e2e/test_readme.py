"""The README is short, and its commands do what it says of them, in its order."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.command_line import PATIENCE, ROOT, started

pytestmark = pytest.mark.network

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [shlex.split(line, comments=True) for block in BLOCKS for line in block.splitlines()]
MOST_WORDS = 950
BOOK = "path/to/site/docs"


def test_it_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_what_it_makes_can_be_made() -> None:
    targets = [command[1] for command in COMMANDS if command[0] == "make"]
    assert targets == ["demo", "test"]
    subprocess.run(["make", "--dry-run", *targets], cwd=ROOT, check=True, capture_output=True)


def test_its_commands_work_one_after_the_other(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "arms.md"
    page.parent.mkdir()
    page.write_text("# Arms\n\nInverse kinematics finds the joint angles for a wanted pose of the tip.\n")
    for program, *arguments in COMMANDS:
        if program == "citebook" and arguments[0] != "demo":  # which test_demo.py runs; pip, test_wheel.py
            given = [str(page.parent) if one == BOOK else one for one in arguments]
            check(given, {"CITEBOOK_DATA_DIR": str(tmp_path / "data"), "NO_COLOR": "1"})


def check(arguments: list[str], environment: dict[str, str]) -> None:
    if arguments[0] == "serve":
        with started(*arguments, "--port", "0", environment=environment) as serving:
            assert serving.stderr is not None
            assert any("answers at http://127.0.0.1:" in line for line in serving.stderr)
        return
    with started(*arguments, environment=environment) as running:
        out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, (arguments, out, err)
    if arguments[0] == "ask":
        assert "finds the joint angles" in out

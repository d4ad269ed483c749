"""What a user can set, type or run into is documented, and what is documented is there."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import SecretStr

from citebook.cli import exit_codes
from citebook.cli.app import app
from citebook.domain import errors
from citebook.domain.errors import CitebookError
from citebook.ingestion.anchors import Slugger
from citebook.settings import Settings

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_CODE_BLOCK = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def rows_of(text: str) -> dict[str, str]:
    """The rows of a page's tables, by what stands in their first cell."""
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return {row.split("|")[1].strip().strip("`"): row for row in rows}


def section_of(text: str, heading: str) -> str:
    """What stands under a level-2 heading."""
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


def cell_with(text: str, name: str) -> bool:
    """Whether a table names it in the first cell of a row, alone or with its value."""
    return any(re.match(rf"{re.escape(name)}(?![\w-])", cell) for cell in rows_of(text))


# --- settings

SETTINGS = read(REFERENCE / "settings.md")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented(name: str) -> None:
    assert name.upper() in rows_of(SETTINGS)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_default_is_documented(name: str) -> None:
    default = Settings.model_fields[name].default
    shown = rows_of(SETTINGS)[name.upper()].split("|")[2].strip()
    if default is None or isinstance(default, SecretStr):
        assert shown == "not set"
    elif isinstance(default, float):
        assert float(shown.strip("`")) == default
    elif isinstance(default, int | str | Path):
        assert shown == f"`{default}`"


def test_no_setting_is_documented_that_is_not_there() -> None:
    documented = {name for name in rows_of(SETTINGS) if re.fullmatch(r"[A-Z][A-Z_]+", name)}
    assert documented - {"CITEBOOK_CONFIG"} == {name.upper() for name in Settings.model_fields}


# --- the command line

COMMAND_LINE = read(REFERENCE / "command-line.md")


def walk_commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    if hasattr(command, "commands"):
        for part, inner in command.commands.items():
            yield from walk_commands(inner, f"{name} {part}")
    else:
        yield name, command


ROOT_COMMAND = typer.main.get_command(app)
COMMANDS = dict(walk_commands(ROOT_COMMAND, "citebook"))
PARAMETERS = [
    (name, spelling)
    for name, command in COMMANDS.items()
    for parameter in command.params
    for spelling in (parameter.opts if parameter.param_type_name == "option" else [parameter.name.upper()])
    if spelling != "--help"
]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert section_of(COMMAND_LINE, name), f"{name} has no section of its own"
    assert f"](#{name.replace(' ', '-')})" in COMMAND_LINE, f"{name} is not in the list of commands"


@pytest.mark.parametrize(("command", "parameter"), PARAMETERS)
def test_every_option_is_documented(command: str, parameter: str) -> None:
    assert cell_with(section_of(COMMAND_LINE, command), parameter)


def test_options_of_the_program_itself_are_documented() -> None:
    options = [spelling for parameter in ROOT_COMMAND.params for spelling in parameter.opts]
    assert [option for option in options if not cell_with(COMMAND_LINE, option)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_documented_that_is_not_there(name: str) -> None:
    table = "\n".join(rows_of(section_of(COMMAND_LINE, name)))
    known = {option for command, option in PARAMETERS if command == name}
    assert set(_OPTION.findall(table)) <= known


def test_every_exit_code_is_documented() -> None:
    used = {value for name, value in vars(exit_codes).items() if name.isupper() and isinstance(value, int)}
    documented = {int(code) for code in rows_of(section_of(COMMAND_LINE, "Exit codes")) if code.isdigit()}
    assert documented == used | {0, 130}


# --- errors

ERRORS = read(REFERENCE / "errors.md")


def kinds_of(error: type[CitebookError]) -> list[type[CitebookError]]:
    return [error, *(kind for child in error.__subclasses__() for kind in kinds_of(child))]


@pytest.mark.parametrize("error", kinds_of(CitebookError), ids=lambda error: error.__name__)
def test_every_error_is_documented(error: type[CitebookError]) -> None:
    assert error.__name__ in rows_of(ERRORS)
    assert f"`{error.code}`" in rows_of(ERRORS)[error.__name__]
    assert re.search(rf"─ {error.__name__}$|^{error.__name__}$", ERRORS, re.MULTILINE), "it is missing in the tree"


def test_no_error_is_documented_that_is_not_there() -> None:
    documented = {name for name in rows_of(ERRORS) if name[:1].isupper()}
    assert {name for name in documented if not hasattr(errors, name)} == set()


# --- decisions


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    needed = [*project["dependencies"], *(n for extra in project["optional-dependencies"].values() for n in extra)]
    names = [re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in needed]
    page = read(DECISIONS / "0003-dependencies.md")
    assert [name for name in names if not re.search(rf"^\|.*\b{re.escape(name)}\b.*\|$", page, re.MULTILINE)] == []


def test_every_decision_is_listed_and_has_a_status() -> None:
    listed = read(DECISIONS / "0001-record-decisions.md")
    pages = [page for page in DECISIONS.glob("*.md") if not page.name.startswith("0001")]
    assert [page.name for page in pages if f"]({page.name})" not in listed] == []
    assert [page.name for page in DECISIONS.glob("*.md") if "\nStatus: " not in read(page)] == []


# --- links


def anchors_of(page: Path) -> set[str]:
    slugger = Slugger()
    text = _CODE_BLOCK.sub("", read(page))
    return {slugger.anchor_for(re.sub(r"[`*]", "", title).strip()) for title in _HEADING.findall(text)}


def broken_links(page: Path) -> list[str]:
    """Links to files and headings of this repository that lead nowhere."""
    broken = []
    for link in _LINK.findall(_CODE_SPAN.sub("", _CODE_BLOCK.sub("", read(page)))):
        if re.match(r"[a-z][a-z+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        is_here = target.exists() and target.is_relative_to(ROOT)
        if not is_here or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "there.md").write_text("# One heading\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md#one-heading) [b](there.md#no) [c](gone.md) [d](../out.md) [e](https://x.y) [f](#g)\n"
    )
    assert broken_links(page) == ["there.md#no", "gone.md", "../out.md", "#g"]

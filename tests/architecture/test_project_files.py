"""What a machine or an editor runs on a contributor's behalf is what the Makefile has, and what is documented."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ISSUE_FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def read(path: Path | str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def steps_of(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in read(workflow)["jobs"].values() for step in job["steps"]]


def recipe_of(target: str) -> list[str]:
    """The commands of a target, as one would type them."""
    lines = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert lines is not None
    return [line.strip("\t@").replace("$(RUN)", ".venv/bin") for line in lines[1].splitlines()]


# --- the Makefile


def test_make_help_lists_every_target() -> None:
    listed = set(re.findall(r"^([a-z]+):.*##", MAKEFILE, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert listed == TARGETS == set(phony[1].split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_documented_targets_are_there(page: Path) -> None:
    code = re.findall(r"`make ([a-z]+)|^make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for names in code for name in names if name} <= TARGETS


# --- machines


def test_the_workflow_runs_what_a_contributor_runs() -> None:
    commands = {step["run"] for workflow in WORKFLOWS for step in steps_of(workflow) if "run" in step}
    assert commands == {"make check", "make test"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_may_only_read(workflow: Path) -> None:
    used = re.findall(r"uses: (.+)", workflow.read_text(encoding="utf-8"))
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in used)
    assert read(workflow)["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in read(workflow)["jobs"].values())


def test_every_python_that_the_package_names_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [name.rpartition(" ")[2] for name in project["classifiers"] if "Python :: 3." in name]
    assert read(".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"] == named


def test_a_clean_clone_is_tried_with_the_command_of_the_readme() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert re.findall(r"^make .+$", script, re.MULTILINE) == ["make test"]
    assert re.search(r"^make test ", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_lock_file_is_kept_up_to_date() -> None:
    updates = read(".github/dependabot.yml")["updates"]
    watched = {
        (update["package-ecosystem"], folder)
        for update in updates
        for folder in update.get("directories", [update.get("directory")])
    }
    skipped = {"node_modules", ".venv", ".state"}
    locks = [lock for lock in (ROOT / "web").rglob("package-lock.json") if skipped.isdisjoint(lock.parts)]
    npm = {("npm", f"/{lock.parent.relative_to(ROOT).as_posix()}") for lock in locks}
    assert watched == {("uv", "/"), ("github-actions", "/"), *npm}


# --- people


def test_pre_commit_does_what_make_check_does() -> None:
    (local,) = read(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in local["hooks"]] == recipe_of("check")
    assert {hook["language"] for hook in local["hooks"]} == {"system"}, "our own tools, in the versions of the lock"


@pytest.mark.parametrize("form", ISSUE_FORMS, ids=lambda path: path.name)
def test_issue_forms_are_whole(form: Path) -> None:
    content = read(form)
    assert content.keys() == {"name", "description", "labels", "body"}
    assert any(field.get("validations", {}).get("required") for field in content["body"])
    ids = [field["id"] for field in content["body"]]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in content["body"])


def test_there_is_a_form_for_a_bug_a_wish_and_a_bad_answer() -> None:
    assert [form.stem for form in ISSUE_FORMS] == ["answer", "bug", "feature"]

"""The built chat that the package ships is the one that the sources in web/ give."""

import hashlib
import json
import re
import shutil
import subprocess
from gzip import compress
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

WEB = Path(__file__).parents[2] / "web"
BUILT = Path(str(files("citebook"))) / "web"
AGAIN = "web/ has changed since the chat was built. Run: cd web && npm ci && npm run build"

# The same rule as web/scripts/sources.mjs.
_SINGLE_FILES = (
    "package-lock.json",
    "package.json",
    "scripts/build.mjs",
    "scripts/licenses.mjs",
    "scripts/sources.mjs",
    "tsconfig.base.json",
)
_PACKAGES = ("packages/client", "packages/page", "packages/widget")
_SKIPPED = {"node_modules", "dist", "test"}


def _manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((BUILT / "manifest.json").read_text("utf-8"))
    return manifest


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _source_hashes() -> dict[str, str]:
    found = [path for package in _PACKAGES for path in (WEB / package).rglob("*") if path.is_file()]
    names = [path.relative_to(WEB) for path in found]
    sources = [name.as_posix() for name in names if _SKIPPED.isdisjoint(name.parts) and _is_source(name.name)]
    return {name: _hash(WEB / name) for name in (*_SINGLE_FILES, *sources)}


def _is_source(name: str) -> bool:
    return not re.search(r"\.test\.tsx?$", name) and not name.endswith(".tsbuildinfo")


def _files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_sources_are_those_that_the_chat_was_built_from() -> None:
    assert _manifest()["sources"] == _source_hashes(), AGAIN


def test_built_files_are_those_of_the_build() -> None:
    shipped = {name: hashlib.sha256(content).hexdigest() for name, content in _files_of(BUILT).items()}
    del shipped["manifest.json"]
    assert shipped == _manifest()["outputs"], AGAIN


def test_script_tag_loads_at_most_10_kb_before_the_chat_is_opened() -> None:
    assert len(compress((BUILT / "widget.js").read_bytes(), 9)) <= 10_000


def test_script_tag_widget_has_at_most_95_kb() -> None:
    parts = ("widget.js", "widget-panel.js")
    assert sum(len(compress((BUILT / part).read_bytes(), 9)) for part in parts) <= 95_000


def test_licences_of_what_is_bundled_are_shipped() -> None:
    licences = (BUILT / "LICENSES.txt").read_text("utf-8")
    assert all(f"\n{name} " in f"\n{licences}" for name in ("react", "react-dom", "zustand"))


@pytest.mark.skipif(
    not (WEB / "node_modules" / "vite").is_dir() or shutil.which("node") is None,
    reason="web/node_modules is not installed (cd web && npm ci)",
)
def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    command = ["node", "scripts/build.mjs", str(tmp_path / "web")]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    built, shipped = _files_of(tmp_path / "web"), _files_of(BUILT)
    assert [name for name in built.keys() | shipped.keys() if built.get(name) != shipped.get(name)] == [], AGAIN

"""The wheel: built from the checkout and from the source archive, and installed with nothing but what it declares."""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.command_line import ROOT, citebook
from tests.conftest import SAMPLE_BOOK

pytestmark = pytest.mark.network

UV = shutil.which("uv", path=f"{ROOT / '.uv/bin'}{os.pathsep}{os.environ['PATH']}")
MINUTES = 10 * 60

if UV is None:
    pytest.skip("uv, which builds the wheel, is not here: make install brings it", allow_module_level=True)


def uv(*arguments: str | Path) -> None:
    command = [str(UV), "--quiet", "--no-progress", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=MINUTES)


def only_file(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@dataclass(frozen=True, slots=True)
class Built:
    wheel: Path
    archive: Path
    wheel_of_the_archive: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--out-dir", folder / "direct")
    uv("build", "--out-dir", folder / "through")  # makes the archive, then the wheel out of it
    return Built(
        only_file(folder / "direct", "*.whl"),
        only_file(folder / "through", "*.tar.gz"),
        only_file(folder / "through", "*.whl"),
    )


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has Citebook and what it declares, in the versions of the lock."""
    folder = tmp_path_factory.mktemp("installed")
    versions, environment = folder / "versions.txt", folder / "environment"
    uv("export", "--frozen", "--no-dev", "--no-emit-project", "--no-hashes", "--output-file", versions)
    uv("venv", "--python", sys.executable, environment)
    install = ("pip", "install", "--python", environment, "--constraints", versions)
    uv(*install, "--link-mode", "symlink", built.wheel)
    uv(*install, "--reinstall", "--no-deps", "--link-mode", "copy", built.wheel)  # a book has no links out of it
    return environment / "bin"


def run(installed: Path, *arguments: str | Path) -> str:
    """What a command prints, in an empty home and folder."""
    home = installed.parent / "home"
    home.mkdir(exist_ok=True)
    command = [installed / "citebook", *arguments]
    environment = {"PATH": str(installed), "HOME": str(home)}
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=MINUTES)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_of(wheel: Path) -> dict[str, str]:
    with ZipFile(wheel) as files:
        return {name: hashlib.sha256(files.read(name)).hexdigest() for name in files.namelist()}


def test_the_source_archive_gives_the_same_wheel(built: Built) -> None:
    assert files_of(built.wheel_of_the_archive) == files_of(built.wheel)


def test_the_wheel_has_the_whole_package_and_the_sample_book(built: Built) -> None:
    places = {"citebook": ROOT / "src/citebook", "citebook/sample_book": SAMPLE_BOOK / "docs"}
    wanted = {
        f"{name}/{path.relative_to(folder).as_posix()}"
        for name, folder in places.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in files_of(built.wheel) if ".dist-info/" not in name} == wanted


def test_the_source_archive_has_nothing_that_the_wheel_does_not_need(built: Built) -> None:
    with tarfile.open(built.archive) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    own = {"src", "examples", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"}
    assert tops == {*own, "PKG-INFO", ".gitignore"}


def test_an_install_knows_its_version(installed: Path) -> None:
    assert re.fullmatch(r"citebook \d+\.\d+\.\d+\n", run(installed, "--version"))


def test_an_install_reads_the_sample_book_and_answers(installed: Path, sample_index: Path, tmp_path: Path) -> None:
    """All pages but one are known to the index already: to embed them once more would take half a minute."""
    data = shutil.copytree(sample_index, tmp_path / "data")
    docs = shutil.copytree(SAMPLE_BOOK / "docs", tmp_path / "docs")
    (docs / "00-module-0-introduction" / "00-chapter-0-about-this-book.mdx").write_text(
        "# Another page\n\nWith other words.\n"
    )
    assert citebook("ingest", docs, "--data-dir", data).exit_code == 0
    shown = run(installed, "demo", "--ask", "--data-dir", data)
    assert re.search(r"^20 files, \d+ chunks: [1-9]\d* embedded, [1-9]\d* kept, 1 removed", shown, re.MULTILINE)
    assert "given a wanted tip pose, which joint angles produce it?" in shown


def test_what_the_demo_installs_takes_nothing_away_from_the_tests() -> None:
    planned = subprocess.check_output(["make", "-n", "-W", "pyproject.toml", ".venv/.demo"], cwd=ROOT, text=True)
    (sync,) = (shlex.split(line) for line in planned.splitlines() if " sync " in line)
    command = [*(part for part in sync if part != "--quiet"), "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=MINUTES)
    assert "Would" in done.stderr, done.stderr
    removed = set(re.findall(r"^ - ([\w.-]+)", done.stderr, re.MULTILINE))
    assert removed <= {"citebook"}, "but itself, to be put there anew"

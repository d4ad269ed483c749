"""What is locked is not older than the versions that mended known holes."""

import json
import tomllib

import pytest
from packaging.version import Version

from tests.architecture.named_tests import ROOT

LOCKED = {
    one["name"]: one["version"]
    for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    if "version" in one
}
FLOORS = {"starlette": "1.3.1", "python-multipart": "0.0.30", "h11": "0.16"}
NPM_FLOORS = {"markdown-it": "14.1.1"}
NPM_LOCKS = ("web/package-lock.json", "web/e2e/package-lock.json")


@pytest.mark.parametrize("name", FLOORS)
def test_a_python_package_is_not_older_than_its_floor(name: str) -> None:
    assert Version(LOCKED[name]) >= Version(FLOORS[name])


@pytest.mark.parametrize("lock", NPM_LOCKS)
def test_an_npm_package_that_is_there_is_not_older_than_its_floor(lock: str) -> None:
    packages = json.loads((ROOT / lock).read_text(encoding="utf-8"))["packages"]
    assert packages
    for name, floor in NPM_FLOORS.items():
        found = [one["version"] for path, one in packages.items() if path.endswith(f"node_modules/{name}")]
        assert all(Version(version) >= Version(floor) for version in found)

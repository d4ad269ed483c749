"""Where the demo keeps its index."""

from pathlib import Path

import pytest

from citebook.cli.demo import demo_settings


def test_it_has_a_folder_of_its_own_in_the_reader_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITEBOOK_DATA_DIR", str(tmp_path))
    assert demo_settings().citebook_data_dir == tmp_path / "demo"


def test_the_option_names_the_folder_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITEBOOK_DATA_DIR", str(tmp_path))
    assert demo_settings(tmp_path / "other").citebook_data_dir == tmp_path / "other"

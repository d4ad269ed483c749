"""Calibrations as files."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citebook.adapters.calibration_folder import CalibrationFolder, DamagedCalibration
from citebook.domain.calibration import AS_IT_IS, Calibration


def calibration(embedder: str = "words", generator: str = "openai/gpt x") -> Calibration:
    moment = datetime(2026, 11, 16, tzinfo=UTC)
    return Calibration(embedder=embedder, generator=generator, curve=AS_IT_IS, risks=(), questions=60, made_at=moment)


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path / "new")
    folder.keep(calibration())
    assert folder.find("words", "openai/gpt x") == calibration()


def test_a_pair_that_was_never_calibrated_has_none(tmp_path: Path) -> None:
    CalibrationFolder(tmp_path).keep(calibration())
    assert CalibrationFolder(tmp_path).find("words", "extractive") is None


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    path = CalibrationFolder(tmp_path).keep(calibration("../../etc", "a/../b"))
    assert path.parent == tmp_path


def test_nothing_unfinished_is_left_behind(tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path)
    path = folder.keep(calibration())
    folder.keep(calibration())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{}", "[1, 2", '{"version": 2}'])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, content: str) -> None:
    folder = CalibrationFolder(tmp_path)
    path = folder.keep(calibration())
    path.write_text(content)
    with pytest.raises(DamagedCalibration, match=r"cannot be used: .*Run: citebook calibrate") as raised:
        folder.find("words", "openai/gpt x")
    assert str(path) in str(raised.value)


def test_another_pair_s_file_under_this_pair_s_name_is_not_believed(tmp_path: Path) -> None:
    folder = CalibrationFolder(tmp_path)
    folder.keep(calibration("words")).rename(folder.path_of("other", "openai/gpt x"))
    with pytest.raises(DamagedCalibration, match="another embedder or generator"):
        folder.find("other", "openai/gpt x")

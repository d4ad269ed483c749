"""The confidence that a book answers with, and the share of wrong answers that its operator tolerates."""

import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citebook.domain.calibration import AS_IT_IS, Calibration, Risk
from citebook.domain.errors import InvalidSettings
from citebook.root.wiring import calibrations_of, confidence_of, refusal_threshold
from citebook.settings import Settings, read_settings

GRANITE = "granite-embedding-30m-english"


def calibration(generator: str = "extractive") -> Calibration:
    return Calibration(
        embedder=GRANITE,
        generator=generator,
        curve=AS_IT_IS,
        risks=(Risk(threshold=0.1, answered=1.0, wrong=0.4), Risk(threshold=0.7, answered=0.5, wrong=0.05)),
        questions=200,
        made_at=datetime(2026, 11, 16, tzinfo=UTC),
    )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(citebook_data_dir=tmp_path, tolerated_wrong_answers=0.1)


def test_without_a_target_the_contracts_decide_alone() -> None:
    assert refusal_threshold(None, None, GRANITE, "extractive") == 0.0


def test_the_threshold_follows_from_the_book_s_own_calibration(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration())
    assert confidence_of(settings, GRANITE, "extractive").refuse_below == 0.7


def test_a_target_that_cannot_be_kept_stops_the_start() -> None:
    with pytest.raises(InvalidSettings, match=r"TOLERATED_WRONG_ANSWERS: no threshold gets below 5.0% wrong"):
        refusal_threshold(0.01, calibration(), GRANITE, "extractive")


def test_a_target_for_a_pair_that_was_never_measured_stops_the_start(settings: Settings) -> None:
    with pytest.raises(InvalidSettings, match=r"not calibrated. Run: citebook calibrate"):
        confidence_of(settings, GRANITE, "openai/some model")


def test_a_pair_calibrated_here_is_calibrated(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration("openai/some model"))
    assert confidence_of(settings, GRANITE, "openai/some model").is_calibrated


def test_one_book_s_calibration_is_not_another_s(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration("openai/some model"))
    other = settings.model_copy(update={"qdrant_collection": "another", "tolerated_wrong_answers": None})
    assert not confidence_of(other, GRANITE, "openai/some model").is_calibrated


def test_a_damaged_calibration_is_told_of_and_the_shipped_one_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = read_settings(citebook_data_dir=tmp_path)
    calibrations_of(settings).keep(calibration()).write_text("{")
    with caplog.at_level(logging.WARNING):
        model = confidence_of(settings, GRANITE, "extractive")
    assert model.is_calibrated
    assert "cannot be used" in caplog.text

"""The confidence that a book answers with, and the share of wrong answers that its operator tolerates."""

import logging
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citebook.confidence.choosing import choose
from citebook.domain.book import EmbedderStamp
from citebook.domain.calibration import AS_IT_IS, Calibration, Risk
from citebook.domain.errors import InvalidSettings
from citebook.domain.set_up import SetUp
from citebook.root.wiring import calibrations_of, confidence_of, refusal_threshold, set_up_of
from citebook.settings import Settings, read_settings

SETTINGS = read_settings()
LOCAL = EmbedderStamp(name="citebook-embedding-30m-english", dimension=384, max_tokens=512)
LANGUAGE_MODEL = "openai/some model"
"""What nobody measured before the package was made."""


def set_up(settings: Settings = SETTINGS, generator: str = "extractive") -> SetUp:
    return set_up_of(settings, LOCAL, generator)


def calibration(generator: str = "extractive") -> Calibration:
    return Calibration(
        embedder=LOCAL.name,
        generator=generator,
        set_up=set_up(generator=generator),
        curve=AS_IT_IS,
        risks=(Risk(threshold=0.1, answered=1.0, wrong=0.4), Risk(threshold=0.7, answered=0.5, wrong=0.05)),
        questions=200,
        made_at=datetime(2026, 11, 16, tzinfo=UTC),
    )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(citebook_data_dir=tmp_path, tolerated_wrong_answers=0.1)


def test_without_a_target_the_contracts_decide_alone() -> None:
    assert refusal_threshold(None, choose(set_up(generator=LANGUAGE_MODEL), None)) == 0.0


def test_the_threshold_follows_from_the_book_s_own_calibration(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration())
    assert confidence_of(settings, set_up()).refuse_below == 0.7


def test_a_target_that_cannot_be_kept_stops_the_start() -> None:
    with pytest.raises(InvalidSettings, match=r"TOLERATED_WRONG_ANSWERS: no threshold gets below 5.0% wrong"):
        refusal_threshold(0.01, choose(set_up(), calibration()))


def test_a_target_for_a_set_up_that_was_never_measured_stops_the_start(settings: Settings) -> None:
    with pytest.raises(InvalidSettings, match=r"the generator is openai/some model.*Run: citebook calibrate"):
        confidence_of(settings, set_up(generator=LANGUAGE_MODEL))


def test_what_was_measured_here_is_calibrated(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration(LANGUAGE_MODEL))
    assert confidence_of(settings, set_up(generator=LANGUAGE_MODEL)).measured_search == set_up().search


def test_one_book_s_calibration_is_not_another_s(settings: Settings) -> None:
    calibrations_of(settings).keep(calibration(LANGUAGE_MODEL))
    other = settings.model_copy(update={"qdrant_collection": "another", "tolerated_wrong_answers": None})
    assert confidence_of(other, set_up(generator=LANGUAGE_MODEL)).measured_search is None


def test_a_damaged_calibration_is_told_of_and_the_shipped_one_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = read_settings(citebook_data_dir=tmp_path)
    calibrations_of(settings).keep(calibration()).write_text("{")
    with caplog.at_level(logging.WARNING):
        model = confidence_of(settings, set_up())
    assert model.measured_search is not None
    assert "cannot be used" in caplog.text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"search_top_k": 8}, "top_k is 8, measured with 5"),
        ({"dense_weight": 0.5}, "DENSE_WEIGHT is 0.5, measured with 0.85"),
        ({"chunk_tokens": 256}, r"recipe .* is \d+/256/0.2/512, measured with \d+/512/0.2/512"),
        ({"chunk_overlap": 0.1}, r"recipe .* is \d+/512/0.1/512, measured with \d+/512/0.2/512"),
    ],
)
def test_a_change_of_settings_is_told_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, float], told: str
) -> None:
    settings = read_settings(citebook_data_dir=tmp_path, **change)
    calibrations_of(settings).keep(calibration(LANGUAGE_MODEL))
    with caplog.at_level(logging.WARNING):
        confidence_of(settings, set_up(settings, LANGUAGE_MODEL))
    assert re.search(f"not calibrated for this set-up: .*{told}.*Run: citebook calibrate", caplog.text)


def test_an_old_calibration_is_another_set_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = read_settings(citebook_data_dir=tmp_path)
    calibrations_of(settings).keep(calibration(LANGUAGE_MODEL).model_copy(update={"set_up": None}))
    with caplog.at_level(logging.WARNING):
        model = confidence_of(settings, set_up(generator=LANGUAGE_MODEL))
    assert model.measured_search is None
    assert "made before calibrations noted what they were measured with. Run: citebook calibrate" in caplog.text


def test_the_shipped_calibration_is_that_of_the_default_set_up() -> None:
    """Where this fails, something that confidence depends on has changed: run bench.fit_confidence."""
    assert choose(set_up(), None).differences == ()


def test_a_curve_holds_for_the_rules_that_a_language_model_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, quoted = calibration(LANGUAGE_MODEL), calibration()
    monkeypatch.setattr("citebook.root.wiring.rules_sha256", lambda: "0" * 64)
    assert measured.differences(set_up(generator=LANGUAGE_MODEL)) == (
        "the weights of writing are others than those measured with",
    )
    assert quoted.differences(set_up()) == ()

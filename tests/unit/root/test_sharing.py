"""What machines with one Qdrant server and one database have in common."""

from pathlib import Path

import pytest

from citebook.adapters.sql.database import Database
from citebook.root.citebook import Citebook
from citebook.root.sharing import Sharing
from citebook.root.wiring import calibrations_of
from citebook.settings import Settings, read_settings
from tests.unit.root.test_refusal_target import calibration

QDRANT = "http://127.0.0.1:9"


def machine(folder: Path, **more: str) -> Settings:
    return read_settings(citebook_data_dir=folder, qdrant_url=QDRANT, **more)


async def test_a_calibration_of_one_machine_is_found_on_another(database: Database, tmp_path: Path) -> None:
    one, two = (machine(tmp_path / name) for name in ("one", "two"))
    measured = calibration()
    calibrations_of(one).keep(measured)
    await Sharing(one, database).give_calibrations()
    await Sharing(two, database).fetch_calibrations()
    assert calibrations_of(two).find(measured.embedder, measured.generator) == measured


async def test_a_newer_calibration_takes_the_place_of_an_older_one(database: Database, tmp_path: Path) -> None:
    one, two = (machine(tmp_path / name) for name in ("one", "two"))
    older, newer = calibration(), calibration().model_copy(update={"questions": 4711})
    for settings, measured in ((one, older), (two, newer)):
        await Sharing(settings, database).fetch_calibrations()
        calibrations_of(settings).keep(measured)
        await Sharing(settings, database).give_calibrations()
    await Sharing(one, database).fetch_calibrations()
    assert calibrations_of(one).find(newer.embedder, newer.generator) == newer


@pytest.mark.parametrize("setting", ["qdrant_url", "database_url"])
async def test_a_machine_with_an_index_or_a_database_of_its_own_shares_nothing(tmp_path: Path, setting: str) -> None:
    both = machine(tmp_path, database_url=f"sqlite:///{tmp_path / 'common.sqlite3'}")
    async with Citebook(both) as citebook:
        assert citebook.sharing is not None
    async with Citebook(both.model_copy(update={setting: None})) as citebook:
        assert citebook.sharing is None


async def test_without_the_database_a_machine_has_what_it_had_last(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = machine(tmp_path, database_url=f"postgresql://nobody@/none?host={tmp_path}")
    calibrations_of(away).keep(measured := calibration())
    async with Citebook(away) as citebook:
        await citebook.fetch_calibrations()
        assert citebook.sharing is not None
        assert await citebook.sharing.fetch_uploads() is None
    assert calibrations_of(away).find(measured.embedder, measured.generator) == measured
    assert "the one that this machine had last" in caplog.text

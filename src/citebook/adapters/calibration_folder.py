"""Calibrations in the data folder: one file for each pair of embedder and generator."""

import re
from pathlib import Path

from pydantic import ValidationError

from citebook.domain.calibration import Calibration
from citebook.whole_files import write_whole

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class DamagedCalibration(Exception):
    """The file is there and cannot be used; what it says is for the operator."""


class CalibrationFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, embedder: str, generator: str) -> Path:
        embedder, generator = (_NOT_IN_NAMES.sub("-", name) for name in (embedder, generator))
        return self._folder / f"{embedder}+{generator}.json"

    def find(self, embedder: str, generator: str) -> Calibration | None:
        """None where this pair was never calibrated here. Raises `DamagedCalibration`."""
        path = self.path_of(embedder, generator)
        try:
            found = Calibration.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            problem = _first_problem(error)
            raise DamagedCalibration(f"{path} cannot be used: {problem}. Run: citebook calibrate") from None
        if not found.is_for(embedder, generator):
            raise DamagedCalibration(f"{path} is of another embedder or generator. Run: citebook calibrate")
        return found

    def keep(self, calibration: Calibration) -> Path:
        path = self.path_of(calibration.embedder, calibration.generator)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, calibration.model_dump_json(indent=1))
        return path


def _first_problem(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}"

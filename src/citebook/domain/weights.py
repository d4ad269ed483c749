"""Tables of numbers that were fitted or chosen, each with where it comes from and the command that makes it again."""

import hashlib
import json
from datetime import date
from importlib.resources import files
from typing import Generic, Self, TypeVar

from pydantic import Field

from citebook.domain.book import Sha256
from citebook.domain.value import Value

FILE_NAME = "weights.json"

Numbers = TypeVar("Numbers", bound=Value)


class DataUsed(Value):
    """A file that weights were fitted to, below the data folder."""

    file: str = Field(min_length=1)
    sha256: Sha256
    rows: int = Field(ge=1)


class Origin(Value):
    """Where a table of weights comes from."""

    command: str = Field(pattern=r"^python -m bench\.fit_[a-z_]+( |$)")
    """What makes the table again."""
    made_on: date
    fitted_to: str = Field(min_length=1)
    """What was made as good as possible, and by which method."""
    by_hand: str = Field(min_length=1)
    """What was chosen instead of fitted, and where that is told."""
    data: tuple[DataUsed, ...] = Field(min_length=1)
    figures: dict[str, float] = Field(min_length=1)
    """How good the weights are."""
    figures_on: str = Field(min_length=1)
    """What the figures were measured on, and whether it was kept from the fit."""
    weights_sha256: Sha256


class Fitted(Value, Generic[Numbers]):
    origin: Origin
    weights: Numbers

    @classmethod
    def of(cls, room: str, file: str = FILE_NAME) -> Self:
        """Those that ship with a room. Raises `ValueError` where the file is not what it must be."""
        return cls.model_validate_json((files(room) / file).read_bytes())

    @property
    def sha256(self) -> str:
        return hash_of(self.weights)


def hash_of(numbers: Value) -> str:
    """Of the numbers alone, however the file is laid out."""
    plain = json.dumps(numbers.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()

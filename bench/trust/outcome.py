"""What the measure of one figure came to, in the JSON form that every command of a figure writes."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    figure: int
    """Its number in docs/trust.md."""
    what: str
    goal: str
    measured: str
    """One short sentence."""
    reached: bool
    seconds: float
    """That the measuring took."""
    details: Mapping[str, Any] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @property
    def exit_code(self) -> int:
        return 0 if self.reached else 1


def read_outcome(path: Path) -> Outcome:
    return Outcome(**json.loads(path.read_text(encoding="utf-8")))

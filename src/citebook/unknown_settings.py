"""Names of settings that nobody knows: misspelt, they would be without effect."""

import logging
import os
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from citebook.domain.errors import InvalidSettings

log = logging.getLogger(__name__)

_PREFIX = "CITEBOOK_"
_FOR_DEVELOPERS = frozenset({"CITEBOOK_EVAL_DATA", "CITEBOOK_TEST_QDRANT_URL"})


def refuse_unknown_names(file: Path, known: Sequence[str]) -> None:
    """Raises `InvalidSettings` that names those in the file, with what was probably meant."""
    names = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    unknown = [_guess(name, name.lower(), known) for name in names.keys() - set(known)]
    if unknown:
        raise InvalidSettings(f"{file} has names that cannot be used:\n  " + "\n  ".join(sorted(unknown)))


def warn_of_unknown_variables(known: Sequence[str], apart_from: str) -> None:
    """Only of those that are meant for Citebook: the environment may hold anything."""
    variables = [name.upper() for name in known]
    for variable in map(str.upper, os.environ):
        is_ours = variable.startswith(_PREFIX) and variable not in _FOR_DEVELOPERS and variable != apart_from
        if is_ours and variable not in variables:
            is_prefixed = variable.removeprefix(_PREFIX) in variables
            log.warning(_guess(variable, variable.removeprefix(_PREFIX) if is_prefixed else variable, variables))


def _guess(name: str, likely: str, known: Sequence[str]) -> str:
    close = get_close_matches(likely, known, n=1)
    return f"{name} is no setting; did you mean {close[0]}?" if close else f"{name} is no setting"

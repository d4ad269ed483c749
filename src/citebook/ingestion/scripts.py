"""Superscripts and subscripts as plain text: `10<sup>13</sup>` is 10¹³, and never 1013."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

from citebook.ingestion.mapped_text import TextRun

Script = Literal["sup", "sub"]

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ"
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_DASHES = "-‐–"
"""Written for a minus, which has forms of its own."""
_MOST_LETTERS = 2
"""Longer words are found and read more easily in brackets."""
_PARTS = re.compile(r"(\s*)(.*?)([\s.,;:]*)", re.DOTALL)


def _forms(characters: str) -> dict[str, str]:
    forms = {unicodedata.normalize("NFKD", character): character for character in characters}
    return forms | dict.fromkeys(_DASHES, forms["−"])


_FORMS: dict[Script, dict[str, str]] = {"sup": _forms(_SUPERSCRIPTS), "sub": _forms(_SUBSCRIPTS)}
_SIGNS: dict[Script, str] = {"sup": "^", "sub": "_"}


class _Opening(NamedTuple):
    script: Script
    start: int
    runs_before: int


class OpenScripts:
    """The scripts that are open, each inside the one before it."""

    def __init__(self) -> None:
        self._open: list[_Opening] = []

    def open(self, script: Script, start: int, runs_before: int) -> None:
        """A tag at `start` of the source, after so many runs of its line."""
        self._open.append(_Opening(script, start, runs_before))

    def close(self, runs: list[TextRun], end: int) -> None:
        """Sets the runs since the last opening; its tag closes at `end`."""
        if self._open:
            opening = self._open.pop()
            inside = runs[opening.runs_before :]
            if inside and not any("formula" in run.marks for run in inside):
                runs[opening.runs_before :] = [_set(inside, opening, end)]

    def clear(self) -> None:
        self._open.clear()


def _set(runs: Sequence[TextRun], opening: _Opening, end: int) -> TextRun:
    """One run for the tags and all between them, so that no citation tears them apart."""
    text = script_text("".join(run.text for run in runs), opening.script)
    return TextRun(text, opening.start, end, runs[0].marks)


def script_text(text: str, script: Script) -> str:
    """H₂O where every character has a form of its own, else P_(total); space and stops at the edges stay."""
    parts = _PARTS.fullmatch(text)
    assert parts is not None, "every text is of this form"
    before, inside, after = parts.groups()
    if _has_form(inside, script):
        return before + "".join(_FORMS[script][character] for character in inside) + after
    return f"{before}{_SIGNS[script]}({inside}){after}"


def _has_form(text: str, script: Script) -> bool:
    letters = sum(character.isalpha() for character in text)
    return letters <= _MOST_LETTERS and all(character in _FORMS[script] for character in text)

"""Whether what a reader is shown is what stands in a file: the same characters, without the markup around them."""

import re
import unicodedata
from html import unescape

_RAISED_OR_LOWERED = re.compile(r"[_^]\(([^()]*)\)")
"""How a text says what it has no small letters for: `E_(A)`."""

_RAISED_AS_MINUS = str.maketrans("-–", "−−")


def shows(source: str, visible: str) -> bool:
    """Whether all visible characters stand in the source in their order, with nothing but markup between them."""
    as_in_source = _RAISED_OR_LOWERED.sub(r"\1", visible)
    return any(_in_order(form, unescape(source)) for form in (visible, unescape(visible), as_in_source))


def _in_order(visible: str, source: str) -> bool:
    """White space is folded, and the lines between the cells of a table are ours; ₂ is a 2 that the source lowers."""
    rest = iter(_at_full_height(source))
    return all(
        character in rest for character in _at_full_height(visible) if not character.isspace() and character != "|"
    )


def _at_full_height(text: str) -> str:
    """Letter by letter, so that nothing is joined that stands apart."""
    return "".join(unicodedata.normalize("NFKC", character) for character in text.translate(_RAISED_AS_MINUS))

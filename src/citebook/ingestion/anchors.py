"""Anchors of headings, as Docusaurus makes them."""

import unicodedata

_KEPT_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd", "Mn", "Mc", "Me", "Pc"})
_CIRCLED_LETTERS = (
    range(0x24B6, 0x24EA),
    range(0x1F130, 0x1F14A),
    range(0x1F150, 0x1F16A),
    range(0x1F170, 0x1F18A),
)


class Slugger:
    """Gives each heading of a page its own anchor (github-slugger's algorithm)."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def anchor_for(self, title: str) -> str:
        plain = slug(title)
        anchor = plain
        while anchor in self._seen:
            self._seen[plain] += 1
            anchor = f"{plain}-{self._seen[plain]}"
        self._seen[anchor] = 0
        return anchor


def slug(title: str) -> str:
    kept = (character for character in title.lower() if _is_kept(character))
    return "".join(kept).replace(" ", "-")


def _is_kept(character: str) -> bool:
    if character in " -":
        return True
    if unicodedata.category(character) in _KEPT_CATEGORIES:
        return True
    return any(ord(character) in letters for letters in _CIRCLED_LETTERS)

"""Turns phrases, as people write them, into patterns.

when             this word, whole
what <time>      any phrase of the list `time` at this place
what * size      any one word at this place
percent*         any letters at this place
what … called    anything in between
^list            only at the very beginning
that$            only at the very end
"""

import re
from collections.abc import Iterable, Mapping, Sequence

Lists = Mapping[str, Sequence[str]]

_NEVER = "(?!)"
_START, _END = r"(?<!\w)", r"(?!\w)"


def pattern_of(phrases: Iterable[str], lists: Lists, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Finds any of the phrases; where there are none, nothing. Raises `ValueError` for a list that is missing."""
    return re.compile("|".join(_source(phrase, lists) for phrase in phrases) or _NEVER, flags)


def _source(phrase: str, lists: Lists) -> str:
    if phrase.startswith("^"):
        return rf"^\W*{_source(phrase[1:], lists)}"
    if phrase.endswith("$"):
        return rf"{_source(phrase[:-1], lists)}\W*$"
    words = " ".join(_word(word, lists) for word in phrase.split())
    return f"{_START}{words}{_END}".replace(" … ", f"{_END}.*{_START}")


def _word(word: str, lists: Lists) -> str:
    if word == "*":
        return r"\w+"
    if word.startswith("<") and word.endswith(">"):
        return f"(?:{'|'.join(' '.join(_word(inner, lists) for inner in own.split()) for own in _list(word, lists))})"
    return re.escape(word).replace(r"\*", r"\w*")


def _list(word: str, lists: Lists) -> Sequence[str]:
    name = word[1:-1]
    if name not in lists:
        raise ValueError(f"there is no list {name}")
    return lists[name]

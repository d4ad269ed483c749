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
from itertools import groupby

Lists = Mapping[str, Sequence[str]]

_NEVER = "(?!)"
_START, _END = r"(?<!\w)", r"(?!\w)"


def pattern_of(phrases: Iterable[str], lists: Lists, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Finds any of the phrases; where there are none, nothing. Raises `ValueError` for a list that is missing.

    The limits of words are looked for once for all phrases that follow each other: that is several times as fast.
    """
    by_place = groupby(phrases, key=_is_bound)
    sources = (
        "|".join(_bound(phrase, lists) for phrase in some) if is_bound else _anywhere(some, lists)
        for is_bound, some in by_place
    )
    return re.compile("|".join(sources) or _NEVER, flags)


def _is_bound(phrase: str) -> bool:
    return phrase.startswith("^") or phrase.endswith("$")


def _bound(phrase: str, lists: Lists) -> str:
    if phrase.startswith("^"):
        return rf"^\W*{_bound(phrase[1:], lists)}"
    if phrase.endswith("$"):
        return rf"{_bound(phrase[:-1], lists)}\W*$"
    return _anywhere([phrase], lists)


def _anywhere(phrases: Iterable[str], lists: Lists) -> str:
    sources = (" ".join(_word(word, lists) for word in phrase.split()) for phrase in phrases)
    return f"{_START}(?:{'|'.join(sources)}){_END}".replace(" … ", f"{_END}.*{_START}")


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

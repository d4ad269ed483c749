"""Texts that every database and every file takes."""

import re
from typing import Any

_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text without what no database takes: NUL and halves of surrogate pairs, each replaced by one U+FFFD."""
    return _NOT_STORABLE.sub("\ufffd", text)


def storable_value(value: Any) -> Any:
    """The same for all texts in a value."""
    match value:
        case str():
            return storable(value)
        case list() | tuple():
            return [storable_value(item) for item in value]
        case dict():
            return {storable(str(key)): storable_value(item) for key, item in value.items()}
    return value

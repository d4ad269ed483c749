"""JSON that has one spelling for each value, so that it can be hashed before it is stored and after it is read."""

import json
import re
from decimal import Decimal
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


def canonical(value: Any) -> str:
    """Keys in order, no blanks, and numbers by their value: PostgreSQL keeps 1e2 as 100."""
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case int() | float() | Decimal():
            return _number(value)
        case dict():
            items = sorted((canonical(str(key)), canonical(item)) for key, item in value.items())
            return "{" + ",".join(f"{key}:{item}" for key, item in items) + "}"
        case list() | tuple():
            return "[" + ",".join(map(canonical, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def exact(text: str) -> Any:
    """What a canonical text says, down to the last digit of a number."""
    return json.loads(text, parse_float=Decimal)


def _number(value: float | Decimal) -> str:
    exact_value = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact_value.is_finite():
        return "null"
    digits = format(exact_value, "f") if exact_value else "0"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits

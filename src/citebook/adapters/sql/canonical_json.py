"""JSON that has one spelling for each value, so that it can be hashed before it is stored and after it is read."""

import json
from decimal import Decimal
from typing import Any


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

"""What is done to headings in any language alike."""

import re

_NUMBER_OR_SIGN = re.compile(r"^(?:\d[\d.]*[.):]?\s+|[^\w\s]+\s*)*")


def plain_heading(title: str) -> str:
    """Without the number or the sign in front of it, and the stop behind."""
    return _NUMBER_OR_SIGN.sub("", title).strip().rstrip(":.!?… ")

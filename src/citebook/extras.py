"""Packages that are there only if an extra was installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from citebook.domain.errors import InvalidSettings


@contextmanager
def brought_by(extra: str) -> Iterator[None]:
    """Around imports, or what imports by itself. Raises `InvalidSettings` that says what to install."""
    try:
        yield
    except ImportError as error:
        package = (error.name or "A package").partition(".")[0]
        raise InvalidSettings(
            f"{package} cannot be imported, and what is set needs it. Run: pip install 'citebook[{extra}]'"
        ) from error

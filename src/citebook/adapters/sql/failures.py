"""The one place where an error of the database becomes one of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from citebook.domain.errors import DatabaseUnavailable


@contextmanager
def sql_failures() -> Iterator[None]:
    """Of the database's message only the first line is passed on: those below quote the row that was refused."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        said = str(getattr(error, "orig", None) or error).strip()
        reason = said.splitlines()[0] if said else type(error).__name__
        raise DatabaseUnavailable(f"The database failed: {reason}") from error

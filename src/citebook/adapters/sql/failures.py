"""The one place where an error of the database becomes one of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from citebook.domain.errors import DatabaseUnavailable, RecordRefused
from citebook.pacing.breaker import Breaker

_SQLITE_BUSY = 5
_SILENCES = ("08", "53", "57", "58")
"""Classes of SQLSTATE: no connection, no room for one more, stopped by an operator or for taking too long, broken."""


@contextmanager
def sql_failures(breaker: Breaker | None = None) -> Iterator[None]:
    """Of the database's message only the first line is passed on: those below quote the row that was refused."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        if breaker is not None:
            breaker.succeeded() if _is_an_answer(error) else breaker.failed()
        said = str(getattr(error, "orig", None) or error).strip()
        reason = said.splitlines()[0] if said else type(error).__name__
        kind = RecordRefused if _is_refusal(error) else DatabaseUnavailable
        raise kind(f"The database failed: {reason}") from error


def _is_refusal(error: Exception) -> bool:
    """Of a value: by the database, or by the library on the way to it."""
    is_unsent = isinstance(error, StatementError) and not isinstance(error, DBAPIError)
    return isinstance(error, IntegrityError | DataError) or is_unsent


def is_busy(error: SQLAlchemyError) -> bool:
    """Whether another writer holds a SQLite file."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return code is not None and code & 0xFF == _SQLITE_BUSY


def _is_an_answer(error: Exception) -> bool:
    """A row that breaks a rule, or a lock that somebody holds, is no sign that the database is down."""
    if _is_refusal(error) or (isinstance(error, SQLAlchemyError) and is_busy(error)):
        return True
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state is not None and not state.startswith(_SILENCES)

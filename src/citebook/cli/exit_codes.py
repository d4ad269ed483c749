"""What each exit code means: docs/reference/command-line.md lists them."""

from citebook.domain.errors import (
    BookError,
    CitebookError,
    DependencyError,
    IndexUnusable,
    IngestInProgress,
    NoSpaceLeft,
    TooManyPagesGone,
)

SOME_FILES_FAILED = 1
ANSWER_FAILED = 1
CHAIN_BROKEN = 1
NOT_FOUND = 1
UNUSABLE_INPUT = 2
INGEST_IN_PROGRESS = 3
TOO_MANY_PAGES_GONE = 4
INDEX_UNUSABLE = 5
NO_SPACE_LEFT = 6
DEPENDENCY_FAILED = 7
GOT_WORSE = 8
CANNOT_WRITE = 74

_CODES: tuple[tuple[type[CitebookError], int], ...] = (
    (IngestInProgress, INGEST_IN_PROGRESS),
    (TooManyPagesGone, TOO_MANY_PAGES_GONE),
    (NoSpaceLeft, NO_SPACE_LEFT),
    (BookError, UNUSABLE_INPUT),
    (IndexUnusable, INDEX_UNUSABLE),
    (DependencyError, DEPENDENCY_FAILED),
)


def exit_code_of(error: CitebookError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), UNUSABLE_INPUT)

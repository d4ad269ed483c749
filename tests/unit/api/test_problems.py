"""Every error becomes a problem that a client may be told."""

import pytest

from citebook.api.problems import EXAMPLES, ProblemKind, problem_of, problem_of_code
from citebook.domain import errors
from citebook.domain.errors import CitebookError

SECRET = "postgresql://user:password@host/db"


def kinds_of(error: type[CitebookError]) -> list[type[CitebookError]]:
    return [error, *(kind for child in error.__subclasses__() for kind in kinds_of(child))]


PLAIN = [error for error in kinds_of(CitebookError) if error not in (errors.InvalidQuestion, errors.PageUnreadable)]


@pytest.mark.parametrize("error", PLAIN, ids=lambda error: error.__name__)
def test_no_error_tells_its_text(error: type[CitebookError]) -> None:
    problem = problem_of(error(SECRET))
    assert SECRET not in str(problem)
    assert problem.message == error.user_message


@pytest.mark.parametrize("error", PLAIN, ids=lambda error: error.__name__)
def test_an_error_and_its_code_are_the_same_problem(error: type[CitebookError]) -> None:
    by_code = problem_of_code(error.code)
    if by_code.kind is not ProblemKind.INTERNAL:
        assert by_code.kind is problem_of(error(SECRET)).kind


def test_an_unknown_error_is_a_fault_of_ours() -> None:
    assert problem_of(RuntimeError(SECRET)) == problem_of(CitebookError())
    assert problem_of_code("NONSENSE").kind is ProblemKind.INTERNAL


def test_every_kind_has_an_example() -> None:
    assert {kind: problem.kind for kind, problem in EXAMPLES.items()} == {kind: kind for kind in ProblemKind}

"""Every error becomes a problem that a client may be told."""

import pytest

from citebook.api.problems import EXAMPLES, ProblemKind, problem_of, problem_of_failure
from citebook.domain import errors
from citebook.domain.answer import Answer, Outcome
from citebook.domain.errors import CitebookError, ErrorContext
from citebook.domain.events import AnswerFailed

SECRET = "postgresql://user:password@host/db"


def kinds_of(error: type[CitebookError]) -> list[type[CitebookError]]:
    return [error, *(kind for child in error.__subclasses__() for kind in kinds_of(child))]


WITH_DETAILS = (errors.InvalidQuestion, errors.PageUnreadable, errors.Overloaded)
PLAIN = [error for error in kinds_of(CitebookError) if error not in WITH_DETAILS]


def failed_by(error: Exception, code: str) -> AnswerFailed:
    context = ErrorContext.of(error, "question")
    text = context.user_safe_message
    answer = Answer(question_id="q", outcome=Outcome.FAILED, text=text, confidence=0.0, model_used="none")
    return AnswerFailed(error=context, code=code, answer=answer)


@pytest.mark.parametrize("error", PLAIN, ids=lambda error: error.__name__)
def test_no_error_tells_its_text(error: type[CitebookError]) -> None:
    problem = problem_of(error(SECRET))
    assert SECRET not in str(problem)
    assert problem.message == error.user_message


@pytest.mark.parametrize("error", PLAIN, ids=lambda error: error.__name__)
def test_an_error_and_an_answer_that_failed_of_it_are_the_same_problem(error: type[CitebookError]) -> None:
    of_failure = problem_of_failure(failed_by(error(SECRET), error.code))
    if of_failure.kind is not ProblemKind.INTERNAL:
        assert of_failure == problem_of(error(SECRET))


def test_an_unknown_error_is_a_fault_of_ours() -> None:
    assert problem_of(RuntimeError(SECRET)) == problem_of(CitebookError())
    assert problem_of_failure(failed_by(RuntimeError(SECRET), "NONSENSE")).kind is ProblemKind.INTERNAL


def test_an_overload_tells_when_to_come_back() -> None:
    assert problem_of(errors.Overloaded(17)).retry_after == 17


def test_every_kind_has_an_example() -> None:
    assert {kind: problem.kind for kind, problem in EXAMPLES.items()} == {kind: kind for kind in ProblemKind}

"""Errors: what an operator reads and what a reader is told."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from citebook.domain import errors
from citebook.domain.errors import (
    CitebookError,
    DeadlineExceeded,
    ErrorContext,
    ErrorType,
    GeneratorFailed,
    InvalidQuestion,
    PageUnreadable,
    VectorStoreUnavailable,
)

TREE_LINE = re.compile(r"^(?P<branches>[│├└─ ]*)(?P<name>[A-Z]\w+)(?:  +.*)?$", re.MULTILINE)


def all_errors() -> list[type[CitebookError]]:
    def below(error: type[CitebookError]) -> Iterator[type[CitebookError]]:
        yield error
        for subclass in error.__subclasses__():
            yield from below(subclass)

    return [error for error in below(CitebookError) if error.__module__ == errors.__name__]


def drawn_tree() -> list[tuple[int, str]]:
    """Depth and name of each error, as the module's docstring draws them."""
    lines = TREE_LINE.finditer(errors.__doc__ or "")
    return [(len(line["branches"]) // 4, line["name"]) for line in lines]


class TestTree:
    def test_the_docstring_draws_every_error_below_its_parent(self) -> None:
        tree = [(len(error.__mro__) - len(CitebookError.__mro__), error.__name__) for error in all_errors()]
        assert drawn_tree() == tree

    def test_no_error_is_defined_outside_the_tree(self) -> None:
        defined = {
            name for name, item in vars(errors).items() if isinstance(item, type) and issubclass(item, Exception)
        }
        assert defined == {error.__name__ for error in all_errors()}

    @pytest.mark.parametrize("error", all_errors())
    def test_each_error_has_a_code_of_its_own(self, error: type[CitebookError]) -> None:
        assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", vars(error)["code"])
        assert [other for other in all_errors() if other.code == error.code] == [error]

    @pytest.mark.parametrize("error", all_errors())
    def test_each_error_has_words_for_the_reader(self, error: type[CitebookError]) -> None:
        message = error.user_message
        assert message == message.strip() != ""
        assert message.endswith(".")
        assert ErrorContext.of(error.__new__(error), "r").user_safe_message == message
        assert not re.search(r'Traceback|File "|Error|Exception|[{}]|%s|/\w+/', message)
        assert error.__name__ not in message
        assert error.code not in message

    @pytest.mark.parametrize("error", all_errors())
    def test_each_error_has_a_type_of_the_contract(self, error: type[CitebookError]) -> None:
        assert isinstance(error.error_type, ErrorType)
        assert isinstance(error.retryable, bool)

    def test_what_may_pass_by_itself_can_be_retried(self) -> None:
        assert all(e.retryable for e in (GeneratorFailed, VectorStoreUnavailable, DeadlineExceeded))
        assert not InvalidQuestion.retryable

    def test_a_broken_rule_is_named_with_its_field(self) -> None:
        error = InvalidQuestion("question", "must not be empty")
        assert (error.field, error.rule, str(error)) == (
            "question",
            "must not be empty",
            "question: must not be empty",
        )

    def test_an_unreadable_page_is_named_with_the_reason(self) -> None:
        error = PageUnreadable("intro.mdx", "is not UTF-8")
        assert (error.path, error.reason, str(error)) == (
            "intro.mdx",
            "is not UTF-8",
            "intro.mdx: is not UTF-8",
        )


def context(**changes: Any) -> ErrorContext:
    fields: dict[str, Any] = {
        "error_type": "database",
        "original_error": "ConnectionError: timeout after 5.0s",
        "user_safe_message": "Please try again later.",
        "retry_able": True,
        "log_details": {"request_id": "req-123", "timestamp": "2025-12-20T10:30:00Z"},
    }
    return ErrorContext(**fields | changes)


class TestErrorContext:
    @pytest.mark.parametrize("kind", ["network", "database", "llm", "validation", "agent", "unknown"])
    def test_knows_six_types_of_error(self, kind: str) -> None:
        assert context(error_type=kind).error_type == kind

    @pytest.mark.parametrize("kind", ["", "NETWORK_ERROR", "timeout"])
    def test_knows_no_other_type(self, kind: str) -> None:
        with pytest.raises(ValidationError):
            context(error_type=kind)

    @pytest.mark.parametrize("message", ["Traceback (most recent call last)", 'Oops: File "/app/x.py", line 1'])
    def test_tells_the_reader_no_stack_trace(self, message: str) -> None:
        with pytest.raises(ValidationError, match="stack trace"):
            context(user_safe_message=message)

    def test_keeps_a_stack_trace_for_the_operator(self) -> None:
        assert context(original_error='Traceback: File "x.py"').original_error

    @pytest.mark.parametrize("missing", ["request_id", "timestamp"])
    def test_can_always_be_found_in_the_log(self, missing: str) -> None:
        details = {"request_id": "r", "timestamp": "2025-12-20T10:30:00Z"}
        del details[missing]
        with pytest.raises(ValidationError, match="request_id"):
            context(log_details=details)

    def test_of_a_known_error_says_what_its_class_says(self) -> None:
        made = ErrorContext.of(GeneratorFailed("key sk-123 refused by host"), "req-1")
        assert made.error_type is ErrorType.LLM_ERROR
        assert made.retry_able
        assert made.original_error == "GeneratorFailed: key sk-123 refused by host"
        assert made.user_safe_message == GeneratorFailed.user_message
        assert made.log_details["request_id"] == "req-1"
        assert datetime.fromisoformat(made.log_details["timestamp"]).tzinfo is not None

    def test_of_an_unknown_error_tells_the_reader_nothing_of_it(self) -> None:
        made = ErrorContext.of(KeyError("SECRET /home/app"), "req-1")
        assert made.error_type is ErrorType.UNKNOWN_ERROR
        assert not made.retry_able
        assert "SECRET" in made.original_error
        assert made.user_safe_message == CitebookError.user_message

"""What is done about an error."""

from dataclasses import replace

import pytest

from citebook.agents.error_recovery import Decision, ErrorRecoveryAgent, Progress
from citebook.domain.errors import (
    BookNotIngested,
    DeadlineExceeded,
    EmbedderFailed,
    GeneratorCutShort,
    GeneratorFailed,
    InvalidQuestion,
    VectorStoreUnavailable,
)

AGENT = ErrorRecoveryAgent()
EARLY = Progress(seconds_left=4.0)


def test_without_an_embedder_words_are_searched() -> None:
    assert AGENT.decide(EmbedderFailed("x"), EARLY) is Decision.SEARCH_BY_WORDS


@pytest.mark.parametrize("error", [VectorStoreUnavailable("x"), GeneratorFailed("x")])
def test_what_may_pass_is_tried_once_more(error: Exception) -> None:
    assert AGENT.decide(error, EARLY) is Decision.RETRY


@pytest.mark.parametrize(
    "progress",
    [
        Progress(retries=1, seconds_left=4.0),
        Progress(seconds_left=0.1),
        Progress(has_text=True, seconds_left=4.0),
    ],
)
def test_it_is_not_tried_again_when_tried_too_late_or_already_seen(progress: Progress) -> None:
    assert AGENT.decide(VectorStoreUnavailable("x"), progress) is Decision.GIVE_UP


@pytest.mark.parametrize(
    "error",
    [InvalidQuestion("question", "is empty"), BookNotIngested("x"), DeadlineExceeded("x"), KeyError("x")],
)
def test_what_cannot_pass_is_given_up(error: Exception) -> None:
    assert AGENT.decide(error, EARLY) is Decision.GIVE_UP


def test_the_reader_is_told_nothing_of_an_unknown_error() -> None:
    told = AGENT.explain(ValueError("secret-key-123 in /etc/passwd"), "request-1")
    assert "secret" not in told.user_safe_message
    assert "secret-key-123" in told.original_error
    assert told.log_details["request_id"] == "request-1"


WRITING = Progress(retries=1, is_writing=True, seconds_left=4.0)


@pytest.mark.parametrize("error", [GeneratorFailed("x"), DeadlineExceeded("x")])
def test_a_language_model_that_is_lost_is_done_without(error: Exception) -> None:
    assert AGENT.decide(error, WRITING) is Decision.DO_WITHOUT_MODEL


@pytest.mark.parametrize("error", [GeneratorFailed("x"), DeadlineExceeded("x")])
def test_one_that_is_lost_after_the_reader_saw_a_part_is_given_up(error: Exception) -> None:
    assert AGENT.decide(error, replace(WRITING, has_text=True, reader_saw_text=True)) is Decision.GIVE_UP
    assert AGENT.decide(error, replace(WRITING, has_text=True)) is Decision.DO_WITHOUT_MODEL


def test_of_one_that_was_cut_short_the_part_is_kept() -> None:
    cut_short = GeneratorCutShort("x")
    assert AGENT.decide(cut_short, replace(WRITING, has_text=True, reader_saw_text=True)) is Decision.KEEP_PART
    assert AGENT.decide(cut_short, WRITING) is Decision.DO_WITHOUT_MODEL


def test_a_fault_of_ours_while_a_model_writes_is_given_up() -> None:
    assert AGENT.decide(KeyError("x"), WRITING) is Decision.GIVE_UP

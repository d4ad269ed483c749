"""The trace: each run of an agent leaves a result or an error."""

from typing import Any

import pytest
from pydantic import ValidationError

from citebook.domain.errors import ErrorContext
from citebook.domain.trace import AgentName, AgentResponse

ERROR = ErrorContext.of(ValueError("x"), "req-1")


def response(**changes: Any) -> AgentResponse:
    fields: dict[str, Any] = {
        "success": True,
        "agent_name": "QueryRouterAgent",
        "result_data": {},
        "execution_time_ms": 0.1,
    }
    return AgentResponse(**fields | changes)


def test_there_are_five_agents() -> None:
    assert set(AgentName) == {
        "RAGChatAgent",
        "QueryRouterAgent",
        "QdrantRetrievalAgent",
        "AnswerSynthesisAgent",
        "ErrorRecoveryAgent",
    }


@pytest.mark.parametrize("name", [*AgentName])
def test_each_agent_can_respond(name: AgentName) -> None:
    assert response(agent_name=name.value).agent_name is name


def test_nobody_else_can_respond() -> None:
    with pytest.raises(ValidationError):
        response(agent_name="SomeAgent")


def test_success_has_a_result_even_if_there_is_nothing_to_say() -> None:
    assert response(result_data={}).error_details is None


def test_success_without_a_result_is_rejected() -> None:
    with pytest.raises(ValidationError, match="result_data"):
        response(result_data=None)


def test_failure_has_an_error() -> None:
    assert response(success=False, result_data=None, error_details=ERROR).error_details == ERROR


def test_failure_without_an_error_is_rejected() -> None:
    with pytest.raises(ValidationError, match="error_details"):
        response(success=False)


@pytest.mark.parametrize("milliseconds", [0.0, -0.1])
def test_each_run_takes_some_time(milliseconds: float) -> None:
    assert response(execution_time_ms=0.001)
    with pytest.raises(ValidationError):
        response(execution_time_ms=milliseconds)

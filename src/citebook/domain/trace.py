"""What each agent did for a question, kept with the answer."""

from enum import StrEnum
from typing import Any, Self

from pydantic import Field, model_validator

from citebook.domain.errors import ErrorContext
from citebook.domain.value import Value


class AgentName(StrEnum):
    RAG_CHAT_AGENT = "RAGChatAgent"
    QUERY_ROUTER = "QueryRouterAgent"
    QDRANT_RETRIEVAL = "QdrantRetrievalAgent"
    ANSWER_SYNTHESIS = "AnswerSynthesisAgent"
    ERROR_RECOVERY = "ErrorRecoveryAgent"


class AgentResponse(Value):
    """One run of one agent."""

    success: bool
    agent_name: AgentName
    result_data: dict[str, Any] | None = None
    error_details: ErrorContext | None = None
    execution_time_ms: float = Field(gt=0)

    @model_validator(mode="after")
    def _success_has_a_result_and_failure_an_error(self) -> Self:
        if self.success and self.result_data is None:
            raise ValueError("result_data must be there when success is true")
        if not self.success and self.error_details is None:
            raise ValueError("error_details must be there when success is false")
        return self

"""What was said before in a chat that the server does not keep: it comes with the question."""

from typing import Annotated, Any

from pydantic import Field, field_validator

from citebook.api.wire import WireRequest
from citebook.domain.conversation import MAX_MESSAGE_CHARACTERS, Exchange
from citebook.domain.storable import storable


class SaidBefore(WireRequest):
    """A question of the same chat and the answer to it."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_CHARACTERS)]
    answer: Annotated[str, Field(max_length=MAX_MESSAGE_CHARACTERS)]


class WithHistory(WireRequest):
    history: Annotated[
        list[SaidBefore] | None,
        Field(description="What was said before, oldest first. The last five are used, and none of it is kept."),
    ] = None

    @field_validator("history", mode="before")
    @classmethod
    def _without_other_forms(cls, history: Any) -> Any:
        """Older clients send messages of a role and a content: what is no exchange is ignored."""
        if not isinstance(history, list):
            return history
        return [one for one in history if not isinstance(one, dict) or "question" in one]

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        said = self.history or ()
        return tuple(Exchange(question=storable(one.question), answer=storable(one.answer)) for one in said)

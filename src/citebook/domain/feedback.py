"""What readers think of answers."""

from datetime import timedelta
from typing import Literal
from uuid import UUID, uuid4

from pydantic import Field

from citebook.domain.value import UtcTime, Value

Rating = Literal["up", "down"]
Reason = Literal["wrong", "incomplete", "off_topic", "unclear"]

MAX_NOTE_CHARACTERS = 1_000
FEEDBACK_LIFETIME = timedelta(days=365)


class Feedback(Value):
    """One reader's opinion of one answer. The answer itself may be kept nowhere."""

    id: UUID = Field(default_factory=uuid4)
    answer_id: UUID
    rating: Rating
    note: str | None = Field(default=None, min_length=1, max_length=MAX_NOTE_CHARACTERS)
    reason: Reason | None = None
    """Why the answer is bad, in one word."""
    client_id: str = Field(min_length=1, max_length=100)
    """Who gave it: an address only as a hash."""
    created_at: UtcTime

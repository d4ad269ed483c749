"""What is kept in one step."""

from typing import Any

from citebook.domain.audit import AuditRecord
from citebook.domain.conversation import ChatMessage, ChatSession, SessionOwner
from citebook.domain.value import Value


class Entry(Value):
    """A session that starts, what one side said, an audit record: kept together, whole or not at all.

    Each carries its id, by which it is known when it comes a second time.
    """

    session: ChatSession | None = None
    message: ChatMessage | None = None
    owner: SessionOwner | None = None
    """Where it is not known yet whether the message's session is the sender's: kept only if it is."""
    session_metadata: dict[str, Any] | None = None
    """What the message's session holds of its reader's wishes from now on; None where that stays as it is."""
    record: AuditRecord | None = None

    @property
    def is_empty(self) -> bool:
        return self.session is None and self.message is None and self.record is None

"""What a contract allows and demands. The command line is a contract too."""

from typing import Literal

from citebook.domain.audit import AuditDetail
from citebook.domain.errors import InvalidQuestion
from citebook.domain.limits import Limit
from citebook.domain.question import Policy, TextRule
from citebook.domain.value import Value

HOUR, MINUTE = 3600, 60

ContractName = Literal["textbook", "core", "academic", "agent", "ask", "command_line", "feedback"]


class BodyRule(Value):
    """How much a client may send, and how long it may take."""

    bytes: int
    seconds: float


class ContractPolicy(Value):
    """All limits and thresholds of one contract, as they are in force."""

    name: ContractName
    question: TextRule
    selection: TextRule = TextRule()
    top_k: int = 5
    max_top_k: int = 5
    refuse_below: float = 0.20
    warn_below: float = 0.30
    audit: AuditDetail = "metadata"
    anonymous: Limit = Limit(questions=30, seconds=MINUTE)
    signed_in: Limit | None = None
    """None for the anonymous limit."""
    max_body_bytes: int = 256 * 1024
    max_body_seconds: float = 30.0
    max_upload_bytes: int = 21 * 1000 * 1000
    """A file of 20 MB and what is sent around it."""
    max_upload_seconds: float = 300.0

    @property
    def body(self) -> BodyRule:
        return BodyRule(bytes=self.max_body_bytes, seconds=self.max_body_seconds)

    @property
    def upload(self) -> BodyRule:
        return BodyRule(bytes=self.max_upload_bytes, seconds=self.max_upload_seconds)

    def policy(self, top_k: int | None = None) -> Policy:
        """The rules for one question. Raises `InvalidQuestion` where more passages are wanted than allowed."""
        wanted = self.top_k if top_k is None else top_k
        if not 1 <= wanted <= self.max_top_k:
            raise InvalidQuestion("top_k", f"must be between 1 and {self.max_top_k}")
        return Policy(
            question=self.question,
            selection=self.selection,
            top_k=wanted,
            refuse_below=self.refuse_below,
            warn_below=self.warn_below,
        )


COMMAND_LINE = ContractPolicy(
    name="command_line",
    question=TextRule(max_characters=10_000),
    selection=TextRule(max_characters=10_000),
    max_top_k=20,
    audit="none",
)

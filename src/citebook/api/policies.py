"""What a contract allows and demands. Each contract has its own; an operator may change any part of it."""

from citebook.domain.audit import AuditDetail
from citebook.domain.errors import InvalidQuestion
from citebook.domain.limits import Limit
from citebook.domain.question import Policy, TextRule
from citebook.domain.value import Value

HOUR, MINUTE = 3600, 60


class ContractPolicy(Value):
    name: str
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
    max_upload_bytes: int = 21 * 1000 * 1000
    """A file of 20 MB and what is sent around it."""

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

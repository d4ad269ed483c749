"""What is kept of a question that belongs to no session."""

from fastapi import Request

from citebook.domain.callers import Caller
from citebook.domain.policy import ContractPolicy
from citebook.records.recording import Record
from citebook.root.citebook import Book

KEEP_HEADER = "X-Citebook-Keep"
_NOTHING = "nothing"


def record_of(request: Request, policy: ContractPolicy, caller: Caller, book: Book) -> Record:
    """As the contract says; no figures either for a reader who asks that nothing is kept."""
    wants_nothing = request.headers.get(KEEP_HEADER) == _NOTHING
    return Record(policy.name, caller.client_id, book.id, "none" if wants_nothing else policy.audit)

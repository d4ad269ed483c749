"""How audit records hang together: each hash covers the record's figures, digests of its texts, and the hash before.

Texts are covered by salted digests only. Once a text and its salt are erased nobody can find the text by guessing,
and the chain is as whole as before.
"""

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from citebook.adapters.sql.canonical_json import canonical, exact
from citebook.adapters.sql.tables import moment_text
from citebook.domain.audit import AuditRecord
from citebook.domain.storable import storable_value

NO_HASH = "0" * 64
"""What the first record follows."""

BLANK: Mapping[str, Any] = {
    "user_query_text": "",
    "retrieval_query": None,
    "searched_part": None,
    "chunks_returned": [],
    "llm_prompt": None,
    "llm_response": None,
    "answer_text": None,
    "citations": [],
}
"""The columns with personal texts, and what stands there once they are erased."""

_FIGURES = tuple(name for name in AuditRecord.model_fields if name not in BLANK)
_HASHED = ("sequence", "previous_hash", "text_digests", *_FIGURES)

Row = dict[str, Any]
"""A row of `audit_logs` in plain values, the same for each database: text, numbers and None."""


def sealed(record: AuditRecord, sequence: int, previous_hash: str) -> dict[str, Any]:
    """The values of a record's row."""
    values = {name: storable_value(value) for name, value in record}
    values |= {"sequence": sequence, "previous_hash": previous_hash, "salt": secrets.token_hex(16), "erased_at": None}
    values["text_digests"] = _digests(plain(values))
    return {**values, "record_hash": _hash(plain(values))}


def plain(values: Mapping[str, Any]) -> Row:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    match value:
        case UUID():
            return str(value)
        case datetime():
            return moment_text(value)
        case bool():
            return int(value)
        case list() | tuple() | dict():
            return canonical(value)
    return value


def _digests(row: Row) -> dict[str, str]:
    return {name: _sha256([row["salt"], name, row[name]]) for name in BLANK if row.get(name) is not None}


def _hash(row: Row) -> str:
    """Nothing is said of columns without a value, so that a column added later breaks no older hash.

    An archive that is older than a column does not have it at all.
    """
    return _sha256({name: row[name] for name in _HASHED if row.get(name) is not None})


def _sha256(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode(errors="surrogatepass")).hexdigest()


def fault_in(row: Row, sequence: int, previous_hash: str) -> str | None:
    """What is wrong with a row that should stand at this place in the chain."""
    if row["sequence"] != sequence:
        return "the record is missing"
    if row["previous_hash"] != previous_hash:
        return "the record does not follow the one before it"
    if not _is_hashable(row) or _hash(row) != row["record_hash"]:
        return "the figures of the record were changed"
    return _fault_in_erased(row) if row["salt"] is None else _fault_in_texts(row)


def _is_hashable(row: Row) -> bool:
    return all(isinstance(value, str | int | float | Decimal | None) for value in row.values())


def _fault_in_texts(row: Row) -> str | None:
    if row["erased_at"] is not None:
        return "the record is marked as erased and is not"
    if canonical(_digests(row)) != row["text_digests"]:
        kept = exact(row["text_digests"])
        found = _digests(row)
        changed = [name for name in BLANK if kept.get(name) != found.get(name)]
        return f"a text of the record was changed: {', '.join(changed)}"
    return None


def _fault_in_erased(row: Row) -> str | None:
    if row["erased_at"] is None:
        return "the salt of the record is missing"
    left = [name for name, blank in plain(BLANK).items() if row.get(name) != blank]
    return f"a text of the erased record was changed: {', '.join(left)}" if left else None

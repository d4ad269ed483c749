"""A walk along the chain, from the first record to the last, over stretches that lie in archives."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from citebook.adapters.sql.audit_chain import NO_HASH, Row, fault_in
from citebook.domain.audit import ERASED, ChainFault


class Head(NamedTuple):
    """Where the chain ends."""

    sequence: int
    record_hash: str


START = Head(0, NO_HASH)


class Stretch(NamedTuple):
    """Records in a row that lie in one archive."""

    first_sequence: int
    last_sequence: int
    previous_hash: str
    last_hash: str


class ChainState(NamedTuple):
    """All of the chain at one moment, but for its records."""

    head: Head
    rows: int
    archived: Mapping[int, Stretch]


class ChainWalk:
    def __init__(self, start: Head = START) -> None:
        self.at = start
        self._erased: dict[tuple[str, str], int] = {}
        self._erasures: set[tuple[str, str]] = set()

    def follow(self, rows: Iterable[Row], archived: Mapping[int, Stretch]) -> ChainFault | None:
        """The first fault in the next rows."""
        for row in rows:
            self._pass_over(archived)
            place = self.at.sequence + 1
            reason = fault_in(row, place, self.at.record_hash)
            if reason is not None:
                return ChainFault(sequence=place, reason=reason)
            self.at = Head(place, row["record_hash"])
            self._note_erasure(row)
        return None

    def _pass_over(self, archived: Mapping[int, Stretch]) -> None:
        while (stretch := archived.get(self.at.sequence + 1)) is not None:
            if stretch.previous_hash != self.at.record_hash:
                return
            self.at = Head(stretch.last_sequence, stretch.last_hash)

    def _note_erasure(self, row: Row) -> None:
        if row["outcome"] == ERASED:
            self._erasures.add((row["query_id"], row["timestamp"]))
        elif row["erased_at"] is not None:
            self._erased[row["query_id"], row["erased_at"]] = row["sequence"]

    def end(self, state: ChainState) -> ChainFault | None:
        """What is wrong with the chain as a whole, once all rows were seen."""
        head, rows, archived = state
        self._pass_over(archived)
        if self.at.sequence < head.sequence:
            return ChainFault(sequence=self.at.sequence + 1, reason="the record is missing")
        if self.at != head:
            return ChainFault(sequence=self.at.sequence, reason="the end of the chain is not the one that was noted")
        if rows + _archived_records(archived.values()) != head.sequence:
            return ChainFault(sequence=head.sequence, reason="there are records outside the chain")
        for key, sequence in self._erased.items():
            if key not in self._erasures:
                return ChainFault(sequence=sequence, reason="the record was erased outside the chain")
        return None


def _archived_records(stretches: Iterable[Stretch]) -> int:
    return sum(stretch.last_sequence - stretch.first_sequence + 1 for stretch in stretches)


def lengthen(stretches: list[Stretch], rows: Iterable[Row]) -> None:
    """Adds rows, which come in the order of the chain, to stretches without gaps."""
    for row in rows:
        sequence, record_hash = row["sequence"], row["record_hash"]
        if stretches and stretches[-1].last_sequence + 1 == sequence:
            stretches[-1] = stretches[-1]._replace(last_sequence=sequence, last_hash=record_hash)
        else:
            stretches.append(Stretch(sequence, sequence, row["previous_hash"], record_hash))

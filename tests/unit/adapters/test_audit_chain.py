"""The chain of audit records: whatever is changed in it is found."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citebook.adapters.sql.audit_chain import BLANK, Row, plain, sealed
from citebook.adapters.sql.audit_walk import START, ChainState, ChainWalk, Head
from citebook.adapters.sql.canonical_json import canonical, exact
from citebook.domain.audit import AuditRecord, ChainFault, erasure_of
from citebook.domain.storable import storable

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.text(max_size=5), json_values, max_size=3)
names = st.text(min_size=1, max_size=8)
maybe_text = st.none() | st.text()
records = st.builds(
    AuditRecord,
    query_id=st.uuids(),
    answer_id=st.none() | st.uuids(),
    contract=names,
    client_id=names,
    book=names,
    edition=maybe_text,
    model=maybe_text,
    prompt_version=maybe_text,
    user_query_text=st.text(),
    source_mode=st.sampled_from(["full-book", "context-restricted"]),
    retrieval_query=maybe_text,
    searched_part=maybe_text,
    chunks_retrieved_count=st.integers(0, 2**31 - 1),
    chunks_returned=st.lists(objects, max_size=2).map(tuple),
    llm_prompt=maybe_text,
    llm_response=maybe_text,
    answer_text=maybe_text,
    confidence_score=st.none() | st.floats(0, 1),
    citations=st.lists(objects, max_size=2).map(tuple),
    outcome=st.sampled_from(["answered", "refused", "failed"]),
    success=st.booleans(),
    error_message=maybe_text,
    timestamp=st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC)),
)
chains = st.lists(records, min_size=1, max_size=4).map(lambda made: chain_of(made))


def chain_of(made: list[AuditRecord]) -> list[Row]:
    rows: list[Row] = []
    end = START
    for record in made:
        rows.append(plain(sealed(record, end.sequence + 1, end.record_hash)))
        end = Head(rows[-1]["sequence"], rows[-1]["record_hash"])
    return rows


def fault_in(rows: list[Row], head: Head) -> ChainFault | None:
    walk = ChainWalk()
    return walk.follow(rows, {}) or walk.end(ChainState(head, len(rows), {}))


def head_of(rows: list[Row]) -> Head:
    return Head(rows[-1]["sequence"], rows[-1]["record_hash"])


@settings(max_examples=40, deadline=None)
@given(chains)
def test_a_chain_that_nobody_touched_is_whole(rows: list[Row]) -> None:
    assert fault_in(rows, head_of(rows)) is None


@settings(max_examples=20, deadline=None)
@given(st.lists(records, min_size=1, max_size=2))
def test_an_archive_from_before_a_column_is_whole(made: list[AuditRecord]) -> None:
    rows = chain_of([record.model_copy(update={"searched_part": None}) for record in made])
    for row in rows:
        del row["searched_part"]
    assert fault_in(rows, head_of(rows)) is None


def other_values(value: Any) -> st.SearchStrategy[Any]:
    """Any value but this one, and above all those that are close to it."""
    near: list[Any] = [None, "", 0, "0", "null", b"0"]
    if isinstance(value, str):
        near += [value + " ", value + "\0", value.upper(), value.lower(), value[:-1], value[::-1], value.strip()]
        near += [value.replace("\ufffd", "\0"), value.replace("e", "\ud800")]
        near += [value[:i] + chr(ord(c) ^ 1) + value[i + 1 :] for i, c in enumerate(value[:80])]
    elif isinstance(value, int | float):
        near += [value + 1, -value, value / 2, value * (1 + 2**-52)]
    return st.sampled_from(near).filter(lambda new: (new != value) or (type(new) is str) != (type(value) is str))


@settings(max_examples=150, deadline=None)
@given(chains, st.data())
def test_any_change_of_any_value_is_found(rows: list[Row], data: st.DataObject) -> None:
    head = head_of(rows)
    place = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.sampled_from(sorted(rows[place])))
    changed = [dict(row) for row in rows]
    changed[place][column] = data.draw(other_values(rows[place][column]))
    assert fault_in(changed, head) is not None


@pytest.mark.parametrize(
    "harm",
    [
        lambda rows: rows[1:],
        lambda rows: rows[:-1],
        lambda rows: rows[:1] + rows[2:],
        lambda rows: [rows[1], rows[0], *rows[2:]],
        lambda rows: [*rows, rows[-1]],
        lambda rows: [rows[0], *rows],
        lambda rows: [{**rows[1], "sequence": 1}, {**rows[0], "sequence": 2}, *rows[2:]],
        lambda _rows: [],
    ],
)
@given(made=st.lists(records, min_size=3, max_size=4))
@settings(max_examples=10, deadline=None)
def test_missing_doubled_and_misplaced_records_are_found(
    harm: Callable[[list[Row]], list[Row]], made: list[AuditRecord]
) -> None:
    rows = chain_of(made)
    assert fault_in(harm(rows), head_of(rows)) is not None


@settings(max_examples=40, deadline=None)
@given(st.lists(records, min_size=2, max_size=3))
def test_an_erasure_leaves_the_chain_whole_only_if_the_chain_tells_of_it(made: list[AuditRecord]) -> None:
    erased_at = datetime(2026, 1, 1, tzinfo=UTC)
    rows = chain_of([*made, erasure_of(made[0].query_id, "book", erased_at)])
    rows[0] |= plain({**BLANK, "salt": None, "erased_at": erased_at})
    assert fault_in(rows, head_of(rows)) is None
    secret = chain_of(made)
    secret[0] |= plain({**BLANK, "salt": None, "erased_at": erased_at})
    assert fault_in(secret, head_of(secret)) == ChainFault(
        sequence=1, reason="the record was erased outside the chain"
    )


def test_equal_texts_have_unequal_digests() -> None:
    """Else, who guesses a text could prove that it was erased."""
    record = AuditRecord(
        query_id="0b2e7c62-9f4e-4f63-8a55-3a3ef3a5a111",
        contract="core",
        client_id="c",
        book="b",
        user_query_text="the same",
        outcome="answered",
        success=True,
        timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )
    first, second = sealed(record, 1, "0" * 64), sealed(record, 1, "0" * 64)
    assert first["text_digests"]["user_query_text"] != second["text_digests"]["user_query_text"]


@settings(deadline=None)
@given(json_values)
def test_canonical_json_is_json_and_says_the_same_twice(value: Any) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == canonical(exact(text)) == text


@settings(deadline=None)
@given(numbers)
def test_canonical_numbers_are_exact(number: float) -> None:
    assert Decimal(canonical(number)) == Decimal(repr(number))
    assert "e" not in canonical(number).lower()


def test_canonical_json_has_one_spelling() -> None:
    assert canonical({"b": [1.0, 100.0, 1e2, -0.0], "a": "é\x00"}) == '{"a":"é\\u0000","b":[1,100,100,0]}'
    assert canonical([float("nan"), float("inf")]) == "[null,null]"
    with pytest.raises(TypeError, match="bytes"):
        canonical([b"bytes"])


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_what_can_be_stored_is_as_long_and_can_be_encoded(text: str) -> None:
    assert len(storable(text)) == len(text)
    assert "\0" not in storable(text).encode().decode()

"""What every audit log must do, on SQLite and on a real PostgreSQL."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.tables import audit_logs
from citebook.domain.audit import ERASED, AuditRecord
from citebook.ports import AuditLog
from tests.records import NOON, full_record, run_sql

ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(database: Database) -> SqlAuditLog:
    return SqlAuditLog(database)


async def filled(log: SqlAuditLog, count: int = 3) -> list[AuditRecord]:
    records = [full_record(number) for number in range(1, count + 1)]
    for record in records:
        await log.append(record)
    return records


async def is_broken_at(log: SqlAuditLog) -> int | None:
    fault = await log.verify()
    return None if fault is None else fault.sequence


class TestRecords:
    async def test_come_back_as_they_were_in_the_order_of_the_chain(self, log: SqlAuditLog) -> None:
        port: AuditLog = log
        records = await filled(log)
        chained = [record async for record in port.records()]
        assert [record.record for record in chained] == records
        assert [record.sequence for record in chained] == [1, 2, 3]
        assert chained[0].previous_hash == "0" * 64
        assert [record.previous_hash for record in chained[1:]] == [record.record_hash for record in chained[:-1]]

    async def test_more_than_one_page(self, log: SqlAuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("citebook.adapters.sql.audit_log._PAGE", 2)
        records = await filled(log, 5)
        assert [chained.record async for chained in log.records()] == records
        assert await log.verify() is None

    async def test_since_a_moment(self, log: SqlAuditLog) -> None:
        old = full_record(timestamp=NOON - timedelta(days=1))
        await log.append(old)
        await log.append(full_record(timestamp=NOON))
        assert [chained.sequence async for chained in log.records(NOON)] == [2]

    async def test_an_answer_is_found_by_its_client_alone(self, log: SqlAuditLog) -> None:
        (record,) = await filled(log, 1)
        assert record.answer_id is not None
        assert await log.find_answer(record.answer_id, "key:1") == record
        assert await log.find_answer(record.answer_id, "key:2") is None
        assert await log.find_answer(record.answer_id, "' OR 1=1 --") is None
        assert await log.find_answer(uuid4(), "key:1") is None

    @pytest.mark.parametrize(
        "awkward",
        [
            {"answer_text": "NUL \x00 and tab \t and \u2028 and 🤖"},
            {"citations": ({"a\x00": "\x00", "n": -0.0, "big": 1e300, "small": 5e-324, "deep": [{"x": [1, 1.0]}]},)},
            {"confidence_score": 0.1 + 0.2},
            {"confidence_score": 1.0},
            {"confidence_score": None, "answer_id": None, "edition": None, "llm_prompt": None, "citations": ()},
            {"timestamp": datetime(1970, 1, 1, tzinfo=UTC)},
            {"timestamp": datetime(2026, 12, 31, 23, 59, 59, 999_999, UTC)},
        ],
        ids=str,
    )
    async def test_awkward_values_do_not_break_the_chain(self, log: SqlAuditLog, awkward: dict[str, Any]) -> None:
        await filled(log, 1)
        await log.append(full_record(**awkward))
        await filled(log, 1)
        assert await log.verify() is None
        assert len([record async for record in log.records()]) == 3

    def test_every_field_of_a_record_has_its_column(self) -> None:
        ours = {"sequence", "salt", "text_digests", "previous_hash", "record_hash", "erased_at"}
        assert {column.name for column in audit_logs.columns} - ours == set(AuditRecord.model_fields)


CHANGES: dict[str, Any] = {
    "log_id": str(uuid4()),
    "query_id": str(uuid4()),
    "answer_id": None,
    "contract": "Academic",
    "client_id": "key:2",
    "book": "physical-ai ",
    "edition": "First",
    "model": None,
    "prompt_version": "",
    "user_query_text": "",
    "source_mode": "full-book",
    "retrieval_query": "zero moment points",
    "searched_part": None,
    "chunks_retrieved_count": 3,
    "chunks_returned": "[]",
    "avg_similarity": None,
    "retrieval_latency_ms": 13,
    "llm_prompt": "Answer from the book!",
    "llm_response": None,
    "answer_text": "The zero moment point is  …",
    "confidence_score": 0.9100000000000001,
    "citations": '[{"excerpt":"“inside the foot”","page":0,"position":1}]',
    "outcome": "refused",
    "is_partial": None,
    "success": False,
    "error_message": "",
    "timestamp": NOON + timedelta(microseconds=1),
    "salt": "0" * 32,
    "text_digests": "{}",
    "previous_hash": "1" * 64,
    "record_hash": "1" * 64,
    "erased_at": NOON,
    "sequence": 17,
}


class TestTampering:
    def test_every_column_is_tried(self) -> None:
        assert set(CHANGES) == {column.name for column in audit_logs.columns}

    @pytest.mark.parametrize("column", CHANGES)
    async def test_a_change_in_any_column_is_found(self, log: SqlAuditLog, database: Database, column: str) -> None:
        await filled(log)
        value = CHANGES[column]
        if not database.is_postgresql and isinstance(value, datetime):
            value = value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        kind = {"JSON": "JSONB", "IDENTIFIER": "UUID"}.get(type(audit_logs.c[column].type).__name__.upper())
        new = f"CAST(:value AS {kind})" if database.is_postgresql and kind else ":value"
        await run_sql(database, f"UPDATE audit_logs SET {column} = {new} WHERE sequence = 2", value=value)
        assert await is_broken_at(log) == 2

    async def test_a_digit_too_small_for_a_float_is_found(self, log: SqlAuditLog, database: Database) -> None:
        await log.append(full_record(citations=({"score": 0.30000000000000004},)))
        forged = '[{"score":0.30000000000000003}]'
        assert json.loads(forged) == [{"score": 0.30000000000000004}]
        assert Decimal("0.30000000000000003") != Decimal("0.30000000000000004")
        new = "CAST(:new AS JSONB)" if database.is_postgresql else ":new"
        await run_sql(database, f"UPDATE audit_logs SET citations = {new}", new=forged)
        assert await is_broken_at(log) == 1

    @pytest.mark.parametrize("column", ["answer_text", "citations", "book", "salt", "record_hash", "text_digests"])
    async def test_bytes_that_are_no_text_are_found(self, tmp_path: Path, column: str) -> None:
        """PostgreSQL stores no such bytes."""
        async with Database.connect(f"sqlite:///{tmp_path / 'damaged.sqlite3'}") as database:
            log = SqlAuditLog(database)
            await filled(log)
            damaged = f"CAST(x'C3' || CAST(substr({column}, 2) AS BLOB) AS TEXT)"
            await run_sql(database, f"UPDATE audit_logs SET {column} = {damaged} WHERE sequence = 2")
            assert await is_broken_at(log) == 2

    @pytest.mark.parametrize("gone", [1, 2, 3])
    async def test_a_missing_record_is_found(self, log: SqlAuditLog, database: Database, gone: int) -> None:
        await filled(log)
        await run_sql(database, "DELETE FROM audit_logs WHERE sequence = :gone", gone=gone)
        assert await is_broken_at(log) == gone

    async def test_an_empty_log_that_was_not_empty_is_found(self, log: SqlAuditLog, database: Database) -> None:
        await filled(log)
        await run_sql(database, "DELETE FROM audit_logs")
        assert await is_broken_at(log) == 1

    async def test_records_that_changed_places_are_found(self, log: SqlAuditLog, database: Database) -> None:
        await filled(log)
        for old, new in ((1, 9), (2, 1), (9, 2)):
            await run_sql(database, f"UPDATE audit_logs SET sequence = {new} WHERE sequence = {old}")
        assert await is_broken_at(log) == 1

    async def test_texts_that_were_erased_by_hand_are_found(self, log: SqlAuditLog, database: Database) -> None:
        _first, second, _third = await filled(log)
        await log.erase(second.query_id)
        assert await log.verify() is None
        await run_sql(
            database,
            "UPDATE audit_logs SET user_query_text = '', retrieval_query = NULL, chunks_returned = '[]', "
            "llm_prompt = NULL, llm_response = NULL, answer_text = NULL, citations = '[]', salt = NULL, "
            "erased_at = (SELECT erased_at FROM audit_logs WHERE sequence = 2) WHERE sequence = 1",
        )
        assert await is_broken_at(log) == 1

    async def test_a_row_added_outside_the_chain_is_found(self, log: SqlAuditLog, database: Database) -> None:
        await filled(log)
        columns = [column.name for column in audit_logs.columns if column.name not in ("sequence", "log_id")]
        new_id = "gen_random_uuid()" if database.is_postgresql else "'forged'"
        await run_sql(
            database,
            f"INSERT INTO audit_logs (sequence, log_id, {', '.join(columns)}) "
            f"SELECT 4, {new_id}, {', '.join(columns)} "
            "FROM audit_logs WHERE sequence = 3",
        )
        assert await is_broken_at(log) == 4

    async def test_a_head_that_was_set_back_is_found(self, log: SqlAuditLog, database: Database) -> None:
        await filled(log)
        await run_sql(database, "UPDATE audit_head SET sequence = 2")
        assert await is_broken_at(log) == 3


class TestErasure:
    async def test_removes_the_texts_and_keeps_the_chain(self, log: SqlAuditLog, database: Database) -> None:
        _first, second, _third = await filled(log)
        assert await log.erase(second.query_id) is True
        assert await log.verify() is None
        chained = [record async for record in log.records()]
        erased = chained[1]
        assert (erased.erased, chained[0].erased) == (True, False)
        record = erased.record
        assert (record.user_query_text, record.citations, record.chunks_returned) == ("", (), ())
        assert {record.retrieval_query, record.searched_part, record.answer_text} == {None}
        assert {record.llm_prompt, record.llm_response} == {None}
        assert (record.query_id, record.confidence_score) == (second.query_id, second.confidence_score)
        assert await _scalar(database, "SELECT count(*) FROM audit_logs WHERE salt IS NULL") == 1

    async def test_leaves_a_record_of_itself(self, log: SqlAuditLog) -> None:
        (record,) = await filled(log, 1)
        await log.erase(record.query_id)
        last = [chained.record async for chained in log.records()][-1]
        assert (last.outcome, last.query_id, last.book) == (ERASED, record.query_id, record.book)

    async def test_of_what_is_not_there_does_nothing(self, log: SqlAuditLog) -> None:
        (record,) = await filled(log, 1)
        assert await log.erase(uuid4()) is False
        assert await log.erase(record.query_id) is True
        assert await log.erase(record.query_id) is False
        assert (await log.head()).sequence == 2
        assert await log.verify() is None


async def _scalar(database: Database, statement: str) -> Any:
    async with database.transaction("read") as connection:
        return (await connection.execute(text(statement))).scalar()


class TestManyAtOnce:
    async def test_tasks_make_one_chain(self, log: SqlAuditLog) -> None:
        await asyncio.gather(*(log.append(full_record(number)) for number in range(30)))
        assert (await log.head()).sequence == 30
        assert await log.verify() is None

    async def test_processes_that_start_together_make_one_chain(self, log: SqlAuditLog, database_url: str) -> None:
        """The database is new: its tables, too, are made by whoever comes first."""
        command = (sys.executable, "-m", "tests.database_writers", "append", database_url, "15")
        running = [await asyncio.create_subprocess_exec(*command, cwd=ROOT, stderr=PIPE) for _ in range(2)]
        for process in running:
            _out, said = await process.communicate()
            assert (process.returncode, said) == (0, b"")
        assert (await log.head()).sequence == 30
        assert await log.verify() is None

    async def test_verify_while_others_append_and_erase(
        self, log: SqlAuditLog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("citebook.adapters.sql.audit_log._PAGE", 3)
        records = await filled(log, 10)

        async def write() -> None:
            for number, record in enumerate(records):
                await log.append(full_record(number))
                await log.erase(record.query_id)

        writing = asyncio.create_task(write())
        while not writing.done():
            assert await log.verify() is None
        await writing


class TestPartitions:
    async def test_each_month_has_its_own(self, postgres_url: str) -> None:
        async with Database.connect(postgres_url) as database:
            log = SqlAuditLog(database)
            await log.append(full_record(timestamp=datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)))
            await log.append(full_record(timestamp=datetime(2026, 3, 1, tzinfo=UTC)))
            names = "SELECT string_agg(relid::text, ' ' ORDER BY relid::text) FROM pg_partition_tree('audit_logs') "
            assert await _scalar(database, names + "WHERE isleaf") == (
                "audit_logs_2025_12 audit_logs_2026_01 audit_logs_2026_03 audit_logs_2026_04"
            )

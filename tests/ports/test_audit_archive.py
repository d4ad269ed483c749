"""How months leave the database: into a folder or a real S3 server, without breaking the chain."""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from citebook.adapters.archive_folder import FolderArchive
from citebook.adapters.archive_s3 import S3Archive
from citebook.adapters.sql import archive_files
from citebook.adapters.sql.audit_archive import SqlAuditArchive
from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.audit import AuditRecord
from citebook.domain.errors import DatabaseUnavailable, DependencyError
from citebook.ports import ArchiveStore
from tests.records import NOON, full_record, run_sql
from tests.servers import S3Server


@pytest.fixture
def log(database: Database) -> SqlAuditLog:
    return SqlAuditLog(database)


MONTHS = [
    datetime(2025, 1, 31, 23, 0, tzinfo=UTC),
    datetime(2025, 2, 1, tzinfo=UTC),
    datetime(2025, 3, 9, tzinfo=UTC),
]


async def three_months(log: SqlAuditLog) -> list[AuditRecord]:
    """The clock is not always right: one record of January comes after one of February."""
    moments = [MONTHS[0], MONTHS[1], MONTHS[0] + timedelta(minutes=59), MONTHS[1], MONTHS[2]]
    records = [full_record(number, timestamp=moment) for number, moment in enumerate(moments)]
    for record in records:
        await log.append(record)
    return records


@pytest.fixture
def archive(database: Database, tmp_path: Path) -> SqlAuditArchive:
    return SqlAuditArchive(database, FolderArchive(tmp_path / "archive"))


class TestArchives:
    async def test_whole_months_leave_and_the_chain_stays_whole(
        self, log: SqlAuditLog, archive: SqlAuditArchive, tmp_path: Path
    ) -> None:
        records = await three_months(log)
        made = await archive.archive(datetime(2025, 3, 31, tzinfo=UTC))
        assert [(manifest.month, manifest.records) for manifest in made] == [("2025-01", 2), ("2025-02", 2)]
        assert [chained.record async for chained in log.records()] == records[4:]
        assert await log.verify() is None
        assert await archive.verify() is None
        await log.append(full_record())
        assert await log.verify() is None
        assert sorted(file.name for file in (tmp_path / "archive").iterdir()) == [
            "audit-2025-01-000000000001.jsonl.gz",
            "audit-2025-01-000000000001.manifest.json",
            "audit-2025-02-000000000002.jsonl.gz",
            "audit-2025-02-000000000002.manifest.json",
        ]

    async def test_late_records_of_an_archived_month_get_an_archive_of_their_own(
        self, log: SqlAuditLog, archive: SqlAuditArchive
    ) -> None:
        await three_months(log)
        await archive.archive(MONTHS[2])
        await log.append(full_record(timestamp=MONTHS[0]))
        assert [manifest.month for manifest in await archive.archive(MONTHS[2])] == ["2025-01"]
        assert await log.verify() is None
        assert await archive.verify() is None

    async def test_nothing_to_archive(self, log: SqlAuditLog, archive: SqlAuditArchive) -> None:
        assert await archive.archive(NOON) == ()
        await three_months(log)
        assert await archive.archive(datetime(2025, 1, 31, tzinfo=UTC)) == ()

    async def test_a_run_that_is_cut_short_can_be_repeated(
        self, log: SqlAuditLog, archive: SqlAuditArchive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await three_months(log)
        with monkeypatch.context() as patched:

            async def fails(*_: object) -> None:
                raise DatabaseUnavailable("gone")

            patched.setattr(SqlAuditArchive, "_remove_rows", fails)
            with pytest.raises(DatabaseUnavailable):
                await archive.archive(MONTHS[2])
        assert await log.verify() is None
        assert len(await archive.archive(MONTHS[2])) == 2
        assert await log.verify() is None
        assert await archive.verify() is None

    async def test_records_that_came_meanwhile_are_not_lost(
        self, log: SqlAuditLog, database: Database, tmp_path: Path
    ) -> None:
        records = await three_months(log)
        folder = FolderArchive(tmp_path / "archive")

        class Slow:
            get, delete = folder.get, folder.delete

            async def put(self, name: str, source: Path) -> None:
                await folder.put(name, source)
                await log.erase(records[0].query_id)

        with pytest.raises(DatabaseUnavailable, match="changed while it was archived"):
            await SqlAuditArchive(database, Slow()).archive(MONTHS[2])
        assert len(await SqlAuditArchive(database, folder).archive(MONTHS[2])) == 2

    async def test_a_broken_chain_is_not_archived(
        self, log: SqlAuditLog, archive: SqlAuditArchive, database: Database
    ) -> None:
        await three_months(log)
        await run_sql(database, "UPDATE audit_logs SET book = 'forged' WHERE sequence = 2")
        with pytest.raises(DatabaseUnavailable, match="broken at record 2"):
            await archive.archive(MONTHS[2])

    @pytest.mark.parametrize("harm", ["flip", "cut", "remove", "remove manifest", "swap"])
    async def test_a_change_in_an_archive_is_found(
        self, log: SqlAuditLog, archive: SqlAuditArchive, tmp_path: Path, harm: str
    ) -> None:
        await three_months(log)
        await archive.archive(MONTHS[2])
        first, manifest, second, _ = sorted((tmp_path / "archive").iterdir())
        harms: dict[str, Callable[[], object]] = {
            "flip": lambda: first.write_bytes(first.read_bytes()[:-20] + b"\0" + first.read_bytes()[-19:]),
            "cut": lambda: first.write_bytes(first.read_bytes()[:-20]),
            "remove": first.unlink,
            "remove manifest": manifest.unlink,
            "swap": lambda: first.write_bytes(second.read_bytes()),
        }
        harms[harm]()
        fault = await archive.verify()
        assert fault is not None
        assert fault.sequence == 1

    async def test_a_forged_archive_with_a_forged_manifest_is_found(
        self, log: SqlAuditLog, archive: SqlAuditArchive, tmp_path: Path
    ) -> None:
        await three_months(log)
        (made, _) = await archive.archive(MONTHS[2])
        file, manifest = tmp_path / "archive" / made.archive, tmp_path / "archive" / made.name
        rows = list(archive_files.rows_in(file))
        file.unlink()
        archive_files.add_rows(file, [rows[0] | {"answer_text": "forged"}, *rows[1:]])
        forged = made.model_copy(update={"sha256": archive_files.sha256_of(file)})
        manifest.write_text(forged.model_dump_json())
        fault = await archive.verify()
        assert fault is not None
        assert fault.reason == "a text of the record was changed: answer_text"

    async def test_texts_are_erased_in_archives_too(
        self, log: SqlAuditLog, archive: SqlAuditArchive, tmp_path: Path
    ) -> None:
        records = await three_months(log)
        made = await archive.archive(MONTHS[2])
        assert await log.erase(records[0].query_id) is False
        assert await archive.erase(records[0].query_id) is True
        assert await archive.erase(uuid4()) is False
        assert await archive.verify() is None
        assert await log.verify() is None
        texts = [gzip.decompress((tmp_path / "archive" / one.archive).read_bytes()).decode() for one in made]
        assert records[0].user_query_text not in texts[0]
        assert records[2].user_query_text in texts[0]

    async def test_a_folder_that_cannot_be_written_is_said(self, database: Database, log: SqlAuditLog) -> None:
        await three_months(log)
        with pytest.raises(DependencyError, match="/proc/nowhere failed"):
            await SqlAuditArchive(database, FolderArchive(Path("/proc/nowhere"))).archive(MONTHS[2])
        assert await log.verify() is None


@pytest.mark.network
class TestS3:
    @pytest.fixture
    def bucket(self, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> ArchiveStore:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        return S3Archive(f"s3://{s3.bucket}/{uuid4()}")

    async def test_archives_in_s3(
        self, log: SqlAuditLog, database: Database, bucket: ArchiveStore, tmp_path: Path
    ) -> None:
        archive = SqlAuditArchive(database, bucket)
        records = await three_months(log)
        assert len(await archive.archive(MONTHS[2])) == 2
        assert await log.verify() is None
        assert await archive.verify() is None
        assert await archive.erase(records[1].query_id) is True
        assert await archive.verify() is None
        assert await archive.expire(MONTHS[1]) == ("audit-2025-01-000000000001.jsonl.gz",)
        assert await bucket.get("audit-2025-01-000000000001.jsonl.gz", tmp_path / "gone") is False
        assert await archive.verify() is None
        assert await log.verify() is None

    async def test_what_is_not_there(self, bucket: ArchiveStore, tmp_path: Path) -> None:
        assert await bucket.get("nothing", tmp_path / "nothing") is False
        await bucket.delete("nothing")

    @pytest.mark.usefixtures("bucket")
    async def test_a_store_that_refuses_the_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        (tmp_path / "file").write_text("x")
        with pytest.raises(DependencyError, match=r"s3://audit/wrong failed") as caught:
            await S3Archive("s3://audit/wrong").put("file", tmp_path / "file")
        assert "only-for-tests" not in str(caught.value)

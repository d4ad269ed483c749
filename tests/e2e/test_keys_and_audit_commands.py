"""`citebook keys`, `citebook audit`, `citebook purge` and `citebook feedback`, as an operator types them."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.feedback_store import SqlFeedbackStore
from citebook.domain.audit import AuditRecord
from citebook.domain.entries import Entry
from citebook.domain.feedback import Feedback, Rating
from citebook.records.outbox import Outbox
from citebook.root.wiring import database_of, keys_of
from citebook.settings import read_settings
from tests.command_line import Finished, citebook, process
from tests.conversing import TalkingStore
from tests.records import full_record, run_sql
from tests.servers import S3Server


@pytest.fixture(params=["sqlite", "postgresql"])
def data_dir(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a server whose database is in it, or is PostgreSQL."""
    if request.param == "postgresql":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres_url"))
    return tmp_path / "data"


def run(data_dir: Path, *arguments: str) -> Finished:
    return citebook(*arguments, "--data-dir", data_dir)


def opened(data_dir: Path) -> Database:
    return database_of(read_settings(citebook_data_dir=data_dir))


def write(data_dir: Path, *records: AuditRecord) -> None:
    async def append() -> None:
        async with opened(data_dir) as database:
            for record in records:
                await SqlAuditLog(database).append(record)

    asyncio.run(append())


def change(data_dir: Path, statement: str) -> None:
    async def execute() -> None:
        async with opened(data_dir) as database:
            await run_sql(database, statement)

    asyncio.run(execute())


class TestKeys:
    def test_a_new_key_stands_alone_on_the_last_line_and_works(self, data_dir: Path) -> None:
        made = run(data_dir, "keys", "create", "docs plugin", "--limit", "250")
        assert made.exit_code == 0
        assert "cannot be shown again" in made.err
        (secret,) = made.out.splitlines()

        async def find() -> int | None:
            async with opened(data_dir) as database:
                key = await keys_of(database).find(secret)
                return key.limit_per_minute if key else None

        assert asyncio.run(find()) == 250

    def test_keys_are_listed_without_their_secrets(self, data_dir: Path) -> None:
        assert "There are no keys" in run(data_dir, "keys", "list").out
        secret = run(data_dir, "keys", "create", "[red]plugin[/red]").out.strip()
        run(data_dir, "keys", "create", "old", "--limit", "7")
        run(data_dir, "keys", "revoke", "old")
        listed = run(data_dir, "keys", "list")
        assert "[red]plugin[/red]" in listed.out
        assert "as usual" in listed.out
        assert secret not in listed.out

    def test_a_revoked_key_does_not_work(self, data_dir: Path) -> None:
        secret = run(data_dir, "keys", "create", "plugin").out.strip()
        assert run(data_dir, "keys", "revoke", "plugin").out == "The key plugin was revoked.\n"

        async def is_found() -> bool:
            async with opened(data_dir) as database:
                return await keys_of(database).find(secret) is not None

        assert not asyncio.run(is_found())
        again = run(data_dir, "keys", "revoke", "plugin")
        assert (again.exit_code, again.err) == (1, "There is no key named plugin that could be revoked.\n")

    def test_a_name_that_is_taken(self, data_dir: Path) -> None:
        run(data_dir, "keys", "create", "plugin")
        twice = run(data_dir, "keys", "create", "plugin")
        assert (twice.exit_code, twice.out) == (2, "")
        assert "There is a key named plugin already" in twice.err

    @pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\x1b[31m"])
    def test_a_name_that_cannot_be_used(self, tmp_path: Path, name: str) -> None:
        refused = run(tmp_path, "keys", "create", name)
        assert refused.exit_code == 2
        assert "1 to 100 printable characters" in refused.err


class TestVerify:
    def test_a_whole_chain(self, data_dir: Path) -> None:
        write(data_dir, full_record(1), full_record(2))
        verified = run(data_dir, "audit", "verify")
        assert verified.exit_code == 0
        assert verified.out.startswith("The chain is whole: 2 records. The last hash is ")

    def test_one_changed_byte(self, data_dir: Path) -> None:
        write(data_dir, full_record(1), full_record(2))
        change(data_dir, "UPDATE audit_logs SET answer_text = 'the' || substr(answer_text, 4) WHERE sequence = 2")
        broken = run(data_dir, "audit", "verify")
        assert (broken.exit_code, broken.out) == (1, "")
        assert broken.err == "The chain is broken at record 2: a text of the record was changed: answer_text.\n"


class TestShowAndExport:
    def test_the_newest_records_in_a_table(self, data_dir: Path) -> None:
        assert "There are no records since" in run(data_dir, "audit", "show").out
        now = datetime.now(UTC)
        old = full_record(user_query_text="Asked long ago", timestamp=now - timedelta(days=91))
        write(data_dir, old, *(full_record(user_query_text=f"[b]Asked {n}[/b]", timestamp=now) for n in range(3)))
        shown = run(data_dir, "audit", "show", "--limit", "2").out
        assert "[b]Asked 1[/b]" in shown
        assert "[b]Asked 2[/b]" in shown
        assert "Asked 0" not in shown
        assert "long ago" not in run(data_dir, "audit", "show").out
        assert "long ago" in run(data_dir, "audit", "show", "--since", "2000-01-01").out
        assert len(run(data_dir, "audit", "show", "--json").out.split("\n}\n")) == 4

    def test_all_that_is_known_of_one_question(self, data_dir: Path) -> None:
        record = full_record()
        write(data_dir, full_record(), record)
        for an_id in (record.query_id, record.answer_id, record.log_id):
            shown = run(data_dir, "audit", "show", str(an_id)).json
            assert shown["sequence"] == 2
            assert shown["record"]["user_query_text"] == record.user_query_text
        missing = run(data_dir, "audit", "show", str(uuid4()))
        assert (missing.exit_code, missing.err) == (1, "There is no such record.\n")

    def test_export_gives_one_line_a_record(self, data_dir: Path, tmp_path: Path) -> None:
        records = [full_record(number) for number in range(3)]
        write(data_dir, *records)
        lines = run(data_dir, "audit", "export").out.splitlines()
        assert [AuditRecord.model_validate(json.loads(line)["record"]) for line in lines] == records
        out = tmp_path / "export.jsonl"
        said = run(data_dir, "audit", "export", "--out", str(out), "--since", "2026-03-14")
        assert said.err == f"3 records were written to {out}.\n"
        assert out.read_text(encoding="utf-8").splitlines() == lines
        assert run(data_dir, "audit", "export", "--since", "2026-03-15").out == ""


class TestEraseAndArchive:
    def test_erased_texts_are_gone_and_the_chain_is_whole(self, data_dir: Path) -> None:
        record = full_record(user_query_text="Something personal")
        write(data_dir, record, full_record())
        assert run(data_dir, "audit", "erase", str(record.query_id)).exit_code == 0
        assert "personal" not in run(data_dir, "audit", "export").out
        assert run(data_dir, "audit", "verify").exit_code == 0
        assert run(data_dir, "audit", "erase", str(uuid4())).exit_code == 1

    def test_nothing_is_erased_while_it_may_still_be_written(self, data_dir: Path) -> None:
        record = full_record()

        async def wait_in_outbox() -> None:
            outbox = Outbox(data_dir / "outbox")
            await outbox.put(Entry(record=record))
            await outbox.aclose()

        write(data_dir, full_record())
        asyncio.run(wait_in_outbox())
        refused = run(data_dir, "audit", "erase", str(record.query_id))
        assert refused.exit_code == 7
        assert "1 entries wait" in refused.err

    def test_old_months_move_to_the_archive_and_can_still_be_verified_and_erased(self, data_dir: Path) -> None:
        now = datetime.now(UTC)
        old = full_record(user_query_text="Something personal", timestamp=now - timedelta(days=400))
        write(data_dir, old, full_record(timestamp=now))
        archived = run(data_dir, "audit", "archive")
        assert f"1 records of {old.timestamp:%Y-%m}" in archived.out
        assert len(run(data_dir, "audit", "export").out.splitlines()) == 1
        assert run(data_dir, "audit", "verify").exit_code == 0
        assert "There is no month" in run(data_dir, "audit", "archive").out
        assert run(data_dir, "audit", "erase", str(old.query_id)).exit_code == 0
        assert run(data_dir, "audit", "verify").exit_code == 0
        (archive,) = (data_dir / "audit-archive").glob("*.gz")
        archive.write_bytes(archive.read_bytes()[:-1])
        assert "was changed" in run(data_dir, "audit", "verify").err

    def test_a_day_may_be_given(self, data_dir: Path) -> None:
        write(data_dir, full_record())
        assert "There is no month" in run(data_dir, "audit", "archive", "--before", "2026-03-31").out
        assert "records of 2026-03" in run(data_dir, "audit", "archive", "--before", "2026-04-01").out

    @pytest.mark.network
    def test_the_archive_may_be_in_s3(self, tmp_path: Path, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AUDIT_ARCHIVE", f"s3://{s3.bucket}/{uuid4()}")
        write(tmp_path, full_record(), full_record(timestamp=datetime.now(UTC)))
        assert "1 records of 2026-03" in run(tmp_path, "audit", "archive", "--before", "2026-04-01").out
        assert run(tmp_path, "audit", "verify").exit_code == 0
        assert not (tmp_path / "audit-archive").exists()


class TestPurge:
    def test_idle_conversations_are_deleted(self, data_dir: Path) -> None:
        async def start(days_ago: int) -> None:
            async with opened(data_dir) as database:
                await TalkingStore(database, lambda: datetime.now(UTC) - timedelta(days=days_ago)).start(None)

        for days_ago in (0, 29, 31, 400):
            asyncio.run(start(days_ago))
        first, second = run(data_dir, "purge").out, run(data_dir, "purge").out
        assert first.splitlines()[0] == "2 conversations were deleted that were idle for 30 days."
        assert second.startswith("0 conversations")


class TestFeedback:
    @staticmethod
    def give(data_dir: Path, rating: Rating, note: str | None, days_ago: int) -> None:
        async def add() -> None:
            moment = datetime.now(UTC) - timedelta(days=days_ago)
            opinion = Feedback(answer_id=uuid4(), rating=rating, note=note, client_id="anon:1", created_at=moment)
            async with opened(data_dir) as database:
                await SqlFeedbackStore(database).add(opinion)

        asyncio.run(add())

    def test_it_is_listed_and_counted(self, data_dir: Path) -> None:
        self.give(data_dir, "down", "Not what\x1b[31m I meant.", 1)
        self.give(data_dir, "up", None, 0)
        listed = run(data_dir, "feedback").out
        assert listed.endswith("1 up, 1 down\n")
        assert "\x1b" not in listed
        found = run(data_dir, "feedback", "--json", "--limit", "1").json
        assert found["counts"] == {"up": 1, "down": 1}
        assert [opinion["rating"] for opinion in found["feedback"]] == ["up"]
        assert "client_id" not in found["feedback"][0]

    def test_nothing_is_listed_where_there_is_nothing(self, data_dir: Path) -> None:
        assert run(data_dir, "feedback").out == "0 up, 0 down\n"

    def test_old_feedback_is_purged(self, data_dir: Path) -> None:
        for days_ago in (0, 364, 366):
            self.give(data_dir, "up", None, days_ago)
        assert "1 opinions of answers were deleted" in run(data_dir, "purge").out
        assert run(data_dir, "feedback").out.endswith("2 up, 0 down\n")


class TestGrades:
    def test_an_answer_is_shown_graded_and_counted(self, data_dir: Path) -> None:
        record = full_record()
        write(data_dir, record)
        answer_id = str(record.answer_id)
        assert answer_id in run(data_dir, "grade").out
        assert "The zero moment point is …" in run(data_dir, "grade", answer_id).out
        graded = run(data_dir, "grade", answer_id, "hallucination", "--note", "Not so.", "--grader", "anna")
        assert graded.out.startswith("HALLUCINATION: What is the zero moment point")
        report = run(data_dir, "grade").out
        assert report.startswith(
            "0 PASS, 0 FAIL, 1 HALLUCINATION\nhigh: 1 graded, 0% passed (the seed's figure: 99%)"
        )
        assert answer_id not in report
        found = run(data_dir, "grade", "--json").json
        assert [(one["verdict"], one["note"], one["grader"]) for one in found["grades"]] == [
            ("HALLUCINATION", "Not so.", "anna")
        ]
        assert found["ungraded"] == []

    def test_what_was_not_kept_cannot_be_graded(self, data_dir: Path) -> None:
        write(data_dir, figures := full_record(answer_text=None))
        for answer_id in (uuid4(), figures.answer_id):
            missing = run(data_dir, "grade", str(answer_id), "PASS")
            assert (missing.exit_code, missing.err) == (1, "There is no such answer of which the text is kept.\n")


class TestSettings:
    @pytest.mark.parametrize("command", [("keys", "list"), ("audit", "verify"), ("purge",), ("feedback",)])
    def test_a_database_that_cannot_be_reached(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
    ) -> None:
        monkeypatch.setenv("DATABASE_URL", f"postgresql://user:hidden@/none?host={tmp_path}")
        failed = run(tmp_path, *command)
        assert failed.exit_code == 7
        assert failed.err.startswith("citebook: The database failed: ")
        assert "hidden" not in failed.err
        assert "Traceback" not in failed.err

    def test_a_url_of_another_database(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DATABASE_URL", "mysql://user:hidden@host/db")
        failed = run(tmp_path, "purge")
        assert (failed.exit_code, failed.out) == (2, "")
        assert failed.err == "citebook: DATABASE_URL must begin with postgresql:// or sqlite:///\n"

    @pytest.mark.parametrize(
        ("variable", "value", "package", "extra"),
        [
            ("DATABASE_URL", "postgresql://host/db", "psycopg", "postgres"),
            ("AUDIT_ARCHIVE", "s3://bucket", "obstore", "s3"),
        ],
    )
    def test_an_extra_that_is_not_installed_is_named(
        self, tmp_path: Path, variable: str, value: str, package: str, extra: str
    ) -> None:
        (tmp_path / f"{package}.py").write_text("raise ModuleNotFoundError('No module')")
        environment = {variable: value, "PYTHONPATH": str(tmp_path)}
        failed = process("audit", "verify", "--data-dir", tmp_path / "data", **environment)
        assert failed.exit_code == 2
        assert f"pip install 'citebook[{extra}]'" in failed.err

    def test_an_archive_that_is_neither_folder_nor_s3(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AUDIT_ARCHIVE", "ftp://host/archive")
        failed = run(tmp_path, "audit", "archive")
        assert failed.exit_code == 2
        assert "AUDIT_ARCHIVE" in failed.err

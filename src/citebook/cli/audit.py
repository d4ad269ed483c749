"""`citebook audit`: reads, checks, moves and erases what is kept of each question."""

import asyncio
import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import indent
from typing import Annotated, TextIO
from uuid import UUID

import typer

from citebook.cli.exit_codes import CHAIN_BROKEN, NOT_FOUND, UNUSABLE_INPUT
from citebook.cli.options import AsJson, DataDir
from citebook.domain.audit import ERASED, AuditRecord, ChainedRecord, ChainFault
from citebook.domain.errors import DatabaseUnavailable, InvalidSettings
from citebook.records.outbox_folder import entries_in
from citebook.records.replay_without_book import replay_without_book
from citebook.records.replayed import CitationCheck, CitedText, PassageState, Replay
from citebook.root.citebook import Citebook
from citebook.root.wiring import outbox_of
from citebook.settings import Settings, read_settings

app = typer.Typer(help="What is kept of each question.", no_args_is_help=True, rich_markup_mode=None)

_CITED_TEXT_CHANGED = 1
_PASSAGE_WORDS = {
    PassageState.SAME: "same text, same rank",
    PassageState.OTHER_RANK: "same text, other rank",
    PassageState.OUTRANKED: "same text, others rank before it",
    PassageState.CHANGED: "its text was changed",
    PassageState.VANISHED: "changed or gone, and not found any more",
    PassageState.NEW: "new for this question",
    PassageState.KEPT: "the book is gone, its text is kept",
}

Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only records of that day (UTC) or later.")
]


@app.command("verify")
def verify(data_dir: DataDir = None) -> None:
    """Check that no record was changed, removed or put elsewhere, archives included."""
    fault, said = asyncio.run(_verify(read_settings(citebook_data_dir=data_dir)))
    if fault is not None:
        typer.echo(f"The chain is broken at record {fault.sequence}: {fault.reason}.", err=True)
        raise typer.Exit(CHAIN_BROKEN)
    typer.echo(said)


async def _verify(settings: Settings) -> tuple[ChainFault | None, str]:
    async with Citebook(settings) as citebook:
        head = await citebook.audit.head()
        fault = await citebook.audit.verify() or await citebook.audit_archive.verify()
    return fault, f"The chain is whole: {head.sequence:,} records. The last hash is {head.record_hash}."


@app.command("show")
def show(
    record_id: Annotated[UUID | None, typer.Argument(help="Id of a question, an answer or a record.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many records, the newest.")] = 20,
    since: Since = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show the newest records, or all that is known of one question."""
    settings = read_settings(citebook_data_dir=data_dir)
    if record_id is not None:
        _print_records(asyncio.run(_find(settings, record_id)))
        return
    start = _utc(since) or datetime.now(UTC) - timedelta(days=settings.audit_hot_days)
    newest = asyncio.run(_newest(settings, start, limit))
    if as_json:
        _print_records(newest)
    elif newest:
        _print_table(newest)
    else:
        typer.echo(f"There are no records since {start:%Y-%m-%d}.")


async def _find(settings: Settings, record_id: UUID) -> tuple[ChainedRecord, ...]:
    async with Citebook(settings) as citebook:
        return await citebook.audit.find(record_id)


async def _newest(settings: Settings, since: datetime, limit: int) -> tuple[ChainedRecord, ...]:
    newest: deque[ChainedRecord] = deque(maxlen=limit)
    async with Citebook(settings) as citebook:
        async for record in citebook.audit.records(since):
            newest.append(record)
    return tuple(newest)


def _print_records(records: tuple[ChainedRecord, ...]) -> None:
    if not records:
        typer.echo("There is no such record.", err=True)
        raise typer.Exit(NOT_FOUND)
    for record in records:
        typer.echo(record.model_dump_json(indent=2))


def _print_table(records: tuple[ChainedRecord, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("no.", "time (UTC)", "question", "contract", "client", "outcome", "confidence")
    for chained in records:
        record = chained.record
        question = "erased" if chained.erased else record.user_query_text or str(record.query_id)
        confidence = "" if record.confidence_score is None else f"{record.confidence_score:.2f}"
        when = f"{record.timestamp:%Y-%m-%d %H:%M:%S}"
        cells = (str(chained.sequence), when, question, record.contract, record.client_id, record.outcome, confidence)
        table.add_row(*map(Text, cells))
    Console(width=None if sys.stdout.isatty() else 170).print(table)


@app.command("export")
def export(
    out: Annotated[Path | None, typer.Option("--out", help="File to write; standard output where not given.")] = None,
    since: Since = None,
    data_dir: DataDir = None,
) -> None:
    """Write all records in the order of the chain, one JSON object a line."""
    settings = read_settings(citebook_data_dir=data_dir)
    if out is None:
        asyncio.run(_export(settings, _utc(since), sys.stdout))
        return
    with out.open("w", encoding="utf-8") as file:
        count = asyncio.run(_export(settings, _utc(since), file))
    typer.echo(f"{count:,} records were written to {out}.", err=True)


async def _export(settings: Settings, since: datetime | None, file: TextIO) -> int:
    count = 0
    async with Citebook(settings) as citebook:
        async for record in citebook.audit.records(since):
            file.write(record.model_dump_json() + "\n")
            count += 1
    return count


@app.command("archive")
def archive(
    before: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Months that ended before that day (default: AUDIT_WARM_DAYS ago)."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Move old months out of the database into compressed archives (AUDIT_ARCHIVE)."""
    settings = read_settings(citebook_data_dir=data_dir)
    limit = _utc(before) or datetime.now(UTC) - timedelta(days=settings.audit_warm_days)
    lines = asyncio.run(_archive(settings, limit))
    typer.echo("\n".join(lines) or f"There is no month that ended before {limit:%Y-%m-%d}.")


async def _archive(settings: Settings, before: datetime) -> list[str]:
    async with Citebook(settings) as citebook:
        made = await citebook.audit_archive.archive(before)
    return [f"{manifest.archive}: {manifest.records:,} records of {manifest.month}" for manifest in made]


@app.command("erase")
def erase(
    query_id: Annotated[UUID, typer.Argument(help="Id of the question.")],
    data_dir: DataDir = None,
) -> None:
    """Remove the texts of one question for good, archives included. The chain stays whole."""
    if not asyncio.run(_erase(read_settings(citebook_data_dir=data_dir), query_id)):
        typer.echo("There is no text of such a question.", err=True)
        raise typer.Exit(NOT_FOUND)
    typer.echo("The texts of this question were erased.")


async def _erase(settings: Settings, query_id: UUID) -> bool:
    """Not while something waits in the outbox: it may be of this question, and would come after the erasure."""
    if waiting := entries_in(outbox_of(settings)):
        raise DatabaseUnavailable(
            f"{waiting} entries wait in {outbox_of(settings)} to be written by the server. Run this again after that."
        )
    async with Citebook(settings) as citebook:
        in_log = await citebook.audit.erase(query_id)
        return await citebook.audit_archive.erase(query_id) or in_log


def _utc(day: datetime | None) -> datetime | None:
    return day.replace(tzinfo=UTC) if day is not None else None


@app.command("replay")
def replay(
    answer_id: Annotated[UUID, typer.Argument(help="Id of the answer, of its question or of its record.")],
    book: Annotated[
        str | None,
        typer.Option(help="Book to search instead of the one that was asked (an id of BOOKS, or default)."),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Search again for what an answer rested on, and say what differs. Exit code 1 where cited text changed."""
    settings = read_settings(citebook_data_dir=data_dir)
    answered = [found for found in asyncio.run(_find(settings, answer_id)) if found.record.outcome != ERASED]
    if not answered:
        typer.echo("There is no such record.", err=True)
        raise typer.Exit(NOT_FOUND)
    if (why := _why_not_replayed(answered[0])) is not None:
        typer.echo(why, err=True)
        raise typer.Exit(UNUSABLE_INPUT)
    record = answered[0].record
    result = asyncio.run(_replay(settings, record, book))
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        _print_replay(result)
    if result.cited_text_changed:
        raise typer.Exit(_CITED_TEXT_CHANGED)


async def _replay(settings: Settings, record: AuditRecord, book: str | None) -> Replay:
    async with Citebook(settings) as citebook:
        asked = book or record.book
        if asked in citebook.book_ids:
            return await citebook.replayer(asked).replay(record)
        kept = await replay_without_book(record, citebook.chunks) if book is None else None
        if kept is None:
            known = ", ".join(citebook.book_ids)
            raise InvalidSettings(f"There is no book {asked} here. Name one with --book: {known}")
        return kept


def _why_not_replayed(found: ChainedRecord) -> str | None:
    record = found.record
    if found.erased:
        return "The texts of this question were erased."
    if not record.user_query_text:
        return f"Only figures are kept of questions to the {record.contract} contract, not their texts."
    if record.source_mode == "context-restricted":
        return "This answer rests on a passage that the reader selected: nothing was searched for it."
    return None


def _print_replay(result: Replay) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    record = result.record
    typer.echo(f"Question: {record.user_query_text}")
    typer.echo(f"Edition then: {record.edition}, now: {result.edition_now}")
    table = Table("passage", "then", "now", "what became of it")
    for check in result.passages:
        place = f"{check.source_file} # {check.section}"
        then, now = _placed(check.rank_then, check.score_then), _placed(check.rank_now, check.score_now)
        table.add_row(*map(Text, (place, then, now, _PASSAGE_WORDS[check.state])))
    Console(width=None if sys.stdout.isatty() else 170).print(table)
    for check in result.passages:
        if check.text_then is not None:
            typer.echo(f"{check.source_file} # {check.section} said then:\n{indent(check.text_then, '    ')}")
    for cited in result.citations:
        _print_citation(cited)
    typer.echo(result.reason)


def _placed(rank: int | None, score: float | None) -> str:
    if rank is None:
        return "-"
    return f"{rank}." if score is None else f"{rank}. ({score:.3f})"


def _print_citation(check: CitationCheck) -> None:
    citation = check.citation
    place = f"{citation.source_file} # {citation.section}"
    typer.echo(f"[{citation.position}] {place}, characters {citation.start} to {citation.end}: {check.state}")
    if check.state in (CitedText.SAME, CitedText.KEPT):
        return
    typer.echo(f"    then: {citation.excerpt}")
    if check.found is not None:
        where = f"{check.found.place.source_file} # {check.found.section}"
        typer.echo(f"    now:  {check.text_now or 'the same words'}" + (f" ({where})" if where != place else ""))

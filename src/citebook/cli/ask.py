"""`citebook ask`: one question, one proven answer."""

import asyncio
import json
import sys
from typing import Annotated

import typer

from citebook.cli.answer_view import answer_as_json, print_answer, print_corrections, print_sentence
from citebook.cli.exit_codes import ANSWER_FAILED
from citebook.cli.options import AsJson, DataDir
from citebook.domain.answer import Answer, Outcome
from citebook.domain.book import Difficulty
from citebook.domain.events import Event, EvidenceFound, SentenceVerified
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters, Question
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    data_dir: DataDir = None,
    as_json: AsJson = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print each sentence once it is proven.")] = False,
    module: Annotated[int | None, typer.Option(min=1, max=10, help="Search this module only.")] = None,
    difficulty: Annotated[Difficulty | None, typer.Option(help="Search pages of this level only.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Search pages with this tag only; repeatable.")] = None,
    selected: Annotated[str | None, typer.Option(help="Text of the book that the question is about.")] = None,
) -> None:
    """Ask the book a question."""
    settings = read_settings(citebook_data_dir=data_dir)
    asked = Question(
        text=question,
        selected_text=selected,
        streamed=stream,
        filters=Filters(module=module, difficulty=difficulty, tags=tuple(tag or ())),
    )
    answer, evidence = asyncio.run(_ask(settings, asked, prints=stream and not as_json))
    if as_json:
        typer.echo(json.dumps(answer_as_json(answer, evidence), ensure_ascii=False, indent=2))
    else:
        print_answer(answer, sentences_were_printed=stream)
    if answer.outcome is Outcome.FAILED:
        raise typer.Exit(ANSWER_FAILED)


async def _ask(settings: Settings, question: Question, *, prints: bool) -> tuple[Answer, QueryResult | None]:
    """The answer and what it rests on; prints sentences as they come where that is wanted."""
    evidence: QueryResult | None = None

    async def tell(event: Event) -> None:
        nonlocal evidence
        match event:
            case EvidenceFound(result=result, corrections=corrections):
                evidence = result
                if prints:
                    print_corrections(corrections)
            case SentenceVerified() if prints:
                print_sentence(event)
                sys.stdout.flush()

    async with Citebook(settings) as citebook:
        asked = question.model_copy(update={"policy": citebook.command_line})
        asked.check()
        book = await citebook.ready_book()
        ended = await book.agent.answer(asked, tell)
    return ended.answer, evidence

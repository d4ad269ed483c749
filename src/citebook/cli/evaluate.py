"""`citebook eval`: measures a book with labelled questions."""

import asyncio
from itertools import repeat
from pathlib import Path

import typer

from citebook.cli import evaluate_claims, evaluate_judge, evaluate_report
from citebook.cli.evaluate_options import (
    Book,
    Compare,
    FailOnFlip,
    HtmlOut,
    JsonOut,
    Limit,
    Name,
    QuestionFiles,
    Where,
)
from citebook.cli.evaluate_progress import count_questions
from citebook.cli.evaluate_run import (
    Outputs,
    check_golds,
    evenly,
    facts_of,
    ingest_book,
    look_up_selections,
    settings_for,
    tell_failures,
)
from citebook.cli.evaluate_tables import print_answers, print_retrieval
from citebook.cli.options import DataDir
from citebook.domain.answer import Outcome
from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.answers_run import AnswerResult, evaluate_answers
from citebook.evals.calibration import GoldText, gold_texts, is_right
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.evals.result_files import AnswersRun, RetrievalRun
from citebook.evals.retrieval_run import evaluate_retrieval
from citebook.ingestion.page_reading import source_reader
from citebook.root.citebook import Citebook
from citebook.settings import Settings

app = typer.Typer(help="Measure a book with labelled questions.", no_args_is_help=True, rich_markup_mode=None)
app.command("report")(evaluate_report.report)
app.command("claims")(evaluate_claims.claims)
app.command("judge")(evaluate_judge.judge)


@app.callback()
def _group() -> None:
    """Measure a book with labelled questions."""


@app.command("retrieval")
def retrieval(
    book: Book,
    questions: QuestionFiles,
    out: JsonOut = None,
    html: HtmlOut = None,
    where: Where = None,
    limit: Limit = None,
    name: Name = None,
    compare: Compare = None,
    fail_on_flip: FailOnFlip = False,
    data_dir: DataDir = None,
) -> None:
    """How well the right passages are found: hybrid, dense alone, words alone."""
    outputs = Outputs.checked(out, html, compare, fail_on_flip)
    outputs.check_kind("retrieval")
    asked = evenly(_with_gold_place(read_questions(questions, where or ())), limit)
    with settings_for(data_dir) as settings:
        run = asyncio.run(_run_retrieval(settings, book, asked, name))
    summary = run.summary()
    print_retrieval(summary)
    outputs.finish(run, summary)


@app.command("answers")
def answers(
    book: Book,
    questions: QuestionFiles,
    out: JsonOut = None,
    html: HtmlOut = None,
    where: Where = None,
    limit: Limit = None,
    name: Name = None,
    compare: Compare = None,
    fail_on_flip: FailOnFlip = False,
    data_dir: DataDir = None,
) -> None:
    """How good answers are: right words, proven citations, refusals, calibration, time and tokens."""
    outputs = Outputs.checked(out, html, compare, fail_on_flip)
    outputs.check_kind("answers")
    asked = evenly(read_questions(questions, where or ()), limit)
    with settings_for(data_dir) as settings:
        run = asyncio.run(_run_answers(settings, book, asked, name))
    summary = run.summary()
    print_answers(summary)
    outputs.finish(run, summary)


def _with_gold_place(questions: list[LabelledQuestion]) -> list[LabelledQuestion]:
    """What can be found. The others are left out, and it is said how many answerable ones that concerns."""
    kept = [question for question in questions if question.answerable and question.has_gold_place]
    unlabelled = sum(question.answerable for question in questions) - len(kept)
    if not kept:
        raise InvalidQuestionSet("No answerable question says where its answer stands: give it a gold_file.")
    if unlabelled:
        typer.echo(f"warning: {unlabelled:,} questions without gold_file are left out", err=True)
    return kept


async def _run_answers(
    settings: Settings, book: Path, questions: list[LabelledQuestion], name: str | None
) -> AnswersRun:
    read_source = source_reader(book)
    async with Citebook(settings) as citebook:
        edition = await ingest_book(citebook, book)
        facts = facts_of(name, book, edition, check_golds(questions, edition))
        questions = look_up_selections(questions, edition, read_source)
        agent = (await citebook.ready_book()).agent
        with count_questions(len(questions)) as report:
            results = await evaluate_answers(questions, agent, citebook.command_line, read_source, report)
    tell_failures([result.error for result in results])
    gold_text = gold_texts(list(edition.files), read_source)
    return AnswersRun(**facts, results=list(map(_judged_by_place, questions, results, repeat(gold_text))))


def _judged_by_place(question: LabelledQuestion, result: AnswerResult, gold_text: GoldText) -> AnswerResult:
    if result.outcome is not Outcome.ANSWERED:
        return result
    return result.model_copy(update={"right": is_right(question, result, gold_text)})


async def _run_retrieval(
    settings: Settings, book: Path, questions: list[LabelledQuestion], name: str | None
) -> RetrievalRun:
    async with Citebook(settings) as citebook:
        edition = await ingest_book(citebook, book)
        facts = facts_of(name, book, edition, check_golds(questions, edition))
        await citebook.load_models()
        with count_questions(len(questions)) as report:
            results = await evaluate_retrieval(questions, citebook.retrieval_methods(), report)
    return RetrievalRun(**facts, results=results)

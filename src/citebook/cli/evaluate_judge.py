"""`citebook eval judge`: has people grade the answers to questions, and says how good they are."""

import asyncio
import getpass
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from citebook.cli.evaluate_options import Book, Compare, HtmlOut, JsonOut, Limit, Name, QuestionFiles, Where
from citebook.cli.evaluate_progress import count_questions
from citebook.cli.evaluate_run import (
    Outputs,
    check_golds,
    check_target,
    evenly,
    facts_of,
    ingest_book,
    look_up_selections,
    settings_for,
    tell_failures,
)
from citebook.cli.evaluate_tables import print_graded
from citebook.cli.options import DataDir
from citebook.domain.errors import InvalidQuestionSet, InvalidSettings
from citebook.evals.grades import Grades
from citebook.evals.judging_run import JudgedAnswer, hear_answers, id_of, is_asked_as, relabelled, with_grades
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.evals.result_files import JudgedRun, read_run, write_run
from citebook.ingestion.page_reading import source_reader
from citebook.root.citebook import Citebook
from citebook.settings import Settings


def judge(
    book: Book,
    questions: QuestionFiles,
    grades: Annotated[
        Path | None, typer.Option(help="Grades, one JSON object a line; made where there is none.")
    ] = None,
    grade: Annotated[bool, typer.Option("--grade", help="Ask for the grades that are missing, here.")] = False,
    blind: Annotated[bool, typer.Option("--blind", help="Hide the confidence from the grader.")] = False,
    grader: Annotated[str | None, typer.Option(help="Who grades (default: the name of this user).")] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Take the answers that this file of --json has; ask only for the others.")
    ] = None,
    out: JsonOut = None,
    html: HtmlOut = None,
    where: Where = None,
    limit: Limit = None,
    name: Name = None,
    compare: Compare = None,
    data_dir: DataDir = None,
) -> None:
    """How good answers are, as people grade them: by kind of question and by confidence."""
    outputs = Outputs.checked(out, html, compare, fail_on_flip=False)
    outputs.check_kind("judge")
    _check_grading(grades, grade=grade)
    given = Grades.read(grades) if grades else None
    asked = evenly(read_questions(questions, where or ()), limit)
    kept = _kept_run(answers) if answers else None
    if kept and out and answers and out.resolve() == answers.resolve():
        _check_that_none_is_lost(kept, asked, out)
    with settings_for(data_dir) as settings:
        run = asyncio.run(_run(settings, book, asked, name, kept))
    if given is not None:
        run, outputs = _graded(run, given), _with_old_graded(outputs, given)
    if given is not None and grade:
        if out is not None:  # grading takes long and may be stopped: the answers are kept before it
            write_run(out, run, run.summary())
        _grade(_side_by_side(run, outputs.old), given, grader, blind=blind)
        run, outputs = _graded(run, given), _with_old_graded(outputs, given)
    _tell(run, outputs)


def _check_grading(grades: Path | None, *, grade: bool) -> None:
    check_target("--grades", grades)
    if grade and grades is None:
        raise InvalidSettings("--grade needs --grades FILE, where the grades are kept")
    if grade and not _is_terminal():
        raise InvalidSettings("--grade needs a terminal: grades are given with single keys")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _kept_run(answers: Path) -> JudgedRun:
    kept = read_run(answers)
    if not isinstance(kept, JudgedRun):
        raise InvalidQuestionSet(f"--answers {answers}: these are results of {kept.measured}, not of judge")
    return kept


def _check_that_none_is_lost(kept: JudgedRun, asked: Sequence[LabelledQuestion], out: Path) -> None:
    """A language model would not give the same answer again."""
    lost = {answer.id for answer in kept.results} - set(map(id_of, asked))
    if lost:
        raise InvalidSettings(f"--json {out}: answers would be lost that are not asked for now: {len(lost):,}")


async def _run(
    settings: Settings, book: Path, questions: list[LabelledQuestion], name: str | None, kept: JudgedRun | None
) -> JudgedRun:
    """The answers to all questions, in their order; the book is read only where one of them must be asked."""
    answers = _kept_answers(questions, kept)
    if kept is not None and all(_key(question) in answers for question in questions):
        results = [answers[_key(question)] for question in questions]
        return kept.model_copy(update={"name": name or kept.name, "results": results})
    async with Citebook(settings) as citebook:
        edition = await ingest_book(citebook, book)
        facts = facts_of(name, book, edition, check_golds(questions, edition))
        questions = look_up_selections(questions, edition, source_reader(book))
        missing = [question for question in questions if _key(question) not in answers]
        agent = (await citebook.ready_book()).agent
        with count_questions(len(missing)) as report:
            heard = await hear_answers(missing, agent, citebook.command_line, report)
    tell_failures([answer.error for answer in heard])
    answers |= {(answer.id, answer.question): answer for answer in heard}
    return JudgedRun(**facts, results=[answers[_key(question)] for question in questions])


def _key(question: LabelledQuestion) -> tuple[str, str]:
    return id_of(question), question.question


def _kept_answers(
    questions: Sequence[LabelledQuestion], kept: JudgedRun | None
) -> dict[tuple[str, str], JudgedAnswer]:
    known = {(answer.id, answer.question): answer for answer in kept.results} if kept else {}
    return {
        key: relabelled(answer, question)
        for question in questions
        if (answer := known.get(key := _key(question))) is not None and is_asked_as(question, answer)
    }


def _side_by_side(run: JudgedRun, old: object) -> list[JudgedAnswer]:
    """With something to compare, both answers to a question, in an order that does not tell which is the new one."""
    if not isinstance(old, JudgedRun):
        return run.results
    order = {answer.id: position for position, answer in enumerate(run.results)}
    earlier = [answer for answer in old.results if answer.id in order]
    both = {(answer.id, answer.answer_hash): answer for answer in [*earlier, *run.results]}
    return sorted(both.values(), key=lambda answer: (order[answer.id], answer.answer_hash))


def _grade(answers: Sequence[JudgedAnswer], given: Grades, grader: str | None, *, blind: bool) -> None:
    from rich.console import Console

    from citebook.cli.grading_desk import GradingDesk, Terminal

    terminal = Terminal(Console(highlight=False), typer.getchar, input)
    GradingDesk(terminal, given, grader=grader or getpass.getuser(), blind=blind).grade(answers)


def _graded(run: JudgedRun, given: Grades) -> JudgedRun:
    """By this file alone: answers that were kept may have the grades of somebody else."""
    return run.model_copy(update={"results": with_grades(run.results, given)})


def _with_old_graded(outputs: Outputs, given: Grades) -> Outputs:
    """By this file first, because an answer that did not change should not be held against another opinion of it."""
    if not isinstance(outputs.old, JudgedRun):
        return outputs
    results = with_grades(outputs.old.results, given, keeping_own=True)
    return replace(outputs, old=outputs.old.model_copy(update={"results": results}))


def _tell(run: JudgedRun, outputs: Outputs) -> None:
    summary = run.summary()
    print_graded(summary)
    if missing := summary["questions"] - summary["graded"]:
        typer.echo(f"{missing:,} of {summary['questions']:,} answers have no grade; --grade asks for them.")
    outputs.finish(run, summary)

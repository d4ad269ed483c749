"""`citebook demo`: the sample book, ready to be asked."""

import asyncio
import sys
from pathlib import Path

import typer

from citebook.agents.orchestrator import RAGChatAgent
from citebook.cli.answer_view import print_answer
from citebook.cli.ask import hear_out
from citebook.cli.ingest import print_result
from citebook.cli.ingest_progress import show_progress
from citebook.cli.options import DataDir
from citebook.domain.conversation import Exchange
from citebook.domain.errors import BookNotFound
from citebook.domain.question import Question
from citebook.settings import Settings, read_settings
from citebook.wiring import chat_of, ingest_of, policy_of

_BOOK = Path("examples/physical-ai/docs")
_SAMPLE_QUESTIONS = (
    "What is inverse kinematics?",
    "What is the reality gap?",
    "How do I file my income tax?",
)


def demo(data_dir: DataDir = None) -> None:
    """Ingest the sample book and ask it questions."""
    settings = read_settings(citebook_data_dir=data_dir or Path(".citebook/demo"))
    typer.echo("Reading the sample book, Physical AI & Humanoid Robotics …")
    with show_progress(quiet=False) as progress:
        print_result(asyncio.run(ingest_of(settings).run(sample_book(), progress=progress)))
    asyncio.run(_converse(settings) if sys.stdin.isatty() else _show(settings))


def sample_book() -> Path:
    """The sample book of this checkout."""
    for root in (Path.cwd(), *Path(__file__).resolve().parents):
        if (root / _BOOK).is_dir():
            return root / _BOOK
    raise BookNotFound("The sample book is not here. Run the demo in a checkout of Citebook: make demo")


async def _show(settings: Settings) -> None:
    agent = await chat_of(settings)
    for text in _SAMPLE_QUESTIONS:
        typer.echo(f"\n> {text}")
        answer, _ = await hear_out(agent, Question(text=text, policy=policy_of(settings)))
        print_answer(answer)


async def _converse(settings: Settings) -> None:
    agent = await chat_of(settings)
    typer.echo("Ask about robots. An empty line ends the demo. For example:")
    for text in _SAMPLE_QUESTIONS:
        typer.echo(f"  {text}")
    history: list[Exchange] = []
    while text := (await asyncio.to_thread(_read_line)).strip():
        await _reply(agent, Question(text=text, history=tuple(history), policy=policy_of(settings)), history)


async def _reply(agent: RAGChatAgent, question: Question, history: list[Exchange]) -> None:
    answer, _ = await hear_out(agent, question)
    print_answer(answer)
    history.append(Exchange(question=question.text, answer=answer.text))


def _read_line() -> str:
    try:
        return input("\n> ")
    except EOFError:
        return ""

"""`citebook demo`: the sample book, ready to be read and asked."""

import asyncio
import os
import signal
import sys
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from socket import SO_REUSEADDR, SOL_SOCKET, socket
from typing import Annotated, Any

import typer

from citebook.cli.answer_view import print_answer
from citebook.cli.ingest import print_result, run_ingest
from citebook.cli.ingest_progress import show_progress
from citebook.cli.local_llm import Llm, language_model_for
from citebook.cli.options import DataDir
from citebook.cli.serve import run_server
from citebook.domain.conversation import Exchange
from citebook.domain.errors import BookNotFound, InvalidSettings
from citebook.domain.question import Question
from citebook.root.citebook import Citebook
from citebook.root.model_choice import check_language_model
from citebook.settings import Settings, read_settings
from citebook.telemetry import set_up_logging

_PACKAGE = Path(__file__).parents[1]
_PLACES_OF_THE_BOOK = (_PACKAGE / "sample_book", _PACKAGE.parents[1] / "examples/physical-ai/docs")
"""In an install the book lies in the package, in a checkout beside it."""
_TITLE = "Physical AI & Humanoid Robotics"
_HOST, _PORT = "127.0.0.1", 8000
_SAMPLE_QUESTIONS = (
    "What is inverse kinematics?",
    "What is the reality gap?",
    "How do I file my income tax?",
)


def demo(
    data_dir: DataDir = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Port of the page (default: 8000, or any that is free).")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    ask: Annotated[bool, typer.Option("--ask", help="Ask in this terminal; without one, three questions.")] = False,
    llm: Llm = None,
) -> None:
    """Ingest the sample book and open a page where it can be read and asked."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever stops the demo stops it as Ctrl-C does
    settings = demo_settings(data_dir)
    check_language_model(settings)
    typer.echo(f"Reading the sample book, {_TITLE} …")
    with show_progress(quiet=False) as progress:
        print_result(asyncio.run(run_ingest(settings, sample_book(), progress)))
    with language_model_for(llm, settings) as settings:
        if ask:
            asyncio.run(_converse(settings) if sys.stdin.isatty() else _show(settings))
        else:
            _serve(settings, port, opens_browser=not no_open and _can_open_browser())


def demo_settings(data_dir: Path | None = None, **more: Any) -> Settings:
    """Those of any server, limits included, with a folder of its own beside the reader's books."""
    settings = read_settings(citebook_data_dir=data_dir, book_title=_TITLE, **more)
    return (
        settings
        if data_dir
        else settings.model_copy(update={"citebook_data_dir": settings.citebook_data_dir / "demo"})
    )


def sample_book() -> Path:
    for place in _PLACES_OF_THE_BOOK:
        if place.is_dir():
            return place
    raise BookNotFound("The sample book is missing from this install. Install Citebook again.")


# --- the page


def _serve(settings: Settings, port: int | None, *, opens_browser: bool) -> None:
    set_up_logging("warning", "text")

    def tell(address: str) -> None:
        typer.echo(f"\nThe book is open at {address}\nAsk it, read it, click a citation. Ctrl-C ends the demo.")
        if opens_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with _listening(port) as listening:
        own = settings.model_copy(update={"api_host": _HOST, "api_port": listening.getsockname()[1]})
        with suppress(KeyboardInterrupt):  # not raised where the demo runs in the background, deaf to Ctrl-C
            asyncio.run(run_server(own, tell, listening))
        typer.echo("\nThe demo has ended.")


def _listening(port: int | None) -> socket:
    """A socket on the wanted port; where none is wanted, on the usual one, or on any that is free."""
    for wanted in (_PORT, 0) if port is None else (port,):
        listening = socket()
        listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, wanted))
        except OSError:
            listening.close()
        else:
            return listening
    raise InvalidSettings(f"Cannot listen on {_HOST}:{port}. Is another program there? Try --port.")


def _can_open_browser() -> bool:
    has_display = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return has_display and sys.stdout.isatty()


# --- the terminal


async def _show(settings: Settings) -> None:
    async with Citebook(settings) as citebook:
        agent = (await citebook.ready_book()).agent
        for text in _SAMPLE_QUESTIONS:
            typer.echo(f"\n> {text}")
            print_answer((await agent.answer(Question(text=text, policy=citebook.command_line))).answer)


async def _converse(settings: Settings) -> None:
    typer.echo("Ask about robots. An empty line ends the demo. For example:")
    for text in _SAMPLE_QUESTIONS:
        typer.echo(f"  {text}")
    history: list[Exchange] = []
    async with Citebook(settings) as citebook:
        agent = (await citebook.ready_book()).agent
        while text := (await asyncio.to_thread(_read_line)).strip():
            question = Question(text=text, history=tuple(history), policy=citebook.command_line)
            answer = (await agent.answer(question)).answer
            print_answer(answer)
            history.append(Exchange(question=text, answer=answer.text))


def _read_line() -> str:
    try:
        return input("\n> ")
    except EOFError:
        return ""

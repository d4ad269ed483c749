"""All commands under one name, and the one place where an error becomes a message and an exit code."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from citebook.cli import ask, audit, calibrate, demo, doctor, evaluate, feedback, grade, ingest, keys, purge, serve
from citebook.cli.exit_codes import CANNOT_WRITE, exit_code_of
from citebook.domain.errors import CitebookError, MissingVariable

app = typer.Typer(
    name="citebook",
    help="Ask a book questions and get answers that it proves.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("ingest")(ingest.ingest)
app.command("ask")(ask.ask)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("calibrate")(calibrate.calibrate)
app.command("serve")(serve.serve)
app.command("purge")(purge.purge)
app.command("feedback")(feedback.feedback)
app.command("grade")(grade.grade)
app.add_typer(evaluate.app, name="eval")
app.add_typer(keys.app, name="keys")
app.add_typer(audit.app, name="audit")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"citebook {version('citebook')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask a book questions and get answers that it proves."""


def main() -> None:
    run(app)


def run(application: typer.Typer) -> None:
    try:
        application()
    except MissingVariable as error:
        typer.echo(str(error), err=True)
        sys.exit(exit_code_of(error))
    except CitebookError as error:
        typer.echo(f"citebook: {error}", err=True)
        sys.exit(exit_code_of(error))
    except OSError as error:
        typer.echo(f"citebook: {error.strerror or error}", err=True)
        sys.stdout = None  # what could not be written cannot be flushed at exit either
        sys.exit(CANNOT_WRITE)
    except KeyboardInterrupt:
        typer.echo("citebook: stopped", err=True)
        sys.exit(130)

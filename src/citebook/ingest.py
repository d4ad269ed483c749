"""`python -m citebook.ingest PATH` is `citebook ingest PATH`."""

import typer

from citebook.cli.app import run
from citebook.cli.ingest import ingest

if __name__ == "__main__":
    application = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    application.command()(ingest)
    run(application)

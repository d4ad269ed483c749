"""Options that measurements of a book share."""

from pathlib import Path
from typing import Annotated

import typer

Book = Annotated[Path, typer.Argument(help="Folder of the book.")]
QuestionFiles = Annotated[list[Path], typer.Argument(help="Labelled questions, one JSON object a line.")]
JsonOut = Annotated[Path | None, typer.Option("--json", help="Write figures and every result there.")]
HtmlOut = Annotated[Path | None, typer.Option("--html", help="Write a page with tables and plots there.")]
Where = Annotated[
    list[str] | None,
    typer.Option(help="Only questions with FIELD=VALUE or FIELD=ONE,OTHER, such as split=test; repeatable."),
]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many questions, evenly taken.")]
Name = Annotated[
    str | None, typer.Option(help="What the results are called in reports (default: the book's folder).")
]
Compare = Annotated[Path | None, typer.Option(help="Say what changed since these results of --json.")]
FailOnFlip = Annotated[
    bool, typer.Option("--fail-on-flip", help="Exit code 8 if any question that was right is wrong now.")
]

"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help="Folder of the embedded index and database (CITEBOOK_DATA_DIR; default .citebook)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

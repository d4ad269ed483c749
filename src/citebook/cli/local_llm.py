"""A language model on this machine for as long as a command runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from citebook.settings import Settings

_PATIENCE = 300.0
"""Seconds for an answer: a model on a few cores reads a page in several of them."""


class LanguageModelChoice(StrEnum):
    LOCAL = "local"


Llm = Annotated[
    LanguageModelChoice | None,
    typer.Option("--llm", help="Let a very small language model on this machine write the answers."),
]


@contextmanager
def language_model_for(choice: LanguageModelChoice | None, settings: Settings) -> Iterator[Settings]:
    """The settings under which the chosen model answers; it stops with the block."""
    if choice is None:
        yield settings
        return
    from citebook.adapters.llama_cpp import serve_small_model

    with serve_small_model() as url:
        typer.echo(f"A very small language model answers at {url}. It shows the way; expect many refusals.", err=True)
        yield settings.model_copy(
            update={
                "llm_provider": "llamacpp",
                "llm_model": "SmolLM2-135M-Instruct",
                "llm_base_url": f"{url}/v1",
                "llm_max_output_tokens": 200,
                "llm_excerpt_characters": 3_000,
                "deadline_seconds": _PATIENCE,
                "generation_seconds": _PATIENCE,
                "stream_gap_seconds": _PATIENCE,
                "stream_seconds": _PATIENCE,
            }
        )

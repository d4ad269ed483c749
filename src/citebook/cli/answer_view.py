"""An answer on a terminal, in a pipe, and as JSON."""

import sys
from collections.abc import Sequence
from typing import Any

import typer

from citebook.domain.answer import Answer, Citation, Outcome
from citebook.domain.events import SentenceVerified
from citebook.domain.evidence import QueryResult
from citebook.domain.wording import Correction

_NEAREST = "The nearest parts of the book:"
_OTHERS = "Other parts of the book that come near:"


def print_sentence(event: SentenceVerified) -> None:
    """What the answer goes on with, as soon as it is known."""
    if sys.stdout.isatty():
        from rich.console import Console

        from citebook.cli.block_view import parts_view

        Console(highlight=False).print(parts_view(event.parts))
    else:
        typer.echo(event.text, nl=False)


def print_corrections(corrections: Sequence[Correction]) -> None:
    """What is searched for in place of mistyped words; nothing where there are none."""
    if not corrections:
        return
    searched = ", ".join(dict.fromkeys(correction.searched for correction in corrections))
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text.assemble("Showing results for ", (searched, "italic")))
    else:
        typer.echo(f"Showing results for {searched}\n")


def print_answer(answer: Answer, *, sentences_were_printed: bool = False) -> None:
    if not sentences_were_printed:
        print_corrections(answer.corrections)
    if sys.stdout.isatty():
        _print_rich(answer, sentences_were_printed)
    else:
        _print_plain(answer, sentences_were_printed)


def _print_plain(answer: Answer, sentences_were_printed: bool) -> None:
    typer.echo("" if sentences_were_printed and answer.outcome is Outcome.ANSWERED else answer.text)
    if answer.citations:
        typer.echo()
    for citation in answer.citations:
        typer.echo(f"[{citation.position}] {_where(citation)} - {citation.url}")
        typer.echo(f'    "{_one_line(citation.excerpt)}"')
    if answer.suggestions:
        typer.echo(_nearest(answer))
    for suggestion in answer.suggestions:
        typer.echo(f"- {suggestion.title} - {suggestion.url}")
    if answer.filter_message:
        typer.echo(f"\n{answer.filter_message}")
    if answer.outcome is Outcome.ANSWERED:
        typer.echo(f"\n{_confidence(answer)}, {_took(answer)}")


def _print_rich(answer: Answer, sentences_were_printed: bool) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.panel import Panel
    from rich.text import Text

    from citebook.cli.block_view import parts_view

    console = Console(highlight=False)
    style = {Outcome.ANSWERED: "green", Outcome.REFUSED: "yellow", Outcome.FAILED: "red"}[answer.outcome]
    if not (sentences_were_printed and answer.outcome is Outcome.ANSWERED):
        console.print(Panel(parts_view(answer.parts), border_style=style, padding=(0, 1)))
    for citation in answer.citations:
        line = Text.assemble(
            (f"[{citation.position}] ", "bold cyan"),
            (_where(citation), "bold"),
            (f"  {citation.url}", "blue"),
        )
        console.print(line)
        console.print(Padding(Text(f"“{_one_line(citation.excerpt)}”", style="dim"), (0, 0, 0, 4)))
    if answer.suggestions:
        console.print(_nearest(answer))
    for suggestion in answer.suggestions:
        console.print(Text.assemble("- ", (suggestion.title, "bold"), (f"  {suggestion.url}", "blue")))
    if answer.filter_message:
        console.print(Text(answer.filter_message, style="yellow"))
    if answer.outcome is Outcome.ANSWERED:
        console.print(Text(f"{_confidence(answer)}, {_took(answer)}", style="dim"))


def _nearest(answer: Answer) -> str:
    return f"\n{_OTHERS}" if answer.citations else _NEAREST


def _where(citation: Citation) -> str:
    where = citation.chapter_title
    if citation.section_title != citation.chapter_title:
        where += f" › {citation.section_title}"
    return f"{where} (Page {citation.page})" if citation.page is not None else where


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _confidence(answer: Answer) -> str:
    """In the words that all readers are told, with the figure behind them."""
    words = f"{answer.support.words if answer.support else ''} (confidence {answer.confidence:.0%}"
    return f"{words})" if answer.calibrated else f"{words}, not calibrated)"


def _took(answer: Answer) -> str:
    return f"{answer.timings_ms['RAGChatAgent']:.0f} ms"


def answer_as_json(answer: Answer, evidence: QueryResult | None) -> dict[str, Any]:
    retrieved = evidence.retrieved_chunks if evidence else ()
    return {
        "outcome": answer.outcome.value,
        "answer": answer.text,
        "parts": [part.model_dump(mode="json") for part in answer.parts],
        "confidence": round(answer.confidence, 4),
        "measured_confidence": round(answer.confidence_as_measured, 4),
        "confidence_level": answer.confidence_level,
        "support": answer.support.value if answer.support else None,
        "support_text": answer.support.words if answer.support else None,
        "calibrated": answer.calibrated,
        "low_confidence": answer.low_confidence,
        "citations": [_citation_as_json(citation) for citation in answer.citations],
        "retrieved": [
            {
                "source_file": found.chunk.place.source_file,
                "section": found.chunk.section_title,
                "score": round(found.score, 4),
            }
            for found in retrieved
        ],
        "suggestions": [suggestion.model_dump(exclude={"place"}) for suggestion in answer.suggestions],
        "corrected": answer.corrected,
        "filter_message": answer.filter_message,
        "edition": answer.edition,
        "model": answer.model_used,
        "timings_ms": answer.timings_ms,
    }


def _citation_as_json(citation: Citation) -> dict[str, Any]:
    """`excerpt` is the file's characters from `start` to `end`; `text` is what the reader sees of them."""
    return {
        "position": citation.position,
        "source_file": citation.source_file,
        "section": citation.section_title,
        "url": citation.url,
        "page": citation.page,
        "start": citation.start,
        "end": citation.end,
        "excerpt": citation.source_excerpt,
        "text": citation.excerpt,
    }

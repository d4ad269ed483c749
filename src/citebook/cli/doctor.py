"""`citebook doctor`: what is configured, what works, and what to do about the rest."""

import asyncio
import importlib.metadata
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import typer
from pydantic import SecretStr

from citebook.adapters.calibration_folder import DamagedCalibration
from citebook.cli.options import DataDir
from citebook.confidence.choosing import choose
from citebook.domain.errors import CitebookError
from citebook.root.citebook import Citebook
from citebook.root.wiring import calibrations_of, check_embedder, refusal_threshold
from citebook.settings import Settings, read_settings

_INSTALL_LIMIT_MB = 300
_SECONDS = 5.0
_URL_USER = re.compile(r"//[^/@\s]+@")


@dataclass(frozen=True, slots=True)
class Finding:
    what: str
    is_fine: bool
    detail: str


def doctor(data_dir: DataDir = None) -> None:
    """Check the installation and say what to do about each problem."""
    settings = read_settings(citebook_data_dir=data_dir)
    findings = asyncio.run(_examine(settings))
    wrong = [finding.what for finding in findings if not finding.is_fine]
    typer.echo(f"To be mended: {', '.join(wrong)}." if wrong else "All is well.")
    typer.echo()
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        typer.echo(f"{'ok  ' if finding.is_fine else 'FIX '} {finding.what:<{width}}  {finding.detail}")
    typer.echo("\nSettings")
    _print_settings(settings)
    if wrong:
        raise typer.Exit(1)


def _print_settings(settings: Settings) -> None:
    names = list(type(settings).model_fields)
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name.upper():<{width}}  {_shown(getattr(settings, name))}")


def _shown(value: object) -> str:
    """A setting as it may be shown: no secrets, also none inside a URL."""
    if value is None:
        return "not set"
    if isinstance(value, SecretStr):
        return "********"
    return _URL_USER.sub("//********@", str(value))


async def _examine(settings: Settings) -> list[Finding]:
    async with Citebook(settings) as citebook:
        return [
            _python(),
            _install_size(),
            await _embedder(citebook),
            await _language_model(citebook),
            await _index(settings, citebook),
            await _confidence(settings, citebook),
        ]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), f"{version} ({sys.platform})")


def installed_megabytes() -> float:
    return sum(_files_of("citebook").values()) / 2**20


def _install_size() -> Finding:
    megabytes = installed_megabytes()
    detail = f"{megabytes:.0f} MB with all it needs (limit {_INSTALL_LIMIT_MB} MB)"
    return Finding("Install", megabytes <= _INSTALL_LIMIT_MB, detail)


def _files_of(distribution: str) -> dict[Path, int]:
    """The files of a distribution and of everything it requires, extras left out, with their sizes."""
    from packaging.requirements import Requirement

    sizes: dict[Path, int] = {}
    waiting, seen = [distribution], set()
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        found = importlib.metadata.distribution(name)
        for file in found.files or ():
            path = Path(str(file.locate()))
            if path.is_file():
                sizes[path] = path.stat().st_size
        waiting.extend(
            requirement.name
            for requirement in map(Requirement, found.requires or ())
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        )
    return sizes


async def _embedder(citebook: Citebook) -> Finding:
    try:
        await citebook.embedder.embed_question("Does it work?")
    except CitebookError as error:
        return Finding("Embedder", False, str(error))
    stamp = citebook.embedder.stamp
    return Finding("Embedder", True, f"{stamp.name}, {stamp.dimension} dimensions, reads {stamp.max_tokens} tokens")


async def _language_model(citebook: Citebook) -> Finding:
    try:
        model = citebook.language_model
    except CitebookError as error:
        return Finding("Language model", False, str(error))
    if model is None:
        return Finding("Language model", True, "none: answers are sentences of the book")
    try:
        async with asyncio.timeout(_SECONDS):
            await model.ping()
    except TimeoutError:
        return Finding("Language model", False, f"{model.name} did not answer within {_SECONDS:.0f} s")
    except CitebookError as error:
        return Finding("Language model", False, str(error))
    return Finding("Language model", True, f"{model.name} answers")


async def _index(settings: Settings, citebook: Citebook) -> Finding:
    where = _shown(settings.qdrant_url) if settings.qdrant_url else f"embedded in {settings.citebook_data_dir}"
    try:
        edition = await citebook.index().edition()
        check_embedder(edition.embedder, citebook.embedder.stamp)
    except CitebookError as error:
        return Finding("Index", False, f"{where}: {error}")
    return Finding("Index", True, f"{where}: {len(edition.files)} files, {edition.chunk_count} chunks")


async def _confidence(settings: Settings, citebook: Citebook) -> Finding:
    """Whether confidence is a measured probability, and whether the operator's target can be kept."""
    await citebook.fetch_calibrations()
    try:
        set_up = citebook.set_up(await _recipe(citebook))
        own = calibrations_of(settings).find(set_up.embedder, set_up.generator)
        chosen = choose(set_up, own)
        refusal_threshold(settings.tolerated_wrong_answers, chosen)
    except (CitebookError, DamagedCalibration) as error:
        return Finding("Confidence", False, str(error))
    if not chosen.holds:
        detail = f"not calibrated for this set-up: {'; '.join(chosen.differences)}"
        return Finding("Confidence", True, f"{detail}. citebook calibrate BOOK QUESTIONS does it")
    whose = "on this book's questions" if chosen.is_own else "as shipped, on other books"
    made = f"{chosen.calibration.questions:,} answers, {chosen.calibration.made_at:%Y-%m-%d}"
    return Finding("Confidence", True, f"calibrated {whose} ({made})")


async def _recipe(citebook: Citebook) -> str | None:
    """How the index was made; None where there is none, or it cannot be reached."""
    try:
        return (await citebook.index().edition()).recipe
    except CitebookError:
        return None

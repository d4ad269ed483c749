"""The frame of every page that measurements write: one file that loads nothing."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from citebook.evals.result_files import Run


def html_page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Nothing is loaded, and nothing runs but the script that is given."""
    styles = asset("report.css") + style
    runs = f"; script-src 'sha256-{_digest(script)}'" if script else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'{runs}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{styles}</style></head>"
        f"<body>{body}{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def asset(name: str) -> str:
    """A file beside this one that becomes a part of pages."""
    return (files("citebook.evals") / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def made_with(runs: Sequence[Run], writers: Iterable[str]) -> str:
    """A line that says which versions and models made the results, and when."""
    versions = sorted({f"Citebook {run.citebook}" for run in runs})
    models = sorted({run.embedder for run in runs})
    newest = max(run.made_at for run in runs)
    made = ", ".join([*versions, *models, *sorted(writers)])
    return f'<p class="facts">{escape(made)}, {newest:%Y-%m-%d %H:%M} UTC</p>'

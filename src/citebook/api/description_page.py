"""What the service takes and gives, as a page for people; `/api/openapi.json` is the same for programs.

The page is made of the same document, runs no script and loads nothing, so that it is as safe as the reader's page.
"""

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

ADDRESS = "/api/docs"
DOCUMENT = "/api/openapi.json"
_FORMER = {"/docs": ADDRESS, "/openapi.json": DOCUMENT}
"""Where a framework of this kind usually has them, and where readers look for a book's pages."""

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8886; }
code { overflow-wrap: anywhere; }
"""
_RULES = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def routes(app: FastAPI) -> list[Route]:
    async def show(_request: Request) -> Response:
        return HTMLResponse(page_of(app.openapi()), headers=_RULES)

    former = [_moved(address, now) for address, now in _FORMER.items()]
    return [Route(ADDRESS, show, methods=["GET"], include_in_schema=False), *former]


def _moved(address: str, now: str) -> Route:
    async def send_on(_request: Request) -> Response:
        return RedirectResponse(now)

    return Route(address, send_on, methods=["GET"], include_in_schema=False)


def page_of(document: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document."""
    operations = defaultdict(list)
    for path, by_method in document["paths"].items():
        for method, operation in by_method.items():
            operations[operation["tags"][0]].append(_row(f"{method.upper()} {path}", operation, document))
    sections = "".join(_section(tag, rows) for tag, rows in operations.items())
    info = document["info"]
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(info["title"])}: what it takes and gives</title>
<style>{_STYLE}</style>
<h1>{escape(info["title"])} {escape(info["version"])}</h1>
<p>{escape(info["description"])}
For programs, with every field and example: <a href="{DOCUMENT}">{DOCUMENT}</a>.</p>
{sections}</html>
"""


def _section(tag: str, rows: list[str]) -> str:
    head = "<tr><th scope=col>request<th scope=col>what it does<th scope=col>fields<th scope=col>statuses"
    return f"<h2>{escape(tag)}</h2>\n<table>\n{head}\n{''.join(rows)}</table>\n"


def _row(request: str, operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    fields = ", ".join(f"<code>{escape(field)}</code>" for field in _fields(operation, document))
    does = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(operation.get("description", "")))
    return f"<tr><td><code>{escape(request)}</code><td>{does}<td>{fields}<td>{', '.join(operation['responses'])}\n"


def _fields(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    """What a client may send; what it need not send has a question mark."""
    for parameter in operation.get("parameters", ()):
        yield _marked(parameter["name"], is_required=parameter.get("required", False))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for name in schema["properties"]:
            yield _marked(name, is_required=name in schema.get("required", ()))


def _marked(name: str, *, is_required: bool) -> str:
    return name if is_required else f"{name}?"

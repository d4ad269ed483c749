"""Serves the chat as it was built: the server's own page, and the widget for any other site.

The files are read once at the start, and each has an address of its own. No part of a request ever becomes a path.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOLDER = Path(__file__).parents[1] / "web"
_PAGE = "index.html"
_PAGE_ADDRESSES = ("/", "/chat")
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_PACKED = {".png", ".woff2"}
_HASHED_NAME = re.compile(r"-(?=[\w-]*[A-Z0-9])[\w-]{8}\.\w+$")
_FOREVER = "public, max-age=31536000, immutable"
_NOT_BUILT = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Citebook</title>
<h1>The page is not built</h1>
<p>This server answers questions (see <a href="/api/docs">/api/docs</a>), but the page for readers was not built in
this checkout. In its folder <code>web</code>, run <code>npm ci</code> and <code>npm run build</code>, then start
the server again.</p>
</html>
"""
_PAGE_RULES = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "font-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# The widget runs on other sites, and a module must be allowed to be loaded from there. Nothing here is secret.
_FOR_OTHER_SITES = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}


def routes(folder: Path = _FOLDER) -> list[Route]:
    return [_route(address, file) for address, file in _files(folder).items()]


@dataclass(frozen=True)
class _File:
    content: bytes
    suffix: str
    rules: Mapping[str, str]
    is_eternal: bool = False
    status: int = 200

    @cached_property
    def tag(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:32]

    @cached_property
    def packed(self) -> bytes:
        return gzip.compress(self.content, mtime=0)

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Content-Type": _TYPES[self.suffix],
            "Cache-Control": _FOREVER if self.is_eternal else "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Vary": "Accept-Encoding",
            **self.rules,
        }

    def response(self, request: Request) -> Response:
        wants_packed = self.suffix not in _PACKED and _takes_gzip(request)
        tag = f'"{self.tag}{"-gzip" if wants_packed else ""}"'
        headers = {**self.headers, "ETag": tag}
        if tag in (part.strip().removeprefix("W/") for part in request.headers.get("If-None-Match", "").split(",")):
            return Response(status_code=304, headers=headers)
        if wants_packed:
            return Response(self.packed, self.status, {**headers, "Content-Encoding": "gzip"})
        return Response(self.content, self.status, headers)


def _files(folder: Path) -> dict[str, _File]:
    """Every file by its address."""
    files = dict(_shared_files(folder))
    page = _File(_NOT_BUILT, ".html", _PAGE_RULES, status=404)
    if (folder / _PAGE).is_file():
        page = _File((folder / _PAGE).read_bytes(), ".html", _PAGE_RULES)
    return {**files, **dict.fromkeys(_PAGE_ADDRESSES, page)}


def _shared_files(folder: Path) -> Iterator[tuple[str, _File]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _TYPES and path.suffix != ".html":
            is_eternal = _HASHED_NAME.search(path.name) is not None
            address = "/" + path.relative_to(folder).as_posix()
            yield address, _File(path.read_bytes(), path.suffix, _FOR_OTHER_SITES, is_eternal)


def _route(address: str, file: _File) -> Route:
    async def serve(request: Request) -> Response:
        return await asyncio.to_thread(file.response, request)  # the first request packs the file

    return Route(address, serve, methods=["GET"], include_in_schema=False)


def _takes_gzip(request: Request) -> bool:
    accepted = request.headers.get("Accept-Encoding", "").lower()
    return any(re.fullmatch(r"\s*gzip\s*(;\s*q=(1(\.0*)?|0\.\d*[1-9]\d*)\s*)?", part) for part in accepted.split(","))

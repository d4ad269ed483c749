"""The built chat over HTTP: the right types, tags and rules, and nothing but the files that were built."""

import gzip
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from citebook.api.web_files import routes

PAGE = "<!doctype html><title>Book</title>"
SCRIPT = "export const answer = 42\n" * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text(PAGE)
    (web / "manifest.json").write_text("{}")
    for name in ("widget.js", "assets/page.js", "assets/maths-CnJE7TgU.js", "assets/page-settings.css"):
        (web / name).write_text(SCRIPT)
    (web / "assets/font-Zz01_aBc.woff2").write_bytes(b"\x00\x01")
    (tmp_path / "secret.js").write_text("secret")
    return web


def client(folder: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(Starlette(routes=routes(folder)))
    return httpx.AsyncClient(
        transport=transport, base_url="http://book.test", headers={"Accept-Encoding": "identity"}
    )


@pytest.mark.parametrize("address", ["/", "/chat"])
async def test_the_page_is_served_under_strict_rules(folder: Path, address: str) -> None:
    response = await client(folder).get(address)
    assert (response.status_code, response.text) == (200, PAGE)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    rules = response.headers["Content-Security-Policy"]
    assert rules.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in rules
    assert "frame-ancestors 'none'" in rules
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/widget.js", "text/javascript; charset=utf-8"),
        ("/assets/page.js", "text/javascript; charset=utf-8"),
        ("/assets/page-settings.css", "text/css; charset=utf-8"),
        ("/assets/font-Zz01_aBc.woff2", "font/woff2"),
    ],
)
async def test_files_are_of_their_kind_and_may_be_loaded_by_other_sites(
    folder: Path, address: str, kind: str
) -> None:
    response = await client(folder).get(address)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == kind
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(
    ("address", "is_eternal"),
    [
        ("/widget.js", False),
        ("/assets/page.js", False),
        ("/assets/page-settings.css", False),
        ("/assets/maths-CnJE7TgU.js", True),
        ("/assets/font-Zz01_aBc.woff2", True),
    ],
)
async def test_only_names_with_a_hash_are_kept_for_good(folder: Path, address: str, is_eternal: bool) -> None:
    caching = (await client(folder).get(address)).headers["Cache-Control"]
    assert caching == ("public, max-age=31536000, immutable" if is_eternal else "no-cache")


async def test_a_file_that_the_browser_has_is_not_sent_again(folder: Path) -> None:
    browser = client(folder)
    tag = (await browser.get("/widget.js")).headers["ETag"]
    again = await browser.get("/widget.js", headers={"If-None-Match": f'"other", W/{tag}'})
    assert (again.status_code, again.content) == (304, b"")


async def test_text_is_packed_for_whoever_takes_it(folder: Path) -> None:
    async with client(folder).stream("GET", "/widget.js", headers={"Accept-Encoding": "br, gzip"}) as response:
        packed = b"".join([part async for part in response.aiter_raw()])
    plain = await client(folder).get("/widget.js")
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed).decode() == plain.text == SCRIPT
    assert response.headers["ETag"] != plain.headers["ETag"]
    assert "Content-Encoding" not in plain.headers
    assert response.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "gzip;q=0.000", "xgzip"])
async def test_nobody_else_gets_it_packed(folder: Path, accepted: str) -> None:
    response = await client(folder).get("/widget.js", headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in response.headers


async def test_fonts_are_packed_already(folder: Path) -> None:
    response = await client(folder).get("/assets/font-Zz01_aBc.woff2", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers


async def test_head_is_answered(folder: Path) -> None:
    response = await client(folder).head("/widget.js")
    assert (response.status_code, response.headers["Content-Length"]) == (200, str(len(SCRIPT)))


@pytest.mark.parametrize(
    "address",
    [
        "/manifest.json",
        "/index.html",
        "/assets/",
        "/assets",
        "/assets/none.js",
        "/assets/..%2f..%2fsecret.js",
        "/../secret.js",
        "/%2e%2e/secret.js",
        "/assets/%2e%2e/%2e%2e/secret.js",
        "/widget.js%00",
        "//widget.js",
    ],
)
async def test_there_is_no_other_file(folder: Path, address: str) -> None:
    transport = httpx.ASGITransport(Starlette(routes=routes(folder)))
    raw = httpx.URL("http://book.test/").copy_with(raw_path=address.encode())
    request = httpx.Request("GET", raw)
    assert (await transport.handle_async_request(request)).status_code == 404


async def test_a_checkout_without_built_files_says_what_to_do(tmp_path: Path) -> None:
    response = await client(tmp_path / "none").get("/")
    assert response.status_code == 404
    assert "npm run build" in response.text
    assert "Content-Security-Policy" in response.headers

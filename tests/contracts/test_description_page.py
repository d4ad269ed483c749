"""The page that says what the service takes: whole, under strict rules, and without anything from elsewhere."""

import base64
import hashlib
import re

import pytest

from citebook.api.description_page import page_of
from tests.contracts.service import Service


async def test_every_operation_is_on_the_page(service: Service) -> None:
    page = (await service.client.get("/api/docs")).text
    document = (await service.client.get("/api/openapi.json")).json()
    assert document["info"]["title"] == "Citebook"
    for path, by_method in document["paths"].items():
        for method in by_method:
            assert f"<code>{method.upper()} {path}</code>" in page


async def test_the_page_runs_nothing_and_loads_nothing(service: Service) -> None:
    response = await service.client.get("/api/docs")
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    rules = response.headers["Content-Security-Policy"]
    assert rules.startswith("default-src 'none'; style-src 'sha256-")
    (style,) = re.findall(r"<style>(.*?)</style>", response.text, re.DOTALL)
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in rules
    assert "<script" not in response.text
    assert re.findall(r'(?:href|src)="?([^">]*)', response.text) == ["/api/openapi.json"]


@pytest.mark.parametrize(("former", "now"), [("/docs", "/api/docs"), ("/openapi.json", "/api/openapi.json")])
async def test_who_looks_in_the_usual_place_is_sent_on(service: Service, former: str, now: str) -> None:
    response = await service.client.get(former, follow_redirects=False)
    assert (response.status_code, response.headers["Location"]) == (307, now)


@pytest.mark.parametrize("address", ["/docs/joints/gears", "/docs/oauth2-redirect", "/redoc"])
async def test_nothing_else_of_the_framework_s_is_in_the_book_s_place(service: Service, address: str) -> None:
    assert (await service.client.get(address)).status_code == 404


def test_what_a_client_may_leave_out_is_marked_and_texts_are_escaped() -> None:
    schema = {"properties": {"question": {}, "top_k": {}}, "required": ["question"]}
    operation = {
        "tags": ["a<b"],
        "description": "Says `<hi>`.",
        "parameters": [{"name": "id", "required": True}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Asked"}}}},
        "responses": {"200": {}, "400": {}},
    }
    page = page_of(
        {
            "info": {"title": "T", "version": "1", "description": "D"},
            "paths": {"/ask": {"post": operation}},
            "components": {"schemas": {"Asked": schema}},
        }
    )
    assert "<h2>a&lt;b</h2>" in page
    assert "<td>Says <code>&lt;hi&gt;</code>." in page
    assert "<td><code>id</code>, <code>question</code>, <code>top_k?</code><td>200, 400" in page

"""Files of strangers: addresses in them are not fetched (row 14), names of them lead nowhere (row 15)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.generated_cases import DOCUMENT
from tests.contracts.service import Service
from tests.fakes import chunks_of_page


def named_fields(schema: Any) -> set[str]:
    """All names of fields in the schemas of what clients send."""
    if isinstance(schema, list):
        return set().union(*map(named_fields, schema))
    if not isinstance(schema, dict):
        return set()
    own = set(schema.get("properties", {}))
    return own.union(*(named_fields(value) for value in schema.values()))


def test_no_operation_takes_an_address_to_fetch() -> None:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    bodies = json.dumps([one.get("requestBody", {}) for one in operations])
    schemas = document["components"]["schemas"]
    sent = [schema for name, schema in schemas.items() if f'/schemas/{name}"' in bodies]
    parameters = {given["name"] for one in operations for given in one.get("parameters", ())}
    fields = parameters.union(*map(named_fields, sent))
    assert len(fields) > 10
    assert [name for name in fields if any(word in name.lower() for word in ("url", "uri", "link", "href"))] == []


@pytest.mark.usefixtures("socket_disabled")
def test_addresses_in_a_page_are_never_fetched() -> None:
    """Sockets are closed here: whatever opened one would fail."""
    (chunk,) = chunks_of_page(
        "---\nimage: http://169.254.169.254/latest\n---\n\n# Gears\n\n![A gear](http://10.0.0.1/a.png) turns.\n\n"
        "<iframe src='http://127.0.0.1:1'></iframe>\n\n[more](file:///etc/passwd)\n\n!include http://127.0.0.1:1/x\n"
    )
    assert "root:" not in chunk.text


NAMES = ["../../escaped.md", "/tmp/escaped.md", "..\\..\\escaped.md", "a/../../../escaped.md", "escaped.md\x00.md"]


def escaped(folder: Path) -> list[Path]:
    return [*folder.rglob("*escaped*"), *Path("/tmp").glob("escaped.md")]


@pytest.mark.parametrize("name", NAMES)
async def test_the_name_of_an_uploaded_file_leads_nowhere(own_service: Service, tmp_path: Path, name: str) -> None:
    form: dict[str, Any] = {"files": {"file": (name, b"# A\n\nText.\n")}, "data": {"chapter_id": "abc"}}
    reply = await own_service.client.post("/content/ingest", headers=own_service.bearer, **form)
    assert reply.status_code in (202, 400)
    assert escaped(tmp_path) == []

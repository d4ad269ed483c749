"""The committed OpenAPI document is that of the service, and says all a client needs: examples and errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from citebook.api.openapi_correction import operations_of
from citebook.api.openapi_document import openapi_text

FILE = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
OPERATIONS = {operation["operationId"]: operation for operation in operations_of(DOCUMENT)}
PATHS = {
    "/api/query": {"post"},
    "/api/v1/query": {"post"},
    "/api/v1/chat/sessions": {"get"},
    "/api/v1/chat/sessions/{sessionId}": {"get", "delete"},
    "/api/v1/health": {"get"},
    "/chat/query": {"post"},
    "/chat/context-restricted": {"post"},
    "/chat/{answer_id}": {"get"},
    "/chat/book/{book_id}/query": {"post"},
    "/books": {"get"},
    "/content/ingest": {"post"},
    "/content/ingest/{ingest_id}": {"get"},
    "/query": {"post"},
    "/chapters": {"get"},
    "/health": {"get"},
    "/api/ask": {"post"},
    "/api/ask/stream": {"post"},
    "/api/ask-selected": {"post"},
    "/api/health": {"get"},
    "/book/contents": {"get"},
    "/book/pages/{chapter_id}": {"get"},
    "/api/search": {"get"},
    "/api/questions": {"get"},
    "/api/feedback": {"post"},
}
LEAST_ERRORS = {
    "textbook": {"400", "422", "429", "500"},
    "core": {"400", "401", "404", "500"},
    "academic": {"400", "401", "404", "500", "503"},
    "agent": {"500"},
    "ask": {"400", "429", "500", "503"},
    "reader": {"500", "503"},
    "health": {"503"},
}


def test_the_document_is_current() -> None:
    assert openapi_text() == FILE.read_text(encoding="utf-8"), "run: python -m citebook.api.openapi_document"


def test_every_address_of_the_contracts_is_there_and_no_other() -> None:
    assert {path: set(methods) for path, methods in DOCUMENT["paths"].items()} == PATHS


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation_says_what_it_does(operation: dict[str, Any]) -> None:
    assert operation["description"]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation_has_examples(operation: dict[str, Any]) -> None:
    for media in operation.get("requestBody", {}).get("content", {}).values():
        assert has_example(media)
    for parameter in operation.get("parameters", []):
        if parameter["required"]:
            assert has_example(parameter), parameter["name"]
    for status, response in operation["responses"].items():
        for media in response.get("content", {}).values():
            assert has_example(media), status


def _cannot_happen(operation: dict[str, Any]) -> set[str]:
    """Where nothing is given, nothing can be wrong or missing; a list that nobody names may be empty, not missing."""
    if "requestBody" in operation:
        return set()
    places = {parameter["in"] for parameter in operation.get("parameters", [])}
    if not places:
        return {"400", "404"}
    return set() if "path" in places else {"404"}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation_documents_its_errors(operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    assert LEAST_ERRORS[operation["tags"][0]] - _cannot_happen(operation) <= responses.keys()
    for status, response in responses.items():
        assert "X-Request-ID" in response["headers"]
        if status == "429":
            assert {"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} <= (
                response["headers"].keys()
            )


def test_the_framework_s_own_error_is_nowhere() -> None:
    assert "HTTPValidationError" not in FILE.read_text(encoding="utf-8")


def has_example(media: dict[str, Any]) -> bool:
    return bool("example" in media or media.get("examples") or _schema_has_example(media.get("schema", {})))


def _schema_has_example(schema: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return _schema_has_example(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    inner = [*schema.get("anyOf", []), *schema.get("properties", {}).values()]
    return bool(schema.get("examples")) or any(_schema_has_example(part) for part in inner)

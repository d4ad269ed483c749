"""Makes the OpenAPI document say what the service does, where the framework says something else."""

from collections.abc import Iterator
from typing import Any

from citebook.api.callers import SESSION_HEADER
from citebook.api.request_ids import HEADER

_DEFAULT_ERROR = "HTTPValidationError"
_SCHEMES = {
    "sessionToken": {
        "type": "apiKey",
        "in": "header",
        "name": SESSION_HEADER,
        "description": "The token of a session, from the response that made the session.",
    },
    "userToken": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "A signed-in reader."},
    "apiKey": {"type": "http", "scheme": "bearer", "description": "A key of `citebook keys create`."},
}
_SECURITY: dict[str, list[dict[str, list[str]]]] = {
    "core": [{}, {"sessionToken": []}, {"userToken": []}],
    "academic": [{"apiKey": []}],
}


def corrected(document: dict[str, Any]) -> dict[str, Any]:
    for operation in operations_of(document):
        _drop_what_is_never_sent(operation["responses"])
        for response in operation["responses"].values():
            schema = {"description": "The id of the request.", "schema": {"type": "string"}}
            response.setdefault("headers", {})[HEADER] = schema
        operation["tags"] = operation["tags"][:1]
        if tag_security := _SECURITY.get(operation["tags"][0]):
            operation["security"] = tag_security
    for unused in (_DEFAULT_ERROR, "ValidationError"):
        document["components"]["schemas"].pop(unused, None)
    document["components"]["securitySchemes"] = _SCHEMES
    return document


def operations_of(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from path.values()


def _drop_what_is_never_sent(responses: dict[str, Any]) -> None:
    """The framework's own error body, and JSON where there is only a stream."""
    if _DEFAULT_ERROR in str(responses.get("422")):
        del responses["422"]
    content = responses.get("200", {}).get("content", {})
    if "text/event-stream" in content and not content.get("application/json", {}).get("schema"):
        content.pop("application/json", None)

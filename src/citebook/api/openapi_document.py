"""Writes the OpenAPI document: `python -m citebook.api.openapi_document [FILE]`."""

import json
import sys
from pathlib import Path
from typing import Any, cast

from citebook.api.app import create_app
from citebook.api.services import Services

_DEFAULT_FILE = Path("docs/reference/openapi.json")


def openapi_text() -> str:
    """The document of a service with all defaults. No part of it needs to run for that."""
    nothing = cast("Any", None)
    parts = (nothing,) * 7
    services = Services({}, "default", *parts, policy=lambda default: default)
    return json.dumps(create_app(services).openapi(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else _DEFAULT_FILE
    file.write_text(openapi_text(), encoding="utf-8")


if __name__ == "__main__":
    main()

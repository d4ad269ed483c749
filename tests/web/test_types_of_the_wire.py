"""What the web part calls the bodies of the service is made from the service's own description."""

import re
from pathlib import Path

WIRE_TYPES = Path(__file__).parents[2] / "web/packages/client/src/wireTypes.ts"


def test_no_body_is_typed_by_hand() -> None:
    assert re.findall(r"^export interface (\w+)", WIRE_TYPES.read_text("utf-8"), re.MULTILINE) == []

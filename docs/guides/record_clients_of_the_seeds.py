"""Records clients-of-the-seeds.md: what the five clients in tests/contracts/clients_of_seeds sent, and what they got.

    .venv/bin/python docs/guides/record_clients_of_the_seeds.py

Runs those tests against real servers with the sample book, and writes the page anew if all of them pass.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_PAGE = _HERE / "clients-of-the-seeds.md"
_TESTS = "tests/contracts/clients_of_seeds"
_ORDER = ("textbook", "core", "academic", "agent", "ask", "limits", "outages")
_LONGEST_TEXT, _LONGEST_LIST, _DEEPEST, _MOST_SHOWN = 80, 1, 3, 3
_LONGEST_PATH = 3
"""Names of fields, such as `["body", "query"]`, are shown whole."""

_OPENING = """\
# Clients of the seeds

Five clients, each written from one of the documents that Citebook goes back to (its *seeds*) and from nothing of its
code: the models as the document prints them, its limits, its errors, its words of health. They are kept as
[tests](../../tests/contracts/clients_of_seeds), which start `citebook serve` with the sample book in a process of its
own. Where each requirement of the seeds lives is in [the map of the seeds](../reference/seed-map.md).

This is what went over the wire when [record_clients_of_the_seeds.py](record_clients_of_the_seeds.py) ran them:
{tests} checks, {exchanges} requests, all as the seeds promise. Each heading is the name of a check. Long texts, lists
and what lies deep are cut with `…`, and of like requests the first and the last are shown; nothing else was changed.
"""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="citebook-record-") as folder:
        file = Path(folder) / "record.jsonl"
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", _TESTS]
        subprocess.run(command, cwd=_ROOT, check=True, env={**os.environ, "CITEBOOK_RECORD_CLIENTS": str(file)})
        tests = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert all(test["passed"] for test in tests)
    tests.sort(key=lambda test: _ORDER.index(test["contract"]))
    count = sum(len(test["exchanges"]) for test in tests)
    text = _OPENING.format(tests=len(tests), exchanges=count) + "".join(_chapters(tests))
    _PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {_PAGE}")


def _chapters(tests: list[dict[str, Any]]) -> Iterator[str]:
    for contract, group in groupby(tests, key=lambda test: test["contract"]):
        yield f"\n## {contract}\n"
        for name, cases in groupby(group, key=lambda test: test["check"].partition("[")[0]):
            exchanges = [exchange for case in cases for exchange in case["exchanges"]]
            if exchanges:
                yield f"\n### {_words(name)}\n\n```http\n{_shown(exchanges)}```\n"


def _words(check: str) -> str:
    """`TestBooks::test_an_unknown_book_is_not_found` in plain words."""
    *classes, name = check.split("::")
    spelled = [re.sub(r"(?<=.)(?=[A-Z])", " ", one.removeprefix("Test")) for one in classes]
    return ": ".join(part.capitalize() for part in (*spelled, name.removeprefix("test_").replace("_", " ")))


def _shown(exchanges: list[dict[str, Any]]) -> str:
    left_out = len(exchanges) - _MOST_SHOWN - 1
    if left_out > 0:
        first = "\n".join(map(_exchange, exchanges[:_MOST_SHOWN]))
        return f"{first}\n… {left_out} more …\n\n{_exchange(exchanges[-1])}"
    return "\n".join(map(_exchange, exchanges))


def _exchange(exchange: dict[str, Any]) -> str:
    got = exchange["got"]
    sent = "" if exchange["sent"] is None else f" {_brief(exchange['sent'])}"
    is_stream = isinstance(got, list)
    lines = [f"data: {_brief(frame)}" for frame in got] if is_stream else [_brief(got)] if got != "" else []
    if len(lines) > _MOST_SHOWN:
        lines = [lines[0], f"… {len(lines) - 2} more …", lines[-1]]
    return f"{exchange['request']}{sent}\n{exchange['status']} " + "\n".join(lines) + "\n"


def _brief(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_cut(value), ensure_ascii=False)


def _cut(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST and isinstance(value, dict | list):
        return "…"
    match value:
        case str() if len(value) > _LONGEST_TEXT:
            return f"{value[:_LONGEST_TEXT]}… ({len(value)} characters)"
        case list() if len(value) > (_LONGEST_PATH if _is_plain(value) else _LONGEST_LIST):
            return [*_cut(value[:_LONGEST_LIST], depth), f"… {len(value) - _LONGEST_LIST} more"]
        case list():
            return [_cut(item, depth + 1) for item in value]
        case dict():
            return {name: _cut(item, depth + 1) for name, item in value.items()}
        case _:
            return value


def _is_plain(values: list[Any]) -> bool:
    return not any(isinstance(value, dict | list) for value in values)


if __name__ == "__main__":
    main()

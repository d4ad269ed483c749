"""Which partial pages a page shows."""

import re
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(r"""^import\s+[\w$]+\s+from\s+['"]([^'"\n]+\.mdx?)['"]""", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.MULTILINE)


def imported_partials(text: str, page: Path, root: Path) -> Iterator[Path]:
    """Files that the page imports, as paths inside the book; imports shown in code do not count."""
    imports = list(_IMPORT.finditer(text))
    if not imports:
        return
    code = list(_code_ranges(text))
    for match in imports:
        if any(start < match.start() < end for start, end in code):
            continue
        path = _resolved(match[1], page, root)
        if path.is_relative_to(root):
            yield path


def _resolved(target: str, page: Path, root: Path) -> Path:
    if target.startswith("@site/"):
        return (root / target.removeprefix("@site/")).resolve()
    return (page.parent / target).resolve()


def _code_ranges(text: str) -> Iterator[tuple[int, int]]:
    opening: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening is None:
            opening = match
        elif match[1].startswith(opening[1]) and not match[2].strip():
            if "mdx-code-block" not in opening[2]:
                yield opening.start(), match.end()
            opening = None
    if opening:
        yield opening.start(), len(text)

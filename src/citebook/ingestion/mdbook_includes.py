"""Listings that a page of an mdBook takes from other files: `{{#include src/main.rs:anchor}}`."""

import hashlib
import re
from pathlib import Path

DIRECTIVE = re.compile(r"(?<!\\)\{\{\s*#(\w+)\s*([^{}\n]*?)\s*\}\}")
_INCLUDING = frozenset({"include", "rustdoc_include", "playground", "playpen"})
_LINE_RANGE = re.compile(r"(\d{0,9})(:?)(\d{0,9})")
_ANCHOR = re.compile(r"ANCHOR(_END)?:\s*([\w-]+)")
_AFTER_LANGUAGE = re.compile(r"[\s,{]")
_LANGUAGE_CLASS = re.compile(r"\{\s*\.([\w+#-]+)")
_HIDDEN_LINE = re.compile(r"\s*#(?:[ \t].*)?")
_ESCAPED_LINE = re.compile(r"(\s*)##(.*)")
MISSING = "a file that it includes is missing"
NOT_READ = "a part of a page that it includes is not read"
_MAX_BYTES = 1_000_000


class Includes:
    """The files that one page may include: those inside the book."""

    def __init__(self, page: Path, root: Path) -> None:
        self._folder, self._root = page.parent, root.resolve()
        self.warnings: dict[str, None] = {}
        """Each once, in order."""

    def digest(self, text: str) -> str | None:
        """Changes whenever a file changes that the text includes; None where it includes none."""
        files = [self._read(match[2].split(":")[0]) for match in DIRECTIVE.finditer(text) if match[1] in _INCLUDING]
        whole = "\0".join(file or "" for file in files)
        return hashlib.sha256(whole.encode()).hexdigest() if files else None

    def shown(self, line: str) -> str | None:
        """What a line of code that is nothing but a directive shows; None for any other line."""
        match = DIRECTIVE.fullmatch(line.strip())
        if not match:
            return None
        if match[1] not in _INCLUDING:
            return ""
        path, _, part = (match[2].split() or [""])[0].partition(":")
        file = self._read(path)
        lines = None if file is None else _part_of(file.splitlines(), part)
        if lines is None:
            self.warnings[MISSING] = None
        return "\n".join(lines or ())

    def note_in_text(self, directive: re.Match[str]) -> None:
        """A whole page that is included outside of code is read beside this one; that a part is not read is said."""
        if directive[1] in _INCLUDING and self._page_beside(directive) is None:
            self.warnings[NOT_READ] = None

    def _page_beside(self, directive: re.Match[str]) -> str | None:
        name = included_page(directive)
        return None if name is None else self._read(name)

    def _read(self, path: str) -> str | None:
        try:
            file = (self._folder / path.strip()).resolve()
            if not file.is_relative_to(self._root) or not file.is_file() or file.stat().st_size > _MAX_BYTES:
                return None
            return file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None


def included_page(directive: re.Match[str]) -> str | None:
    """The Markdown file that a directive includes whole."""
    name = directive[2].strip()
    return name if directive[1] == "include" and name.lower().endswith(".md") else None


def _part_of(lines: list[str], part: str) -> list[str] | None:
    """All lines, a range of them, or those between two anchors; None where there is no such anchor."""
    span = _LINE_RANGE.fullmatch(part)
    if span and not part:
        return lines
    if span:
        first = int(span[1] or 1)
        last = int(span[3] or len(lines)) if span[2] else first
        return lines[max(0, first - 1) : last]
    kept: list[str] | None = None
    is_inside = False
    for line in lines:
        if anchor := _ANCHOR.search(line):
            if anchor[2] == part:
                kept, is_inside = kept or [], not anchor[1]
        elif is_inside and kept is not None:
            kept.append(line)
    return kept


def code_language(info: str) -> str:
    """`rust,ignore` is Rust, and so is `{ .rust .no-copy }`."""
    named = _LANGUAGE_CLASS.match(info.strip())
    return named[1] if named else _AFTER_LANGUAGE.split(info.strip(), maxsplit=1)[0]


def visible_rust(line: str) -> str | None:
    """A line of Rust as mdBook shows it: `# use std;` is hidden, and `##` stands for `#`."""
    if _HIDDEN_LINE.fullmatch(line):
        return None
    escaped = _ESCAPED_LINE.fullmatch(line)
    return f"{escaped[1]}#{escaped[2]}" if escaped else line

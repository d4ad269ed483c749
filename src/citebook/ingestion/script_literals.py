"""The objects, lists and texts that are written out in a JavaScript file. The file is a program, and is not run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/
    | (?P<key>\b[A-Za-z_$][\w$]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*:
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    | (?P<open>[{[(]) | (?P<close>[]})]) | (?P<next>[,;]|=(?!>))
    """,
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_DEEPEST = 100


@dataclass(slots=True)
class Group:
    """What stands between two brackets, in its order; the whole file is one, too."""

    bracket: str = ""
    entries: "list[tuple[str | None, str | Group]]" = field(default_factory=list)
    """Texts and groups, each with its key where it has one."""
    keys: set[str] = field(default_factory=set)
    """All of them, also those of values that only the program knows."""

    def text(self, key: str) -> str | None:
        return next((value for name, value in self.entries if name == key and isinstance(value, str)), None)

    def group(self, key: str) -> "Group | None":
        return next((value for name, value in self.entries if name == key and isinstance(value, Group)), None)

    def groups(self) -> "Iterator[Group]":
        """All below this one, each before those in it."""
        for _, value in self.entries:
            if isinstance(value, Group):
                yield value
                yield from value.groups()


def read_literals(script: str) -> Group:
    """As far as it can be followed: what is open at the end of the file ends there."""
    root = Group()
    open_groups = [root]
    key: str | None = None
    for token in _TOKEN.finditer(script):
        current = open_groups[-1]
        match token.lastgroup:
            case "key":
                key = _plain(token["key"])
                current.keys.add(key)
            case "text" if "${" not in token["text"]:
                current.entries.append((key, _plain(token["text"])))
                key = None
            case "open":
                opened = Group(token["open"])
                if len(open_groups) <= _DEEPEST:
                    current.entries.append((key, opened))
                open_groups.append(opened)
                key = None
            case "close":
                del open_groups[max(1, len(open_groups) - 1) :]
                key = None
            case "next":
                key = None
    return root


def _plain(token: str) -> str:
    text = token[1:-1] if token[0] in "'\"`" else token
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)) if match[1] or match[2] else match[3], text)

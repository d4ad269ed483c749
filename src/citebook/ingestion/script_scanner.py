"""Finds where JavaScript in an MDX page ends: an `{expression}`, a JSX tag, a block of imports and exports.

One pass with a stack of open brackets, as deep as MAX_DEPTH; nothing is evaluated or understood beyond that.
"""

import re
from dataclasses import dataclass, replace

MAX_DEPTH = 100
UNCLOSED = -1

_STRING = {
    "'": re.compile(r"'(?:[^'\\\n]|\\.)*'", re.DOTALL),
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"', re.DOTALL),
}
# A length cap keeps a row of broken expressions from being read again and again.
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}/")
_CODE_STOP = re.compile(r"""['"`/<{}()\[\]\\\n]""")
_TEMPLATE_STOP = re.compile(r"[`\\$]")
_CHILDREN_STOP = re.compile(r"[<{]")
_TAG_STOP = re.compile(r"""['"{>]""")
_OPENS_VALUE = frozenset("(,=?:&|{};[>!")
_BEFORE_VALUE = re.compile(r"(?:^|[^\w$])(?:return|default|case)$")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NAME_START = re.compile(r"[A-Za-z_$]")
_TAG_NAME = re.compile(r"[A-Za-z_$][\w$.:-]*")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_$:@][\w$:.@-]*")
_SPACE = re.compile(r"\s*")
_BLANKS = re.compile(r"[ \t]*")
_BLANK_LINE = re.compile(r"[ \t]*(?:\n|$)")


class TooDeep(ValueError):
    """Brackets nested deeper than any author nests them."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of a tag; [start, end) is its value without quotes."""

    name: str
    start: int
    end: int
    is_expression: bool = False

    def moved(self, by: int) -> "Attribute":
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    start: int
    end: int
    closes: bool = False
    self_closing: bool = False
    attributes: tuple[Attribute, ...] = ()


class _Scanner:
    """Walks over JavaScript with JSX. The stack holds `{`, `(`, `[`, a backtick, `tag` and `children`."""

    def __init__(self, text: str, position: int, end: int) -> None:
        self.text = text
        self.position = position
        self.end = end
        self.stack: list[str] = []
        self._steps = {"`": self._template, "tag": self._tag, "children": self._children}

    def step(self) -> None:
        """Pass the next thing that matters; at the end of the text, stay there."""
        mode = self.stack[-1] if self.stack else ""
        self._steps.get(mode, self._code)()
        if len(self.stack) > MAX_DEPTH:
            raise TooDeep(f"brackets are nested more than {MAX_DEPTH} deep")

    def _advance_to(self, stop: re.Pattern[str]) -> str:
        match = stop.search(self.text, self.position, self.end)
        self.position = match.start() if match else self.end
        return match.group() if match else ""

    def _code(self) -> None:
        character = self._advance_to(_CODE_STOP)
        if character in ("'", '"'):
            self._skip_match(_STRING[character])
        elif character == "/":
            self._slash()
        elif character == "<":
            self._less_than()
        elif character == "\\":
            self.position += 2
        elif character:
            self.position += 1
            if character in "{([`":
                self.stack.append(character)
            elif self.stack and self.stack[-1] == _PAIRS.get(character):
                self.stack.pop()

    def _skip_match(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position, self.end)
        self.position = match.end() if match else self.position + 1

    def _slash(self) -> None:
        if self.text.startswith("//", self.position):
            end = self.text.find("\n", self.position, self.end)
            self.position = self.end if end < 0 else end
        elif self.text.startswith("/*", self.position):
            end = self.text.find("*/", self.position + 2, self.end)
            self.position = self.end if end < 0 else end + 2
        elif self._value_may_start():
            self._skip_match(_REGEX)
        else:
            self.position += 1

    def _less_than(self) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        opens = following == ">" or _NAME_START.match(following)
        if opens and self._value_may_start():
            self.stack.append("tag")
        self.position += 1

    def _value_may_start(self) -> bool:
        before = self.text[max(0, self.position - 60) : self.position].rstrip()
        return not before or before[-1] in _OPENS_VALUE or bool(_BEFORE_VALUE.search(before))

    def _template(self) -> None:
        character = self._advance_to(_TEMPLATE_STOP)
        if character == "`":
            self.stack.pop()
        elif self.text.startswith("${", self.position):
            self.stack.append("{")
            self.position += 1
        elif character == "\\":
            self.position += 1
        self.position += 1

    def _tag(self) -> None:
        character = self._advance_to(_TAG_STOP)
        if character in ("'", '"'):
            end = self.text.find(character, self.position + 1, self.end)
            self.position = self.end if end < 0 else end + 1
        elif character == "{":
            self.stack.append("{")
            self.position += 1
        elif character == ">":
            self.stack.pop()
            if self.text[self.position - 1] != "/":
                self.stack.append("children")
            self.position += 1

    def _children(self) -> None:
        character = self._advance_to(_CHILDREN_STOP)
        if character == "{":
            self.stack.append("{")
        elif self.text.startswith("</", self.position):
            end = self.text.find(">", self.position, self.end)
            self.position = self.end if end < 0 else end
            self.stack.pop()
        elif character == "<":
            self.stack.append("tag")
        self.position += 1


def expression_end(text: str, start: int, end: int) -> int:
    """Where the `{expression}` that opens at `start` ends, or UNCLOSED."""
    scanner = _Scanner(text, start + 1, end)
    scanner.stack.append("{")
    while scanner.stack:
        if scanner.position >= end:
            return UNCLOSED
        scanner.step()
    return scanner.position


def module_end(text: str, start: int, end: int) -> int:
    """Where the imports and exports that open at `start` end: at a blank line outside all brackets."""
    scanner = _Scanner(text, start, end)
    while scanner.position < end:
        scanner.step()
        at_line_start = text[scanner.position - 1 : scanner.position] == "\n"
        if not scanner.stack and at_line_start and _BLANK_LINE.match(text, scanner.position):
            return scanner.position
    return UNCLOSED if scanner.stack else end


def read_tag(text: str, start: int, end: int) -> Tag | int | None:
    """The JSX tag that opens at `start`; UNCLOSED if the text ends first; None if it is no tag."""
    position = start + 1
    closes = text.startswith("/", position)
    if closes:
        position = _skip_space(text, position + 1, end)
    name = _TAG_NAME.match(text, position, end)
    if not name:
        is_fragment = text.startswith(">", position)
        return Tag("", start, position + 1, closes) if is_fragment else None
    return _read_attributes(text, Tag(name.group(), start, name.end(), closes), end)


def _read_attributes(text: str, tag: Tag, end: int) -> Tag | int | None:
    attributes: list[Attribute] = []
    position = tag.end
    while (position := _skip_space(text, position, end)) < end:
        if text[position] == ">" or text.startswith("/>", position):
            self_closing = text[position] == "/"
            after = position + (2 if self_closing else 1)
            return Tag(tag.name, tag.start, after, tag.closes, self_closing, tuple(attributes))
        if text[position] == "{":
            position = expression_end(text, position, end)
        else:
            found = _read_attribute(text, position, end)
            if found is None:
                return None
            attribute, position = found
            if attribute:
                attributes.append(attribute)
        if position == UNCLOSED:
            return UNCLOSED
    return UNCLOSED


def _read_attribute(text: str, start: int, end: int) -> tuple[Attribute | None, int] | None:
    """An attribute and where it ends (maybe UNCLOSED), or None if nothing of the kind stands here."""
    name = _ATTRIBUTE_NAME.match(text, start, end)
    if not name:
        return None
    position = _skip_space(text, name.end(), end)
    # Of the attributes without a value this one alone says something about the text.
    bare = Attribute("hidden", name.end(), name.end()) if name.group() == "hidden" else None
    if position >= end or text[position] in "/>{":
        return bare, position
    if text[position] != "=":
        return (bare, position) if position > name.end() else None
    position = _skip_space(text, position + 1, end)
    if position >= end:
        return None, UNCLOSED
    opener = text[position]
    if opener in "'\"":
        close = text.find(opener, position + 1, end)
        return (Attribute(name.group(), position + 1, close), close + 1) if close >= 0 else (None, UNCLOSED)
    if opener == "{":
        close = expression_end(text, position, end)
        value = Attribute(name.group(), position, close, is_expression=True)
        return (value, close) if close >= 0 else (None, UNCLOSED)
    return None


def skip_blanks(text: str, position: int) -> int:
    """The next place on the line that is neither a space nor a tab."""
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _skip_space(text: str, position: int, end: int) -> int:
    match = _SPACE.match(text, position, end)
    return match.end() if match else position


_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "\f", "v": "", "0": "", "\n": ""}


def string_literal(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """What an `{expression}` shows if it is nothing but a string: the text and the range inside its quotes."""
    inner = text[start + 1 : end - 1]
    value = inner.strip()
    if len(value) < 2 or value[0] not in "'\"`" or value[-1] != value[0]:
        return None
    value_start = start + 1 + inner.index(value[0]) + 1
    shown = value[1:-1]
    bare = _ESCAPE.sub("", shown)
    if value[0] in bare or (value[0] == "`" and "${" in bare) or bare.endswith("\\"):
        return None
    return _ESCAPE.sub(_unescaped, shown), value_start, value_start + len(shown)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if not code:
        return _ESCAPED.get(match[4], match[4])
    number = int(code, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"

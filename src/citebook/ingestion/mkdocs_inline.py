"""What MkDocs, with its Material theme and PyMdown's extensions, adds to the text of a paragraph."""

import re
from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkLabel
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from citebook.ingestion.markdown_dialects import ATTRIBUTE_LIST

_IDENTIFIER = re.compile(r"\]\[([^\[\]`\n]{0,300})\](?![\[(])")
_DOTTED = re.compile(r"\w+(?:[./:-]\w+)*\.\w+[()]{0,2}")
_CODE = re.compile(r"(`+)[^`\n]+\1")
_THREE_LETTERS = re.compile(r"[^\W\d_]{3}")
_NAME = re.compile(r"[A-Za-z][\w -]{2,}")
_BEFORE_A_WORD = frozenset(" \n\t(*_\"'")
_ICON_SETS = "material|octicons|fontawesome|simple|custom"
_ICON = re.compile(rf":(?:{_ICON_SETS})-[a-z0-9-]{{1,100}}:(?:{ATTRIBUTE_LIST})?")
_KEY = r"(?:[\w-]{1,20}|\"[^\"\n]{1,40}\")"
_KEYS = re.compile(rf"\+\+({_KEY}(?:\+{_KEY}){{0,6}})\+\+(?![\w+])")
_KEY_PART = re.compile(_KEY)
_PLAIN_KEYS = (
    "alt left-alt right-alt shift left-shift right-shift ctrl cmd option meta super win windows fn menu esc tab "
    "enter return space backspace del insert home end page-up page-down up down left right caps-lock num-lock "
    "scroll-lock print-screen pause break cancel clear help"
)
_KEY_NAMES = {
    **{name: name.replace("-", " ").title() for name in _PLAIN_KEYS.split()},
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
    **{"control": "Ctrl", "left-control": "Left Ctrl", "right-control": "Right Ctrl", "command": "Cmd"},
    **{"escape": "Esc", "delete": "Del", "ins": "Insert", "altgr": "AltGr", "spacebar": "Space"},
    **{"arrow-up": "Up", "arrow-down": "Down", "arrow-left": "Left", "arrow-right": "Right"},
    **{"pageup": "Page Up", "pagedown": "Page Down", "context-menu": "Menu"},
    **{"plus": "+", "minus": "-", "hyphen": "-", "underscore": "_", "equal": "=", "comma": ",", "period": "."},
    **{"slash": "/", "backslash": "\\", "semicolon": ";", "colon": ":", "single-quote": "'", "double-quote": '"'},
    **{"backtick": "`", "tilde": "~", "question-mark": "?", "exclam": "!", "pipe": "|", "asterisk": "*"},
}
_PAIRS = {"=": ord("="), "^": ord("^")}
_LANGUAGE_MARK = re.compile(r"#![a-z][\w+-]* +(?=\S)")


def add_mkdocs_inline_rules(md: MarkdownIt) -> None:
    rules = md.inline.ruler
    rules.after("link", "autoref", _autoref)
    rules.before("link", "icon", _icon)
    rules.before("link", "keys", _keys)
    rules.after("strikethrough", "paired_marks", _paired_marks)
    md.inline.ruler2.after("strikethrough", "paired_marks", _hide_paired_marks)


def language_mark(code: str) -> int:
    """How long the mark is by which code in a line names its language: `#!python print()`."""
    match = _LANGUAGE_MARK.match(code)
    return match.end() if match else 0


def _autoref(state: StateInline, silent: bool) -> bool:
    """`[text][package.Name]` that the page does not define: a link to what is made from code, or to another page."""
    start, end = state.pos, state.posMax
    if state.src[start] != "[" or (start and (state.src[start - 1].isalnum() or state.src[start - 1] in "_)]\\")):
        return False
    label_end = parseLinkLabel(state, start)
    match = _IDENTIFIER.match(state.src, label_end, end) if label_end > 0 else None
    if not match:
        return False
    text, stands_apart = state.src[start + 1 : label_end].strip(), not start or state.src[start - 1] in _BEFORE_A_WORD
    if not _is_reference(text, match[1]) and not (stands_apart and _is_named(text, match[1])):
        return False
    if not silent:
        state.push("autoref_open", "", 1)
        state.pos, state.posMax = start + 1, label_end
        state.md.inline.tokenize(state)
        state.push("autoref_close", "", -1)
    state.pos, state.posMax = match.end(), end
    return True


def _is_reference(text: str, identifier: str) -> bool:
    """By its form alone; `[i][j]` is none."""
    if not text or not identifier:
        return bool(text)
    return _DOTTED.fullmatch(identifier) is not None or _CODE.fullmatch(text) is not None


def _is_named(text: str, identifier: str) -> bool:
    """`[weak references][weakref]`, but not `[A-Z][a-z]`, `[Cancel][Apply]` or the marks of `[note 2][note 1]`."""
    if not (_THREE_LETTERS.search(text) and _THREE_LETTERS.search(identifier) and _NAME.fullmatch(identifier)):
        return False
    if any(character.isdigit() for character in text):
        return False
    return " " in text or identifier == identifier.lower() or identifier.lower() == text.lower()


def _icon(state: StateInline, silent: bool) -> bool:
    """`:material-check:{ .green }`: a picture without words."""
    match = _ICON.match(state.src, state.pos, state.posMax) if state.src[state.pos] == ":" else None
    if not match:
        return False
    if not silent:
        state.push("hidden", "", 0)
    state.pos = match.end()
    return True


def _keys(state: StateInline, silent: bool) -> bool:
    """`++ctrl+c++` is Ctrl+C."""
    start = state.pos
    if not state.src.startswith("++", start) or (start and state.src[start - 1] in "+\\"):
        return False
    match = _KEYS.match(state.src, start, state.posMax)
    names = [_key_name(key) for key in _KEY_PART.findall(match[1])] if match else []
    if not match or not all(names):
        return False
    if not silent:
        state.push("keys", "", 0).content = "+".join(name for name in names if name)
    state.pos = match.end()
    return True


def _key_name(key: str) -> str | None:
    """None for what is no key."""
    if key.startswith('"'):
        return key.strip('"')
    return key.upper() if len(key) == 1 else _KEY_NAMES.get(key.lower())


def _paired_marks(state: StateInline, silent: bool) -> bool:
    """One end of `==marked==` or `^^inserted^^`; `a==b` is neither."""
    marker = state.src[state.pos]
    if silent or marker not in _PAIRS:
        return False
    scanned = state.scanDelims(state.pos, False)
    if scanned.length != 2:
        return False
    state.push("text", "", 0).content = marker * 2
    token = len(state.tokens) - 1
    state.delimiters.append(Delimiter(_PAIRS[marker], 0, token, -1, scanned.can_open, scanned.can_close))
    state.pos += 2
    return True


def _hide_paired_marks(state: StateInline) -> None:
    _hide_pairs(state, state.delimiters)
    for meta in state.tokens_meta:
        if meta and "delimiters" in meta:
            _hide_pairs(state, meta["delimiters"])


def _hide_pairs(state: StateInline, delimiters: Iterable[Delimiter]) -> None:
    delimiters = list(delimiters)
    for opener in delimiters:
        if opener.marker in _PAIRS.values() and opener.end != -1:
            for token in (state.tokens[opener.token], state.tokens[delimiters[opener.end].token]):
                token.type, token.content = "hidden", ""

"""The subject of a question, another in its place, and the items of a list that was shown."""

import re

from citebook.language.languages import Language
from citebook.writing.leaning import telling_words

_ITEM = re.compile(r"^ {0,3}(?:[-*•]|\d{1,3}[.)]) +(.+)$", re.MULTILINE)
_END_OF_HEAD = re.compile(r"[.:;!?](?: |$)| [–—-] | \[\d")
_LONGEST_HEAD = 12
_WORD = re.compile(r"\w[\w'’.+-]*")


def with_subject(question: str, subject: str, language: Language) -> str:
    """The question, asked about another subject; where its own is not found, the new one and what else it says."""
    question, subject = question.strip().rstrip("?!. "), subject.strip().rstrip("?!. ")
    span = _alike(question, subject, language) or _related(question, subject, language)
    if span is None and _first_word(subject, language) in language.follow_ups.relating:
        return f"{question} {subject}?"
    span = span or _subject(question, language)
    if span is None:
        return f"{subject} ({' '.join(telling_words(question, language))})?"
    return f"{question[: span[0]]}{subject}{question[span[1] :]}?"


def items_of(answer: str) -> list[str]:
    """What each item of the lists in an answer begins with."""
    return [_head(item) for item in _ITEM.findall(answer)]


def _head(item: str) -> str:
    words = _END_OF_HEAD.split(item, maxsplit=1)[0].replace("*", "").replace("`", "").split()
    return " ".join(words[:_LONGEST_HEAD])


def _subject(question: str, language: Language) -> tuple[int, int] | None:
    found = (expression.search(question) for expression in language.follow_ups.subjects)
    return next((match.span(1) for match in found if match), None)


def _alike(question: str, subject: str, language: Language) -> tuple[int, int] | None:
    """Where the question has a phrase that shares a word with the new subject, with its article."""
    shared, cues = set(language.terms(subject)), language.follow_ups
    run: list[re.Match[str]] = []
    for word in [*_WORD.finditer(question), None]:
        is_part = word is not None and bool(telling_words(word.group(), language))
        if word is not None and is_part:
            run.append(word)
            continue
        told = [part for part in run if part.group().lower() not in cues.articles]
        if shared.intersection(language.terms(" ".join(part.group() for part in told))):
            return run[0].start(), run[-1].end()
        run = [word] if word is not None and word.group().lower() in cues.articles else []
    return None


def _related(question: str, subject: str, language: Language) -> tuple[int, int] | None:
    """The question's last phrase that begins with a word of relation, if the new one does too: “in air”."""
    relating = language.follow_ups.relating
    if _first_word(subject, language) not in relating:
        return None
    starts = [word.start() for word in _WORD.finditer(question) if word.group().lower() in relating]
    return (starts[-1], len(question)) if starts and starts[-1] > 0 else None


def _first_word(text: str, language: Language) -> str:
    return next(language.words(text), "")

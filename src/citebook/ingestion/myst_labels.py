"""The titles that references of MyST show: `(name)=` above a heading, and `` {ref}`name` `` on any page."""

import re
from collections.abc import Iterable, Mapping

_LABELLED_HEADING = re.compile(
    r"^\(([\w.:/-]{1,200})\)=[ \t]*\n(?:[ \t]*\n){0,3}(?:#{1,6})[ \t]+([^\n]{1,300})$", re.MULTILINE
)
_REFERENCE = re.compile(r"\{ref\}`([\w.:/-]{1,200})`")
_MARKUP = re.compile(r"[*`]|\b_|_\b|\{[^{}]{0,100}\}")


def referred_titles(texts: Mapping[str, str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The labels that each page refers to, with the titles that they stand for; the texts are by path."""
    titles = _titles_of_labels(texts.values())
    if not titles:
        return {}
    referred = {path: dict.fromkeys(_REFERENCE.findall(text)) for path, text in texts.items()}
    return {
        path: tuple((label, titles[label]) for label in labels if label in titles)
        for path, labels in referred.items()
    }


def _titles_of_labels(texts: Iterable[str]) -> dict[str, str]:
    """Of all labelled headings; a label that stands twice means the first."""
    titles: dict[str, str] = {}
    for text in texts:
        for label, title in _LABELLED_HEADING.findall(text):
            titles.setdefault(label, _MARKUP.sub("", title).strip())
    return titles

"""Looks up the passages that readers selected, where a label gives only their first and last words."""

import re
from collections.abc import Callable, Iterable, Sequence

from citebook.evals.matching import names_file
from citebook.evals.questions import LabelledQuestion, PassageEnds

_BETWEEN_WORDS = r"[\W_]+"
"""Spaces, line ends and most markup: a label is written from what the page shows."""
_CLOSING = r"[.!?…\"'”’)»]*"


def with_selections(
    questions: Sequence[LabelledQuestion], source_files: Iterable[str], read_source: Callable[[str], str]
) -> tuple[list[LabelledQuestion], list[str]]:
    """The questions with what was selected as text, and a line for each whose passage is not in its gold page."""
    files = list(source_files)
    ready, missing = [], []
    for question in questions:
        if not isinstance(question.selected, PassageEnds):
            ready.append(question)
        elif (text := _looked_up(question, question.selected, files, read_source)) is not None:
            ready.append(question.model_copy(update={"selected": text}))
        else:
            ends = f"“{question.selected.begins} … {question.selected.ends}”"
            missing.append(
                f"{question.where_from}: {ends} is not in {', '.join(question.gold_files) or 'any gold page'}"
            )
    return ready, missing


def _looked_up(
    question: LabelledQuestion, ends: PassageEnds, files: Sequence[str], read_source: Callable[[str], str]
) -> str | None:
    own = (file for file in files if any(names_file(gold, file) for gold in question.gold_files))
    return next((text for file in own if (text := passage_between(read_source(file), ends))), None)


def passage_between(source: str, ends: PassageEnds) -> str | None:
    """From the first words to the nearest last words after them, as the source has it, white space folded."""
    found = re.search(rf"{_spelled(ends.begins)}\b.*?\b{_spelled(ends.ends)}{_CLOSING}", source, re.DOTALL)
    return " ".join(found[0].split()) if found else None


def _spelled(text: str) -> str:
    return _BETWEEN_WORDS.join(re.findall(r"\w+", text))

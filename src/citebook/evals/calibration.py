"""Which answers to labelled questions are right, as far as the confidence in them is to foretell it."""

from collections.abc import Callable, Sequence

from citebook.domain.answer import Outcome
from citebook.evals.answer_metrics import contains_gold
from citebook.evals.answers_run import AnswerResult, ReadSource
from citebook.evals.curve_fitting import Sample
from citebook.evals.questions import LabelledQuestion

_SHORT_GOLD = 12
_LEVELS_WITH_TEXT = frozenset({"paragraph", "excerpt"})

GoldText = Callable[[LabelledQuestion], str]
"""The text of the place that a label names, as far as the book has it."""


def samples_of(
    questions: Sequence[LabelledQuestion], results: Sequence[AnswerResult], gold_text: GoldText
) -> list[Sample]:
    """One for each answer that was given; the confidence of the results must be the raw figure."""
    return [
        Sample(result.confidence, is_right(question, result, gold_text))
        for question, result in zip(questions, results, strict=True)
        if result.outcome is Outcome.ANSWERED
    ]


def is_right(question: LabelledQuestion, result: AnswerResult, gold_text: GoldText) -> bool:
    """Holds the gold words; or, where these are not the book's own words, cites the place that the label names.

    An answer to a question that has none is wrong.
    """
    if not question.answerable or result.contains_gold:
        return question.answerable
    short = [gold for gold in question.answers if _is_short(gold)]
    could_be_quoted = contains_gold(gold_text(question), short, question.spoken)
    return not could_be_quoted and result.right_citations > 0


def _is_short(gold: str) -> bool:
    """A longer one is a reference in someone's own words."""
    return len(gold.split()) <= _SHORT_GOLD


def gold_texts(source_files: Sequence[str], read_source: ReadSource) -> GoldText:
    def text_of(question: LabelledQuestion) -> str:
        if question.gold_level in _LEVELS_WITH_TEXT:
            return question.gold_section_or_paragraph or ""
        own = (file for file in source_files if f"/{question.gold_file}".endswith(f"/{file}"))
        return " ".join(read_source(file) for file in own)

    return text_of

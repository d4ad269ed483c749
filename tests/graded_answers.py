"""Answers to be graded, made by hand, for tests of grades, figures and pages."""

from typing import Any

from citebook.domain.blocks import AnswerPart, plain_paragraph
from citebook.evals.judging_run import JudgedAnswer, hash_of_answer
from citebook.evals.result_files import JudgedRun
from tests.judged_answers import FACTS

SOURCE = {
    "position": 1,
    "source_file": "gears.mdx",
    "chapter_title": "Gears",
    "section_title": "Harmonic drives",
    "url": "/docs/gears",
    "excerpt": "A toothed wheel.",
}


def answered(text: str = "A toothed wheel.", **changed: Any) -> JudgedAnswer:
    """An answer of high confidence that nobody has graded, but for what is changed."""
    fields: dict[str, Any] = {
        "id": "q1",
        "question": "What is a gear?",
        "labels": {"kind": "definition"},
        "answerable": True,
        "expectation": "A wheel with teeth.",
        "gold": ("gears.mdx#teeth",),
        "outcome": "answered",
        "answer": text,
        "parts": (AnswerPart(blocks=(plain_paragraph(text),), citation=1),),
        "sources": (SOURCE,),
        "confidence": 0.9,
        "level": "high",
        "calibrated": True,
        "milliseconds": 20.0,
        "model": "extractive",
    }
    fields |= changed
    return JudgedAnswer.model_validate({"answer_hash": hash_of_answer(fields["question"], text, ())} | fields)


def refusal(**changed: Any) -> JudgedAnswer:
    """A question that was refused."""
    nothing = {"outcome": "refused", "sources": (), "confidence": 0.1, "level": "low"}
    fields: dict[str, Any] = {"text": "The book does not say.", "answerable": False} | nothing | changed
    return answered(**fields)


def judged_run(*results: JudgedAnswer, **changed: Any) -> JudgedRun:
    return JudgedRun(**FACTS | {"results": list(results)} | changed)

"""Asks questions and keeps their answers for people to grade: what was said, with which sources, and how surely."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Citation, ConfidenceLevel, Outcome
from citebook.domain.blocks import AnswerPart
from citebook.domain.question import Policy
from citebook.evals.asking import Heard, ask
from citebook.evals.grades import GivenGrade, Grade, Grades
from citebook.evals.questions import LabelledQuestion, PassageEnds


class Source(BaseModel):
    """A citation as the reader sees it, and where it stands in the book."""

    model_config = ConfigDict(frozen=True)

    position: int
    source_file: str
    chapter_title: str
    section_title: str
    url: str
    page: int | None = None
    excerpt: str

    @classmethod
    def of(cls, citation: Citation) -> Self:
        return cls.model_validate(citation.model_dump(include=set(cls.model_fields)))

    @property
    def place(self) -> str:
        titles = dict.fromkeys((self.chapter_title, self.section_title))
        page = f" (page {self.page})" if self.page is not None else ""
        return f"{' › '.join(titles)}{page}"


class JudgedAnswer(BaseModel):
    """One question with its answer and, once somebody has given it, the grade."""

    model_config = ConfigDict(frozen=True)

    id: str
    """That of the question, or its wording where it has none."""
    question: str
    labels: dict[str, str] = Field(default_factory=dict)
    history: tuple[str, ...] = ()
    selected: str | None = None
    answerable: bool
    expectation: str
    """What a good answer holds."""
    gold: tuple[str, ...] = ()
    outcome: Outcome
    answer: str
    parts: tuple[AnswerPart, ...]
    sources: tuple[Source, ...]
    confidence: float
    level: ConfidenceLevel
    calibrated: bool
    milliseconds: float
    model: str
    """What wrote the answer."""
    error: str | None = None
    """Why it failed, where it did."""
    answer_hash: str
    grade: Grade | None = None
    note: str = ""
    grader: str = ""

    @property
    def kind(self) -> str:
        return self.labels.get("kind", "no kind")

    @property
    def shown_level(self) -> str:
        """The level of its confidence, as far as it makes a claim to be sure of."""
        return self.level if self.outcome is Outcome.ANSWERED else self.outcome.value


async def hear_answers(
    questions: Sequence[LabelledQuestion], agent: RAGChatAgent, policy: Policy, report: Callable[[int], None]
) -> list[JudgedAnswer]:
    answers = []
    for done, question in enumerate(questions, start=1):
        answers.append(_heard(question, await ask(agent, question, policy)))
        report(done)
    return answers


def with_grades(answers: Iterable[JudgedAnswer], grades: Grades, *, keeping_own: bool = False) -> list[JudgedAnswer]:
    """Each with its grade in this file; where there is none, with none or with its own."""
    return [_graded(answer, grades.of(answer.id, answer.answer_hash), keeping_own) for answer in answers]


def _graded(answer: JudgedAnswer, given: GivenGrade | None, keeping_own: bool) -> JudgedAnswer:
    if given is None:
        return answer if keeping_own else answer.model_copy(update={"grade": None, "note": "", "grader": ""})
    return answer.model_copy(update={"grade": given.grade, "note": given.note, "grader": given.grader})


def is_asked_as(question: LabelledQuestion, answer: JudgedAnswer) -> bool:
    """Whether this is the answer to the question as it stands: same wording, conversation and selection."""
    is_selected_so = isinstance(question.selected, PassageEnds) or question.selected == answer.selected
    return question.question == answer.question and question.history == answer.history and is_selected_so


def relabelled(answer: JudgedAnswer, question: LabelledQuestion) -> JudgedAnswer:
    """An answer of an earlier run with what its question says of it today."""
    return answer.model_copy(update=_labels_of(question))


def id_of(question: LabelledQuestion) -> str:
    return question.id or question.question


def _heard(question: LabelledQuestion, heard: Heard) -> JudgedAnswer:
    answer = heard.answer
    sources = tuple(map(Source.of, answer.citations))
    return JudgedAnswer(
        id=id_of(question),
        question=question.question,
        history=question.history,
        selected=question.selected if isinstance(question.selected, str) else None,
        outcome=answer.outcome,
        answer=answer.text,
        parts=answer.parts,
        sources=sources,
        confidence=round(answer.confidence, 4),
        level=answer.confidence_level,
        calibrated=answer.calibrated,
        milliseconds=heard.milliseconds,
        model=answer.model_used,
        error=heard.error,
        answer_hash=hash_of_answer(question.question, answer.text, sources),
        **_labels_of(question),
    )


def _labels_of(question: LabelledQuestion) -> dict[str, Any]:
    """Sets that were made for `eval answers` have gold answers in place of what a good one holds."""
    return {
        "labels": question.labels,
        "answerable": question.answerable,
        "expectation": question.good_answer_holds or " / ".join(question.answers),
        "gold": question.gold or question.gold_files,
    }


def hash_of_answer(question: str, text: str, sources: Sequence[Source]) -> str:
    """Of what a grader reads: the question, the answer, and what each source is and says.

    Confidence, time and offsets are left out: an answer that reads the same deserves the same grade.
    """
    shown = [[source.source_file, source.section_title, source.excerpt] for source in sources]
    return hashlib.sha256(json.dumps([question, text, shown], ensure_ascii=False).encode()).hexdigest()

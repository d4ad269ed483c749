"""What every answer promises, checked on more than 500 of them over the sample book."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from citebook.domain.answer import Answer, Outcome
from citebook.domain.book import Chapter
from citebook.domain.events import AnswerCompleted, EvidenceFound
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Policy, Question
from citebook.evals.questions import read_questions
from citebook.ingestion.pdf import parse_pdf
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from citebook.writing.replies import markdown_of_claims
from tests.conftest import SAMPLE_BOOK
from tests.fakes import events_of

ENOUGH = 500
ANSWER_ANYWAY = Policy(refuse_below=0.0)
"""Weak answers must be verbatim too, so nothing is refused here."""


@dataclass(frozen=True, slots=True)
class Told:
    question: str
    answer: Answer
    evidence: QueryResult


@pytest.fixture(scope="module")
def answers(sample_index: Path) -> list[Told]:
    settings = read_settings(citebook_data_dir=sample_index)

    async def ask_everything() -> list[Told]:
        told = []
        async with Citebook(settings) as citebook:
            book = await citebook.ready_book()
            for text in questions((await book.index.edition()).chapters):
                events = await events_of(book.agent, Question(text=text, policy=ANSWER_ANYWAY))
                last = events[-1]
                if isinstance(last, AnswerCompleted) and last.answer.outcome is Outcome.ANSWERED:
                    assert isinstance(events[0], EvidenceFound)
                    told.append(Told(text, last.answer, events[0].result))
        return told

    return asyncio.run(ask_everything())


def questions(chapters: tuple[Chapter, ...]) -> list[str]:
    """The labelled questions, and two about each section."""
    labelled = [question.question for question in read_questions(SAMPLE_BOOK / "questions.jsonl")]
    titles = [title for chapter in chapters for title in (chapter.title, *chapter.sections)]
    forms = ("What is {}?", "Why does {} matter in practice?")
    return [*labelled, *(form.format(title) for form in forms for title in dict.fromkeys(titles))]


@cache
def text_of(source_file: str) -> str:
    """The characters that offsets count: the file's own, or what was extracted from a PDF."""
    data = (SAMPLE_BOOK / "docs" / source_file).read_bytes()
    return parse_pdf(data)[0] if source_file.endswith(".pdf") else data.decode()


def stands_in_order(visible: str, source: str) -> bool:
    """Whether the source shows these characters, with nothing but markup between them; lines of tables are ours."""
    rest = iter(source)
    return all(character in rest for character in visible if not character.isspace() and character != "|")


def test_there_are_enough_answers_to_tell(answers: list[Told]) -> None:
    assert len(answers) >= ENOUGH


def test_answers_rest_on_every_kind_of_page(answers: list[Told]) -> None:
    cited = {Path(citation.source_file).suffix for told in answers for citation in told.answer.citations}
    assert cited == {".mdx", ".pdf"}


def test_every_excerpt_is_what_the_file_has_at_its_offsets(answers: list[Told]) -> None:
    wrong = [
        (told.question, citation)
        for told in answers
        for citation in told.answer.citations
        if text_of(citation.source_file)[citation.start : citation.end] != citation.source_excerpt
    ]
    assert wrong == []


def test_every_visible_excerpt_is_the_source_without_its_markup(answers: list[Told]) -> None:
    wrong = [
        (told.question, citation)
        for told in answers
        for citation in told.answer.citations
        if not stands_in_order(citation.excerpt, citation.source_excerpt)
    ]
    assert wrong == []


def test_every_claim_is_the_excerpt_that_it_cites(answers: list[Told]) -> None:
    wrong = []
    for told in answers:
        excerpts: Mapping[int, str] = {c.position: c.excerpt for c in told.answer.citations}
        wrong += [(told.question, claim) for claim in told.answer.claims if claim.text != excerpts[claim.citation]]
    assert wrong == []


def test_an_answer_says_nothing_but_its_claims(answers: list[Told]) -> None:
    for told in answers:
        assert told.answer.text == markdown_of_claims(told.answer.claims, introduction=told.answer.introduction), (
            told.question
        )


def test_every_cited_passage_was_retrieved(answers: list[Told]) -> None:
    for told in answers:
        retrieved = {found.chunk.id for found in told.evidence.quotable}
        assert {citation.chunk_id for citation in told.answer.citations} <= retrieved, told.question


def test_every_link_leads_to_the_page_that_is_cited(answers: list[Told]) -> None:
    for told in answers:
        pages = {found.chunk.id: found.chunk.place.url for found in told.evidence.quotable}
        for citation in told.answer.citations:
            assert citation.url.split("#")[0] == pages[citation.chunk_id]
            assert citation.url.startswith("/docs"), "a link must not leave the book"

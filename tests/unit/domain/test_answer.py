"""Answers: no claim without proof."""

from typing import Any

import pytest
from pydantic import ValidationError

from citebook.domain.answer import Answer, Citation, Claim, Outcome, ProvenClaim

SHA256 = "a" * 64


def citation(**changes: Any) -> Citation:
    fields: dict[str, Any] = {
        "position": 1,
        "chunk_id": SHA256,
        "source_file": "intro.mdx",
        "filename": "intro.mdx",
        "chapter_id": "intro",
        "chapter_title": "Introduction",
        "section": "robots",
        "section_title": "Robots",
        "url": "/docs/intro#robots",
        "start": 0,
        "end": 17,
        "excerpt": "Robots sense.",
        "source_excerpt": "**Robots** sense.",
        "relevance_score": 0.9,
    }
    return Citation(**fields | changes)


def answer(**changes: Any) -> Answer:
    fields: dict[str, Any] = {
        "question_id": "q",
        "outcome": Outcome.ANSWERED,
        "text": "Robots sense. [1]",
        "claims": (ProvenClaim(text="Robots sense.", citation=1),),
        "citations": (citation(),),
        "confidence": 0.9,
        "model_used": "extractive",
    }
    return Answer(**fields | changes)


def refusal(**changes: Any) -> Answer:
    fields: dict[str, Any] = {"outcome": Outcome.REFUSED, "claims": (), "citations": (), "confidence": 0.0}
    return answer(**fields | {"text": "The book does not cover this."} | changes)


class TestCitation:
    @pytest.mark.parametrize(
        ("field", "value"),
        [("position", 1), ("start", 0), ("end", 1), ("relevance_score", 0.0), ("relevance_score", 1.0)],
    )
    def test_accepts_the_edges(self, field: str, value: float) -> None:
        assert getattr(citation(**{field: value}), field) == value

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("position", 0),
            ("chunk_id", "a" * 63),
            ("chunk_id", "a" * 65),
            ("start", -1),
            ("end", 0),
            ("excerpt", ""),
            ("source_excerpt", ""),
            ("relevance_score", -0.001),
            ("relevance_score", 1.001),
        ],
    )
    def test_rejects_what_lies_beyond(self, field: str, value: object) -> None:
        with pytest.raises(ValidationError):
            citation(**{field: value})

    def test_has_a_page_only_where_the_book_has_pages(self) -> None:
        assert citation().page is None
        assert citation(page=42).page == 42


class TestClaim:
    @pytest.mark.parametrize("last", [2, 3])
    def test_may_rest_on_one_sentence_or_more(self, last: int) -> None:
        assert Claim(text="x", chunk_id=SHA256, first_sentence=2, last_sentence=last).score is None

    def test_its_range_runs_forward(self) -> None:
        with pytest.raises(ValidationError, match="last_sentence"):
            Claim(text="x", chunk_id=SHA256, first_sentence=2, last_sentence=1)

    @pytest.mark.parametrize(("first", "last"), [(-1, 0), (-2, -1)])
    def test_its_range_starts_in_the_chunk(self, first: int, last: int) -> None:
        with pytest.raises(ValidationError):
            Claim(text="x", chunk_id=SHA256, first_sentence=first, last_sentence=last)

    @pytest.mark.parametrize(("text", "score"), [("", 0.5), ("x", -0.001), ("x", 1.001)])
    def test_says_something_with_a_score_from_0_to_1(self, text: str, score: float) -> None:
        with pytest.raises(ValidationError):
            Claim(text=text, chunk_id=SHA256, first_sentence=0, last_sentence=0, score=score)
        with pytest.raises(ValidationError):
            ProvenClaim(text=text, citation=1, score=score)


class TestAnswer:
    def test_each_claim_points_at_a_citation(self) -> None:
        assert answer().outcome is Outcome.ANSWERED

    @pytest.mark.parametrize("position", [1, 3])
    def test_a_claim_that_points_at_none_is_rejected(self, position: int) -> None:
        with pytest.raises(ValidationError, match="point at a citation"):
            answer(
                claims=(ProvenClaim(text="Robots sense.", citation=position),),
                citations=(citation(position=2),),
            )

    def test_without_claims_it_is_no_answer(self) -> None:
        with pytest.raises(ValidationError, match="refusal"):
            answer(claims=())

    def test_a_refusal_may_have_no_sources(self) -> None:
        assert refusal().citations == ()

    def test_a_refusal_has_no_unproven_claims_either(self) -> None:
        with pytest.raises(ValidationError, match="point at a citation"):
            refusal(claims=(ProvenClaim(text="Robots sense.", citation=1),))

    def test_an_answer_and_a_refusal_say_something(self) -> None:
        with pytest.raises(ValidationError, match="say something"):
            answer(text="")
        with pytest.raises(ValidationError, match="say something"):
            refusal(text="")
        assert refusal(outcome=Outcome.FAILED, text="").text == ""

    def test_has_at_most_10_000_characters(self) -> None:
        assert answer(text="x" * 10_000)
        with pytest.raises(ValidationError):
            answer(text="x" * 10_001)

    @pytest.mark.parametrize("confidence", [-0.001, 1.001, float("nan")])
    def test_confidence_is_a_probability(self, confidence: float) -> None:
        assert answer(confidence=0.0).confidence == 0.0
        assert answer(confidence=1.0).confidence == 1.0
        with pytest.raises(ValidationError):
            answer(confidence=confidence)

    def test_has_no_confidence_by_default(self) -> None:
        fields = dict(answer())
        del fields["confidence"]
        with pytest.raises(ValidationError):
            Answer.model_validate(fields)

    def test_names_the_model_that_made_it(self) -> None:
        with pytest.raises(ValidationError):
            answer(model_used="")

    @pytest.mark.parametrize(
        ("confidence", "level"),
        [
            (0.0, "low"),
            (0.699, "low"),
            (0.70, "medium"),
            (0.85, "medium"),
            (0.851, "high"),
            (1.0, "high"),
        ],
    )
    def test_puts_its_confidence_in_words(self, confidence: float, level: str) -> None:
        assert answer(confidence=confidence).confidence_level == level

"""What counts as personal data, and what must not."""

import pytest

from citebook.domain.errors import InvalidQuestion
from citebook.domain.question import Question
from citebook.records.personal_data import Finding, PersonalData
from tests.records import full_record


def found_in(text: str) -> list[Finding]:
    return list(PersonalData("mask").find(text))


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("Send it to anna.b+school@mail.example.org, please.", "e-mail address", "anna.b+school@mail.example.org"),
        ("Call +49 30 901820 or not", "phone number", "+49 30 901820"),
        ("My number is 030/901820-12.", "phone number", "030/901820-12"),
        ("Reach me at (555) 010-7788?", "phone number", "(555) 010-7788"),
        ("06 12 34 56 78", "phone number", "06 12 34 56 78"),
        ("Is 4111 1111 1111 1111 a prime?", "card number", "4111 1111 1111 1111"),
        ("Hi, my name is Anna-Lena O’Neil and what is a gear?", "name", "Anna-Lena O’Neil"),
        ("I am called Bo. What is a gear?", "name", "Bo"),
    ],
)
def test_personal_data_is_found(question: str, kind: str, text: str) -> None:
    assert Finding(kind, text) in found_in(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is ISO 10218-1:2011, and since 2024-01-15?",
        "Why is 3.14159265358979 an approximation?",
        "Add 0101 1010 0011 and 0110 in binary.",
        "What does ISBN 978-3-16-148410-0 stand for?",
        "Is 192.168.100.200 a private address?",
        "What is 1 000 000 000 times 0.000001?",
        "What does @app.get do, and user@host in ssh?",
        "What did Dr. Asimov say about robots?",
        "What is the name of the topic /cmd_vel?",
        "Is my name is a keyword?",
        "How far is 384,400,000 metres?",
        "What is 0x7fff5fbff8a0?",
    ],
)
def test_what_books_are_asked_is_no_personal_data(question: str) -> None:
    assert found_in(question) == []


def test_a_record_has_masks_wherever_it_repeats_the_reader() -> None:
    said = "My name is Will. What will a gear do? Write to will@example.org."
    record = full_record(
        user_query_text=said,
        retrieval_query="what does a gear do will@example.org",
        llm_prompt=f"Answer: {said}",
        llm_response="Will, it will turn.",
        answer_text="It will turn.",
    )
    masked = PersonalData("mask").masked(record, said)
    assert masked.user_query_text == "My name is [name]. What will a gear do? Write to [e-mail address]."
    assert masked.retrieval_query == "what does a gear do [e-mail address]"
    assert masked.llm_prompt == f"Answer: {masked.user_query_text}"
    assert masked.llm_response == "[name], it will turn."
    assert masked.answer_text == "It will turn."
    assert masked.citations == record.citations


def test_a_name_is_masked_in_what_was_searched_for_too() -> None:
    said = "My name is John Smith. What is a gear?"
    record = full_record(user_query_text=said, retrieval_query=said.lower())
    assert PersonalData("mask").masked(record, said).retrieval_query == "my name is [name]. what is a gear?"


def test_off_changes_nothing() -> None:
    record = full_record(user_query_text="a@example.org")
    assert PersonalData("off").masked(record, record.user_query_text) == record
    PersonalData("off").check(Question(text="a@example.org"))


def test_a_refusal_names_the_kind_and_not_the_data() -> None:
    with pytest.raises(InvalidQuestion, match="leave out the e-mail address") as refusal:
        PersonalData("refuse").check(Question(text="Who is a@example.org?"))
    assert "a@example" not in str(refusal.value)
    PersonalData("refuse").check(Question(text="What is a gear?"))
    PersonalData("mask").check(Question(text="Who is a@example.org?"))

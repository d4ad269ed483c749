"""What the router makes of a reader's words."""

import pytest

from citebook.agents.query_router import RouteKind, route_by_rule
from citebook.domain.conversation import Exchange
from citebook.domain.errors import InvalidQuestion
from citebook.domain.question import Policy, Question, TextRule
from citebook.language.languages import language_of
from tests.fakes import ENGLISH

EARLIER = (Exchange(question="What is a harmonic drive?", answer="A gear."),)


@pytest.mark.parametrize("text", ["hi", "Hello!", "  hey there ", "Good morning.", "thanks!", "who are you?"])
def test_small_talk_is_answered_without_a_search(text: str) -> None:
    assert (route_by_rule(Question(text=text), ENGLISH)).kind is RouteKind.GREETING


@pytest.mark.parametrize(
    "text",
    [
        "which sensor is cheapest",
        "history of robots",
        "hi-fi audio on robots",
        "hey, what is SLAM?",
        "thanks to what?",
    ],
)
def test_a_question_that_contains_a_greeting_is_searched(text: str) -> None:
    assert (route_by_rule(Question(text=text), ENGLISH)).kind is RouteKind.SEARCH


@pytest.mark.parametrize("text", ["tell me more", "Why?", "and why is that?", "go on", "what about it?"])
def test_a_follow_up_to_nothing_is_asked_to_be_specific(text: str) -> None:
    assert (route_by_rule(Question(text=text), ENGLISH)).kind is RouteKind.CLARIFY


@pytest.mark.parametrize("text", ["tell me more", "Why?", "and why is that?", "Is it expensive?", "what else?"])
def test_a_follow_up_is_searched_with_what_the_question_before_was_about(text: str) -> None:
    route = route_by_rule(Question(text=text, history=EARLIER), ENGLISH)
    assert route.kind is RouteKind.SEARCH
    assert route.leans_back
    assert "harmonic drive" in route.text


def test_a_question_that_stands_alone_is_searched_alone() -> None:
    route = route_by_rule(Question(text="How does a particle filter resample?", history=EARLIER), ENGLISH)
    assert route.text == "How does a particle filter resample?"


def test_a_chain_of_follow_ups_reaches_back_to_the_first() -> None:
    history = (*EARLIER, Exchange(question="and why is that?", answer="…"))
    assert "harmonic drive" in (route_by_rule(Question(text="tell me more", history=history), ENGLISH)).text


def test_selected_text_steers_the_search() -> None:
    route = route_by_rule(Question(text="What does this mean?", selected_text="The Jacobian loses rank."), ENGLISH)
    assert route.kind is RouteKind.SEARCH
    assert "Jacobian" in route.text


@pytest.mark.parametrize(
    "text", ["¿Qué es la cinemática inversa?", "Was ist eine Regelung?", "什么是机器人", "что такое робот"]
)
def test_another_language_is_asked_to_be_the_book_s(text: str) -> None:
    assert (route_by_rule(Question(text=text), ENGLISH)).kind is RouteKind.OTHER_LANGUAGE


def test_the_reply_names_the_language_of_the_book() -> None:
    route = route_by_rule(Question(text="Was ist eine Regelung?"), ENGLISH)
    assert route.text == "This book is in English. Please ask your question in English."


@pytest.mark.parametrize("text", ["Was ist eine Regelung?", "What is control?", "¿Qué es la cinemática inversa?"])
def test_a_book_in_a_language_without_replies_takes_any_question(text: str) -> None:
    assert (route_by_rule(Question(text=text), language_of("de"))).kind is RouteKind.SEARCH


@pytest.mark.parametrize(
    "text",
    [
        "El Niño",
        "What is θ in the rotation matrix?",
        "Was the die cast for robots?",
        "/cmd_vel TF2 a < b",
        "naïve Bayes vs EKF",
    ],
)
def test_odd_looking_english_is_searched_as_it_is(text: str) -> None:
    route = route_by_rule(Question(text=text), ENGLISH)
    assert route.kind is RouteKind.SEARCH
    assert route.text == text


@pytest.mark.parametrize(
    ("text", "policy", "rule"),
    [
        ("   ", Policy(), "empty"),
        ("a\x00b", Policy(), "NUL"),
        ("\ud800", Policy(), "Unicode"),
        ("x" * 501, Policy(question=TextRule(max_characters=500)), "at most 500 characters"),
        ("ab", Policy(question=TextRule(min_characters=3)), "at least 3 characters"),
        ("word " * 501, Policy(question=TextRule(max_words=500)), "exceeds 500 words"),
    ],
)
def test_a_broken_rule_is_named(text: str, policy: Policy, rule: str) -> None:
    with pytest.raises(InvalidQuestion, match=rule) as error:
        route_by_rule(Question(text=text, policy=policy), ENGLISH)
    assert rule in error.value.user_message

"""Whether a question is in another language than the book."""

import json
from pathlib import Path

import pytest

from citebook.language.languages import language_of
from citebook.language.spoken import is_in_another_language

ENGLISH = language_of("en")
SAMPLE = Path(__file__).parents[3] / "examples" / "physical-ai" / "questions.jsonl"

IN_ENGLISH = [
    "wat is a revolut joint",
    # names and loan words with accents
    "Define El Niño",
    "define el niño",
    "el niño",
    "el niño and la niña",
    "What is El Niño and what is La Niña?",
    "Who was Erwin Schrödinger?",
    "Schrödinger equation",
    "naïve Bayes vs EKF",
    "Poincaré map",
    "Fabry–Pérot cavity",
    "Pays de la Loire",
    "pays de la loire",
    "Charles de Gaulle and Leonardo da Vinci",
    "Ludwig van Beethoven",
    "What does “c'est la vie” mean?",
    'translate "el robot es rojo"',
    "déjà vu",
    "What is Das Kapital about?",
    # English that looks like something else
    "Was the die cast for robots?",
    "Was he in Des Moines?",
    "a son in law inherits",
    "comment syntax",
    "volt vs ampere",
    "is ik per se hard",
    "sin cos tan det var",
    "no son",
    "TF2",
    # formulas and code
    "What is θ in the rotation matrix?",
    "α β γ",
    "ω = Δθ/Δt",
    "/cmd_vel TF2 a < b",
    "for i in range(10): print(i)",
    "SELECT * FROM users WHERE id = 1",
    "import numpy as np",
    "ros2 run demo_nodes_cpp talker",
    "const e = () => y || o",
    "What does `que es la vida` print?",
    "What does 机器人 mean?",
    "",
    "???",
]

IN_ANOTHER = [
    # German
    "Was ist eine Regelung?",
    "Wie funktioniert ein Roboter?",
    "warum ist die kinematik wichtig",
    "Welche Sensoren gibt es und wofür sind sie gut?",
    "WAS IST EIN ROBOTER?",
    # French
    "Qu'est-ce que la cinématique inverse ?",
    "Comment fonctionne le SLAM ?",
    "pourquoi la friction est importante",
    "Explique la cinématique inverse",
    # Spanish
    "¿Qué es la cinemática inversa?",
    "que es ros2",
    "Cómo funciona un robot",
    # Italian
    "Che cos'è la cinematica inversa?",
    "Come funziona un robot e perché si muove?",
    # Portuguese
    "O que é cinemática inversa?",
    "Como funciona um robô e por que não cai?",
    # Dutch
    "Wat is een robot?",
    "Hoe werkt een robot en waarom?",
    # others with the Latin alphabet
    "Vad är en robot och hur fungerar den?",
    "Co to jest robot i jak działa?",
    "Apa itu robot dan bagaimana cara kerjanya?",
    # other scripts
    "روبوٹ کیا ہے؟",
    "什么是机器人",
    "ロボットとは何ですか",
    "что такое робот",
    "रोबोट क्या है",
    "Τι είναι το ρομπότ;",
    "ROS 2 是什么？",
]


@pytest.mark.parametrize("text", IN_ENGLISH)
def test_english_is_english(text: str) -> None:
    assert not is_in_another_language(text, ENGLISH)


@pytest.mark.parametrize("text", IN_ANOTHER)
def test_another_language_is_noticed(text: str) -> None:
    assert is_in_another_language(text, ENGLISH)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Was ist eine Regelung?"),
        ("fr", "Qu'est-ce que la cinématique inverse ?"),
        ("es", "¿Qué es la cinemática inversa?"),
        ("pt", "O que é cinemática inversa?"),
        ("nl", "Wat is een robot?"),
        ("ur", "روبوٹ کیا ہے؟"),
        ("zh", "什么是机器人"),
        ("ja", "ロボットとは何ですか"),
        ("el", "Τι είναι το ρομπότ;"),
    ],
)
def test_a_question_in_the_book_s_language_is_no_foreigner(code: str, text: str) -> None:
    assert not is_in_another_language(text, language_of(code))


def test_english_is_foreign_to_a_book_in_german() -> None:
    assert is_in_another_language("What is the difference between a robot and a machine?", language_of("de"))


def test_no_question_of_the_sample_book_is_taken_for_foreign() -> None:
    questions = [json.loads(line)["question"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert [text for text in questions if is_in_another_language(text, ENGLISH)] == []


def test_a_very_long_question_takes_no_longer() -> None:
    assert not is_in_another_language("what is this " * 100_000, ENGLISH)

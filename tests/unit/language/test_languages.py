"""Languages of books, and the word lists that come with them."""

from importlib.resources import files

import pytest

from citebook.language.claim_words import Claims
from citebook.language.languages import Language, known_languages, language_of
from citebook.language.word_lists import Answers, FollowUps, Passages, Questions
from citebook.reading.answer_cues import QuestionKind

ENGLISH, GERMAN = language_of("en"), language_of("de")
FOLDERS = {
    folder.name for folder in files("citebook.language").iterdir() if folder.is_dir() and "_" not in folder.name
}


@pytest.mark.parametrize("code", ["de", "DE", "de-CH", "de_AT"])
def test_a_language_is_one_whatever_its_country(code: str) -> None:
    assert language_of(code) is GERMAN


@pytest.mark.parametrize("code", ["", "e", "english", "../en", "e1"])
def test_what_is_no_code_is_rejected(code: str) -> None:
    with pytest.raises(ValueError, match="no language code"):
        language_of(code)


def test_terms_are_stems_of_the_words_that_carry_meaning() -> None:
    assert ENGLISH.terms("The drives are driving the /cmd_vel topic") == [
        "drive",
        "drive",
        "cmd_vel",
        "cmd",
        "vel",
        "topic",
    ]
    assert GERMAN.terms("Die Häuser der Städte") == ["haus", "stadt"]
    assert language_of("fr").terms("Les robots sont des machines") == ["robot", "machin"]


def test_accents_do_not_matter() -> None:
    assert language_of("es").terms("¿Qué es la cinemática?") == language_of("es").terms("que es la cinematica")


def test_sentences_are_cut_by_the_rules_of_the_language() -> None:
    text = "Das gilt z.B. für Roboter. Und sonst?"
    assert [text[start:end] for start, end in GERMAN.sentence_spans(text)] == [
        "Das gilt z.B. für Roboter.",
        "Und sonst?",
    ]


@pytest.mark.parametrize("code", ["de", "fi", "zh", "xx"])
def test_a_language_without_a_folder_has_no_cues_of_another(code: str) -> None:
    language = language_of(code)
    groups = (language.questions, language.answers, language.passages, language.claims, language.follow_ups)
    assert groups == (Questions(), Answers(), Passages(), Claims(), FollowUps())


def test_a_language_without_replies_speaks_english_and_takes_any_question() -> None:
    own, english = GERMAN.conversation, ENGLISH.conversation
    assert own.replies.greeting == english.replies.greeting
    assert own.replies.other_language is None
    assert not own.greetings


def test_a_language_nobody_told_us_of_still_has_words() -> None:
    assert language_of("xx").terms("Words as they stand") == ["words", "as", "they", "stand"]


def test_every_stemmer_that_is_named_is_there() -> None:
    from Stemmer import algorithms

    named = {facts.stemmer for facts in known_languages().values() if facts.stemmer}
    assert named <= set(algorithms())


def test_function_words_are_written_as_they_are_compared() -> None:
    crooked = {
        (code, word)
        for code, facts in known_languages().items()
        for word in facts.words | facts.particles
        if list(language_of(code).words(word)) != [word]
    }
    assert crooked == set()


def test_every_folder_belongs_to_a_language() -> None:
    assert {facts.name.lower() for facts in known_languages().values()} >= FOLDERS


@pytest.mark.parametrize(
    "language", [language_of(c) for c, f in known_languages().items() if f.name.lower() in FOLDERS]
)
def test_every_file_of_a_folder_can_be_used(language: Language) -> None:
    folder = files("citebook.language") / language.name.lower()
    names = sorted(file.name.partition(".")[0] for file in folder.iterdir())
    assert all(getattr(language, name) for name in names)
    assert set(language.questions.kinds) <= set(QuestionKind)


def test_a_stop_in_an_unbroken_range_ends_no_sentence() -> None:
    text = "Call panic! Or not. End."
    spans = language_of("en").sentence_spans(text, [(5, 11)])
    assert [text[start:end] for start, end in spans] == ["Call panic! Or not.", "End."]

"""What is quoted of a selected text and around it."""

import pytest

from citebook.domain.answer import Claim
from citebook.language.languages import language_of
from citebook.searching.selections import Selection, Wish, find_selection, wish_of
from tests.fakes import ENGLISH, make_chunk

HACKING = make_chunk(
    "Reward hacking is a fault of learners. A learner that earns points per metre may fall forward. "
    "Falling also covers a metre. These are cases where the letter is satisfied. The intent is not.",
    "learning.mdx",
)
OTHER = make_chunk("A stepper motor turns in fixed steps. It needs no encoder.", "motors.mdx")
SELECTED = "A learner that **earns** points\nper metre may fall forward. Falling also covers a metre."


def selection(text: str = SELECTED) -> Selection:
    found = find_selection(text, [OTHER, HACKING], ENGLISH)
    assert found is not None
    return found


def texts(claims: list[Claim]) -> list[str]:
    return [claim.text for claim in claims]


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("explain this", Wish.EXPLANATION),
        ("Can you explain this in simple words?", Wish.EXPLANATION),
        ("what does this mean?", Wish.EXPLANATION),
        ("What does this mean for me?", Wish.EXPLANATION),
        ("I don't understand this.", Wish.EXPLANATION),
        ("tell me more", Wish.EXPLANATION),
        ("Summarise this.", Wish.SUMMARY),
        ("summarize this passage in one sentence", Wish.SUMMARY),
        ("what is the main idea of this?", Wish.SUMMARY),
        ("explain how a learner falls", Wish.ANSWER),
        ("What does nosocomial mean?", Wish.ANSWER),
        ("why 24 and not 12?", Wish.ANSWER),
        ("what is this robot made of?", Wish.ANSWER),
    ],
)
def test_what_is_wanted_of_a_selection(text: str, wish: Wish) -> None:
    assert wish_of(text, ENGLISH) is wish


def test_of_a_language_without_cues_every_question_wants_an_answer() -> None:
    assert wish_of("Erkläre das", language_of("de")) is Wish.ANSWER


def test_a_selection_is_found_in_the_book_whatever_its_markup() -> None:
    found = selection()
    assert (found.chunk.id, found.first, found.last, found.ends_within) == (HACKING.id, 1, 2, False)


def test_a_selection_may_end_within_a_sentence() -> None:
    found = selection("A learner that earns points per metre")
    assert (found.first, found.last, found.ends_within) == (1, 1, True)


def test_what_the_book_does_not_have_is_not_found() -> None:
    assert find_selection("Bananas are yellow in summer.", [HACKING, OTHER], ENGLISH) is None


def test_what_goes_on_from_a_selection_explains_it() -> None:
    claims = selection().explanation([HACKING, OTHER])
    assert texts(claims)[-1] == "These are cases where the letter is satisfied. The intent is not."
    assert not any("points per metre" in text for text in texts(claims))


def test_a_definition_of_what_its_heading_names_comes_first() -> None:
    chunk = HACKING.model_copy(update={"section_title": "Learners", "section_path": ("Learners",)})
    defined = make_chunk("Learners are programs that get better. They need data.", "programs.mdx")
    place = Selection(chunk, 0, 1, ends_within=False, language=ENGLISH)
    assert texts(place.explanation([chunk, defined]))[0] == "Learners are programs that get better."


def test_where_nothing_follows_the_selection_speaks_for_itself() -> None:
    alone = Selection.whole(OTHER, ENGLISH)
    assert texts(alone.explanation([OTHER])) == ["A stepper motor turns in fixed steps."]


def test_a_summary_is_the_sentence_that_shares_most_with_the_others() -> None:
    chunk = make_chunk(
        "Wait. Belts stretch. Belts stretch under load and load is high. The load is high.", "belts.mdx"
    )
    whole = Selection.whole(chunk, ENGLISH)
    assert texts(whole.summary(in_one_sentence=True)) == ["Belts stretch under load and load is high."]
    assert len(whole.summary()) <= 2


def test_the_best_sentence_has_most_of_the_question() -> None:
    assert selection().best(ENGLISH.terms("does falling cover a metre?")).text == "Falling also covers a metre."


def test_coverage_is_the_share_of_terms() -> None:
    assert selection().coverage(["metr", "salari"]) == 0.5
    assert selection().coverage([]) == 0.0

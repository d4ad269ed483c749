"""Which claims say what their quote says: every word in its place, and nothing left out that matters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.language.languages import language_of
from citebook.proving.placing.in_place import Surroundings, is_in_place
from tests.fakes import ENGLISH

NOWHERE = Surroundings()

SPEED = "Unless measured, the person is assumed to walk at 1.6 m/s."
STOP = "An emergency stop must be category 0 or 1; category 2 is not permitted for it."
RELEASE = "ROS 2, whose first full release (Ardent) came out in December 2017, removed the master."
GEAR = "The flexspline has two teeth fewer than the circular spline."
LIMITS = "For the chest the limit is 140 N, for the hand likewise 140 N, for the face 65 N."
ENCODERS = "An incremental encoder counts only changes; an absolute encoder knows its angle at once."
BATTERY = "If the battery falls below 15 percent, the robot returns to its dock and refuses new tasks."
FORT = "The fort was destroyed in 1560 by the Portuguese, who captured part of the Huguenots."
DATABASE = "Here the database is read-only, so systems may run in parallel."
CELLS = "Most of the cells divide before the membrane closes, but none divides after that."

SENSORS = "The sensor reports distance, and the camera reports color and depth."
WAR = "Hunger, disease and the war forced the king to leave the city."
TROPHY = "In 1935, Chicago football player Jay Berwanger won the trophy."

FALSE = [
    pytest.param(SPEED, "Unless measured, the person is assumed to walk at 2.6 m/s.", id="another number"),
    pytest.param(LIMITS, "For the chest the limit is 65 N.", id="a number of another place"),
    pytest.param(SPEED, "Unless measured, the person is assumed to walk at 1.6 km/h.", id="another unit"),
    pytest.param(LIMITS, "For the face the limit is 140 N.", id="a name of another place"),
    pytest.param(ENCODERS, "An incremental encoder knows its angle at once.", id="who does what another does"),
    pytest.param(FORT, "The fort was destroyed in 1560 by the Spanish.", id="another name"),
    pytest.param(RELEASE, "Ardent removed ROS 2.", id="roles swapped"),
    pytest.param(FORT, "The Huguenots captured part of the Portuguese.", id="roles swapped in a passive"),
    pytest.param(SPEED, "The person is assumed to walk at 1.6 m/s.", id="a condition dropped"),
    pytest.param(
        BATTERY, "Unless the battery falls below 15 percent, the robot returns to its dock.", id="another one"
    ),
    pytest.param(STOP, "Category 2 is required for an emergency stop.", id="an opposite"),
    pytest.param(STOP, "Category 2 is permitted for an emergency stop.", id="no longer denied"),
    pytest.param(RELEASE, "ROS 2 has not removed the master.", id="denied"),
    pytest.param(CELLS, "All of the cells divide before the membrane closes.", id="another quantifier"),
    pytest.param(ENCODERS, "An incremental encoder counts changes.", id="“only” dropped"),
    pytest.param(GEAR, "The toxic radioactive flexspline has two teeth fewer than the circular spline.", id="added"),
    pytest.param(CELLS, "Most of the cells divide after the membrane closes.", id="the order in time"),
    pytest.param(GEAR, "The flexspline has two teeth more than the circular spline.", id="another comparison"),
    pytest.param(GEAR, "The circular spline has two teeth fewer than the flexspline.", id="compared the other way"),
    pytest.param(
        DATABASE, "Systems may run in parallel, so the database is read-only.", id="cause and effect swapped"
    ),
    pytest.param(DATABASE, "You may run systems in parallel.", id="spoken to the reader"),
    pytest.param("They divide.", "The cells divide.", id="a name from nowhere"),
    pytest.param("Few robots survive the test.", "A few robots survive the test.", id="“a few” for “few”"),
    pytest.param("The joint barely moves.", "The joint does not move.", id="“not” for “barely”"),
    pytest.param("The server uses no cache.", "The server no longer uses a cache.", id="“no longer” for “no”"),
    pytest.param("It has the most users in Asia.", "It has most users in Asia.", id="“most” for “the most”"),
    pytest.param("The study shows that sleep helps.", "The study proves that sleep helps.", id="proof for a sign"),
    pytest.param("The dog chased the cat, which ran away.", "The dog ran away.", id="what another did"),
    pytest.param("The drug reduced growth in mice.", "The drug reduced growth.", id="where it holds dropped"),
    pytest.param("The software is free for students.", "The software is free.", id="for whom it holds dropped"),
    pytest.param(
        "Rust uses ownership rather than garbage collection.", "Rust uses garbage collection.", id="instead"
    ),
    pytest.param(SENSORS, "The sensor reports depth.", id="an item of another list"),
    pytest.param("The town was the capital.", "The town is the capital.", id="another time"),
    pytest.param("The rival of the engineer Diesel built a pump.", "Diesel built a pump.", id="another's deed"),
    pytest.param("Critics say player Jay Smith won the cup.", "Jay Smith won the cup.", id="what others say"),
    pytest.param("Not every node runs alone.", "Nodes run alone.", id="not all of a kind"),
    pytest.param("Almost all nodes run in one process.", "Nodes run in one process.", id="almost all of a kind"),
    pytest.param("The pump is old, and the valve is new.", "The valve is old and the pump is new.", id="swapped"),
    pytest.param("The pump is old. The valve may be open.", "The pump is old and the valve is open.", id="may"),
    pytest.param("The lamp is red. If it rains, the roof is shut.", "The lamp is red and the roof is shut.", id="if"),
]

TRUE = [
    pytest.param(WAR, "The king was forced to leave the city by hunger, disease and the war.", id="several agents"),
    pytest.param(TROPHY, "Jay Berwanger won the trophy in 1935.", id="without the title, and the year moved"),
    pytest.param("Each node runs in its own process.", "Nodes run in their own process.", id="all of a kind"),
    pytest.param(
        "A pump wired the room; a valve runs the test.",
        "The room was wired by a pump, and the test is run by a valve.",
        id="two clauses, each passive",
    ),
    pytest.param("He left, as he was ill.", "He left because he was ill.", id="“as” for “because”"),
    pytest.param("It takes place in the cell.", "It occurs in the cell.", id="a phrase for a word"),
    pytest.param("The pump runs with zero load.", "The pump runs without load.", id="“without” for “with zero”"),
    pytest.param(FORT, "The Portuguese destroyed the fort in 1560.", id="active for passive"),
    pytest.param(RELEASE, "The master was removed by ROS 2.", id="passive for active"),
    pytest.param(FORT, "The fort was destroyed in 1560.", id="without the agent"),
    pytest.param(BATTERY, "If the battery drops below 15 percent, the robot goes back to its dock.", id="synonyms"),
    pytest.param(STOP, "An emergency stop must be category 0 or 1.", id="one clause of two"),
    pytest.param(
        BATTERY, "If the battery falls below 15 percent, the robot refuses new tasks.", id="one verb of two"
    ),
    pytest.param(FORT, "In 1560 the fort was destroyed by the Portuguese.", id="a phrase moved to the front"),
    pytest.param(
        BATTERY, "The robot returns to its dock if the battery falls below 15 percent.", id="a clause moved"
    ),
    pytest.param(STOP, "Category 2 is not permitted for an emergency stop.", id="a pronoun resolved"),
    pytest.param(FORT, "The Portuguese captured part of the Huguenots.", id="what “who” stands for"),
    pytest.param(GEAR, "The flexspline has 2 teeth fewer than the circular spline.", id="a number in digits"),
    pytest.param(
        SPEED, "Unless measured, the person is assumed to walk at 1.6 metres per second.", id="a unit in words"
    ),
    pytest.param(DATABASE, "Systems can run in parallel because the database is read-only.", id="because for so"),
    pytest.param(
        GEAR, "The circular spline has two teeth more than the flexspline.", id="compared from the other side"
    ),
    pytest.param(
        RELEASE, "The first full release of ROS 2 came out in December 2017.", id="two parts of a name joined"
    ),
    pytest.param("The colour of the organ fades.", "The organ's color fades.", id="another spelling"),
]


@pytest.mark.parametrize(("quote", "claim"), FALSE)
def test_what_the_quote_does_not_say_is_not_in_place(quote: str, claim: str) -> None:
    assert not is_in_place(claim, quote, NOWHERE, ENGLISH)


@pytest.mark.parametrize(("quote", "claim"), TRUE)
def test_the_same_in_other_words_is_in_place(quote: str, claim: str) -> None:
    assert is_in_place(claim, quote, NOWHERE, ENGLISH)


def test_organs_are_no_organisms_though_their_stems_are_the_same() -> None:
    assert not is_in_place("The organism grows.", "The organ grows.", NOWHERE, ENGLISH)
    assert is_in_place("The organs grow.", "The organ grows.", NOWHERE, ENGLISH)


def test_the_sentence_before_says_what_a_pronoun_stands_for_and_nothing_else() -> None:
    around = Surroundings(before="The hip is a joint of the leg.")
    assert is_in_place("The hip swings far.", "It swings far.", around, ENGLISH)
    assert not is_in_place("The leg swings far.", "It swings far.", around, ENGLISH)
    assert not is_in_place("The hip joint of the leg swings far.", "The knee swings far.", around, ENGLISH)


def test_what_they_are_is_several_and_what_it_is_is_one() -> None:
    around = Surroundings(before="The hip has three muscles.")
    assert not is_in_place("The hip tires.", "They tire.", around, ENGLISH)


def test_a_heading_may_name_what_a_pronoun_stands_for() -> None:
    around = Surroundings(headings=("Robots", "Harmonic drives"))
    assert is_in_place("Harmonic drives have no backlash.", "They have no backlash.", around, ENGLISH)
    assert not is_in_place("Robots have no backlash.", "They have no backlash.", around, ENGLISH)


def test_a_name_and_its_first_letters_are_one() -> None:
    quote = "Pratt proposed the series elastic actuator (SEA) in 1995."
    assert is_in_place("The SEA was proposed by Pratt in 1995.", quote, NOWHERE, ENGLISH)


def test_nothing_is_told_in_other_words_of_what_is_too_long_to_compare() -> None:
    assert not is_in_place("The knee bends.", "The knee bends. " * 400, NOWHERE, ENGLISH)
    assert not is_in_place("The knee bends " * 60, "The knee bends.", NOWHERE, ENGLISH)


def test_of_a_language_without_lists_only_its_own_words_are_in_place() -> None:
    unknown = language_of("xx")
    assert is_in_place("Das Knie beugt sich", "Das Knie beugt sich.", NOWHERE, unknown)
    assert not is_in_place("Das Knie beugt sich", "Das Knie beugt sich nicht.", NOWHERE, unknown)


@given(st.text(max_size=200), st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_in_place_or_not(claim: str, quote: str, before: str) -> None:
    assert is_in_place(claim, quote, Surroundings(before, (before,)), ENGLISH) in (True, False)


WORDS = st.lists(
    st.sampled_from(
        "the a robot robots it they its which who stops by of in because so if when , . ; ( ) not only most all 2 5 "
        "m/s kg is was than more less faster slower and or but that 's ROS every second may".split()
    ),
    max_size=30,
).map(" ".join)


@given(WORDS, WORDS, WORDS)
def test_any_order_of_words_is_in_place_or_not(claim: str, quote: str, before: str) -> None:
    assert is_in_place(claim, quote, Surroundings(before, (before,)), ENGLISH) in (True, False)


@given(WORDS)
def test_a_word_from_elsewhere_is_never_in_place(quote: str) -> None:
    assert not is_in_place(f"{quote} radioactive", quote, NOWHERE, ENGLISH)

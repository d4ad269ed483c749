"""Which claims in other words the quoted sentences support."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.proving.placing.in_place import Surroundings
from citebook.proving.support.checked_text import CheckedText
from citebook.proving.support.judging import proven_from, support
from citebook.proving.support.names import has_foreign_link, missing_names
from citebook.proving.support.numbers import missing_numbers
from tests.fakes import ENGLISH

NOWHERE = Surroundings()
SUPPORTED = [
    (
        "The planner publishes velocity commands to the topic /cmd_vel at 10 Hz.",
        "The planner publishes velocity commands to the topic /cmd_vel at 10 hertz.",
    ),
    ("Frank hired Ann in March 2019.", "Ann was hired by Frank in March 2019."),
    ("Mitochondria produce most of the cell's ATP.", "Most of the ATP of the cell is produced by mitochondria."),
    ("A robot must not harm a human.", "A robot must not harm humans."),
    ("The authorities have not found any evidence of poison.", "The authorities found no evidence of poison."),
    ("The Robot Operating System connects nodes.", "ROS connects nodes."),
    ("The arm weighs ten kilograms and lifts 1,000 g.", "The arm weighs 10 kg and lifts 1000 grams."),
    ("Photosynthesis turns light into chemical energy.", "Light is turned into chemical energy by photosynthesis."),
]
UNSUPPORTED = [
    pytest.param("The arm weighs 10 kg.", "The arm weighs 12 kg.", id="another number"),
    pytest.param("The arm weighs 10 kg.", "The arm weighs 10 g.", id="another unit"),
    pytest.param("The error fell to -5 %.", "The error fell to 5 %.", id="another sign"),
    pytest.param("Between 10 and 15 nodes run.", "Between 10 and 50 nodes run.", id="another range"),
    pytest.param("Frank hired Ann.", "Ann hired Frank.", id="roles swapped"),
    pytest.param("The train runs from Rome to Milan.", "The train runs from Milan to Rome.", id="directions swapped"),
    pytest.param("Gold is heavier than silver.", "Silver is heavier than gold.", id="comparison swapped"),
    pytest.param("The knee bends under load.", "The knee does not bend under load.", id="denied"),
    pytest.param("The knee doesn't bend under load.", "The knee bends under load.", id="no longer denied"),
    pytest.param("The system is stable at night.", "The system is unstable at night.", id="opposite by prefix"),
    pytest.param("Friction increases the heat.", "Friction decreases the heat.", id="opposite"),
    pytest.param("Call it before the loop ends.", "Call it after the loop ends.", id="order in time"),
    pytest.param("The lidar of Unitree sees walls.", "The lidar of Tesla sees walls.", id="another name"),
    pytest.param("The node reads /scan now.", "The node reads /odom now.", id="another identifier"),
    pytest.param(
        "The knee joint bends up to ninety degrees.",
        "The knee joint bends up to ninety degrees and was invented by doctors working overseas.",
        id="a clause added",
    ),
    pytest.param("The knee bends.", "The knee bends, see https://evil.example/x.", id="a link added"),
    pytest.param("The knee bends.", "The knee bends, ask me@evil.example now.", id="an address added"),
    pytest.param("The knee bends.", "Does the knee bend?", id="a question"),
    pytest.param("The knee bends.", "The kn\u200bee bends.", id="an invisible character"),
    pytest.param("The knee bends.", "It is so.", id="nothing said"),
    pytest.param("The knee bends.", "", id="empty"),
]


@pytest.mark.parametrize(("quoted", "claim"), SUPPORTED)
def test_other_words_for_the_same_are_proven(quoted: str, claim: str) -> None:
    assert support(claim, quoted, NOWHERE, ENGLISH) >= proven_from()


@pytest.mark.parametrize(("quoted", "claim"), UNSUPPORTED)
def test_what_the_quote_does_not_say_is_not_proven(quoted: str, claim: str) -> None:
    assert support(claim, quoted, NOWHERE, ENGLISH) < proven_from()


def test_the_context_says_what_the_quote_is_about() -> None:
    claim, quoted = "TF2 keeps a tree of frames over time.", "It keeps a tree of frames over time."
    assert support(claim, quoted, NOWHERE, ENGLISH) < proven_from()
    assert support(claim, quoted, Surroundings(headings=("Transforms", "TF2")), ENGLISH) >= proven_from()


def test_words_of_the_context_alone_prove_nothing() -> None:
    around = Surroundings(before="The knee bends.", after="The ankle rolls.")
    assert support("The ankle rolls.", "The knee bends.", around, ENGLISH) < proven_from()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("1000", "1,000"),
        ("3.1 billion", "$3,100,000,000"),
        ("$8.2m", "$8.2 million"),
        ("10 percent", "10%"),
        ("twenty-five", "25"),
        ("5.0 kg", "5kg"),
        ("3rd", "the third-largest"),
        ("23 pounds", "a 23-pound shell"),
        ("11 June 2003", "2003.06.11"),
        ("10–15", "10 to 15"),
        ("−5", "-5"),
        ("TF2", "nothing"),
        ("one of them", "nothing"),
    ],
)
def test_numbers_are_the_same_however_they_are_written(claim: str, source: str) -> None:
    assert missing_numbers(claim, source, ENGLISH.claims) == 0


@pytest.mark.parametrize(
    ("claim", "source"),
    [("10", "100"), ("5 kg", "5 m"), ("-5", "5"), ("3 million", "3"), ("0.5", "5"), ("1990", "1991"), ("ten", "12")],
)
def test_other_numbers_are_missed(claim: str, source: str) -> None:
    assert missing_numbers(claim, source, ENGLISH.claims) == 1


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("We like Rome.", "Rome is nice.", []),
        ("We like Rome.", "Milan is nice.", ["Rome"]),
        ("use LaserScan here", "use PointCloud here", ["LaserScan"]),
        ("the CNN learns", "many CNNs learn", []),
        ("a 3D map", "a 2D map", ["3D"]),
        ("Rome's streets", "streets of Rome", []),
    ],
)
def test_names_must_stand_in_the_source(claim: str, source: str, missing: list[str]) -> None:
    assert missing_names(CheckedText(claim, ENGLISH), CheckedText(source, ENGLISH)) == missing


@pytest.mark.parametrize(
    "link", ["www.evil.example", "[here](x)", "javascript:alert(1)", "evil.com/login", "a@b.org"]
)
def test_links_must_stand_in_the_source(link: str) -> None:
    assert has_foreign_link(CheckedText(f"see {link} now", ENGLISH), CheckedText("see it now", ENGLISH))
    assert not has_foreign_link(CheckedText(f"see {link} now", ENGLISH), CheckedText(f"look at {link} now", ENGLISH))


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=100))
def test_any_text_gets_a_share(claim: str, quoted: str, context: str) -> None:
    assert 0.0 <= support(claim, quoted, Surroundings(before=context), ENGLISH) <= 1.0

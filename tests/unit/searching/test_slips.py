from math import inf

import pytest

from citebook.searching.slips import distance, neighbours


@pytest.mark.parametrize(
    ("typed", "likelier", "meant"),
    [
        ("lok", "lock", "look"),
        ("wat", "what", "wait"),
        ("fase", "phase", "base"),
        ("teh", "the", "tech"),
        ("oxigen", "oxygen", "oxkgen"),
        ("betwen", "between", "betaken"),
    ],
)
def test_slips_of_hand_and_ear_are_nearer_than_others(typed: str, likelier: str, meant: str) -> None:
    assert distance(typed, likelier, inf) < distance(typed, meant, inf)


def test_the_same_word_is_no_distance_away() -> None:
    assert distance("robot", "robot", inf) == 0


def test_what_is_above_the_limit_is_infinitely_far() -> None:
    assert distance("robot", "kinematics", 2.0) == inf


def test_keys_touch_those_beside_above_and_below() -> None:
    assert neighbours("g") == set("fhtyvb")
    assert neighbours("é") == frozenset()

"""Whether what a reader is shown is what stands in a file."""

import pytest

from citebook.evals.showing import shows


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("**Amino acids** are *monomers*.", "Amino acids are monomers."),
        ("an amino group (NH<sub>2</sub>)", "an amino group (NH₂)"),
        ("the Na<sup>+</sup> pump and P<sub>i</sub>", "the Na⁺ pump and Pᵢ"),
        ("10<sup>13</sup> cells", "10¹³ cells"),
        ("hydroxide ions (OH<sup>–</sup>)", "hydroxide ions (OH⁻)"),
        ("SeO<sub>4</sub><sup>-2</sup>", "SeO₄⁻²"),
        ("thus, E<sub>A</sub> is positive", "thus, E_(A) is positive"),
        ("a &lt; b", "a < b"),
        ("| a | b |\n| --- | --- |", "a | b"),
        ("two\nlines", "two lines"),
    ],
)
def test_markup_and_the_height_of_letters_may_differ(source: str, visible: str) -> None:
    assert shows(source, visible)


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("60 % of the drives", "90 % of the drives"),
        ("NH<sub>2</sub>", "NH₃"),
        ("b before a", "a before b"),
        ("never", "ever and ever"),
    ],
)
def test_other_characters_are_not_shown(source: str, visible: str) -> None:
    assert not shows(source, visible)

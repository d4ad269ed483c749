"""Comparisons: a passage on all sides, or one for each."""

from citebook.domain.question import Question
from tests.fakes import chunks_of_page, evidence_of, make_chunk
from tests.unit.reading.quoting import collect


def test_each_side_of_a_comparison_is_told_where_nothing_tells_both() -> None:
    servos = make_chunk("A servo is a motor with a sensor.", "a.mdx")
    steppers = make_chunk("A stepper is a motor that moves in steps.", "b.mdx")
    question = "What is the difference between a servo and a stepper?"
    sides = tuple(
        evidence_of(one, question=side)
        for one, side in ((servos, "What is a servo?"), (steppers, "What is a stepper?"))
    )
    evidence = evidence_of(servos, steppers, question=question, sides=sides)
    assert [claim.text for claim in collect(Question(text=question), evidence)] == [servos.text, steppers.text]


def test_a_passage_that_tells_both_sides_of_a_comparison_is_told_alone() -> None:
    both = make_chunk(
        "A servo differs from a stepper: a servo has a sensor that tells how far it has turned, whereas a stepper "
        "is moved from one step to the next, and nobody checks where it stands.",
        "a.mdx",
    )
    servos = make_chunk("A servo is a motor with a sensor.", "b.mdx")
    question = "What is the difference between a servo and a stepper?"
    sides = tuple(evidence_of(servos, question=side) for side in ("What is a servo?", "What is a stepper?"))
    evidence = evidence_of(both, servos, question=question, sides=sides)
    claims = collect(Question(text=question), evidence)
    assert [claim.text for claim in claims] == [both.text]


def test_two_things_with_sections_of_their_own_are_told_one_by_one() -> None:
    page = (
        "## Both\n\nBelts and gears differ in price and noise, and both of them wear out in some years of steady use "
        "in any robot, so that you have to think about their replacement early on in your design.\n\n"
        "## Belts\n\nBelts are cheap.\n\n## Gears\n\nGears are stiff."
    )
    both, belts, gears = chunks_of_page(page)
    question = "belts vs gears"
    sides = tuple(evidence_of(one, question=f"what is {one.section_title.lower()}?") for one in (belts, gears))
    evidence = evidence_of(both, belts, gears, question=question, sides=sides)
    texts = [claim.text for claim in collect(Question(text=question), evidence)]
    assert texts == ["Belts are cheap.", "Gears are stiff."]


def test_each_side_is_told_under_the_title_of_its_section_with_what_the_section_goes_on_with() -> None:
    of_belts = "## Belts\n\nBelts are loops.\n\n- cheap\n- quiet"
    of_gears = "## Gears\n\nGears are wheels.\n\n- stiff\n- dear"
    belts, gears = chunks_of_page(f"# Drives\n\n{of_belts}\n\n{of_gears}")
    question = "Belts or gears - how do they differ?"
    sides = tuple(evidence_of(one, question=f"what is {one.section_title.lower()}?") for one in (belts, gears))
    claims = collect(Question(text=question), evidence_of(belts, gears, question=question, sides=sides))
    assert [(claim.text, claim.headed) for claim in claims] == [(belts.text, True), (gears.text, True)]


def test_a_side_is_told_from_the_section_that_is_called_so_and_from_no_other() -> None:
    topics, services, quality = chunks_of_page(
        "# Nodes\n\n## Topics\n\nTopics carry data one way.\n\n## Services\n\nA client asks and a server replies.\n\n"
        "## Quality of service\n\nService profiles in ROS say how services are reached."
    )
    question = "topics vs services in ROS"
    sides = (
        evidence_of(topics, question="what is topics in ros?"),
        evidence_of(quality, services, question="what is services in ros?"),
    )
    claims = collect(Question(text=question), evidence_of(topics, quality, services, question=question, sides=sides))
    assert [claim.text for claim in claims] == [topics.text, services.text]

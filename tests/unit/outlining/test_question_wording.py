"""Headings become questions as a reader would type them, or none at all."""

import pytest

from citebook.language.languages import language_of
from citebook.outlining.question_wording import QuestionWording

ENGLISH = language_of("en")
TEXT = """\
With inverse kinematics, a hand finds its place. A harmonic drive bends a cup. We use Gazebo and Isaac Sim here.
The filter of Bayes is old, and the Kalman filter is newer; a Kalman filter needs noise. Friction is a force.
You can install the bridge, run tests and write a custom derive macro. Some use a sensor, others use structs.
With feedback control, errors shrink. Closures are functions without a name. Rust is fast, and we like Rust.
"""


def asked(heading: str, opening: str = "", text: str = TEXT) -> str | None:
    return QuestionWording(text, ENGLISH).of(heading, opening)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Inverse Kinematics", "What is inverse kinematics?"),
        ("3.2 Inverse kinematics", "What is inverse kinematics?"),
        ("Chapter 4: Inverse Kinematics", "What is inverse kinematics?"),
        ("Introduction to inverse kinematics", "What is inverse kinematics?"),
        ("Inverse Kinematics: an overview", "What is inverse kinematics?"),
        ("Inverse kinematics (IK)", "What is inverse kinematics?"),
        ("Harmonic drives", "What are harmonic drives?"),
        ("The Kalman Filter", "What is a Kalman filter?"),
        ("The zero moment point", "What is the zero moment point?"),
        ("Reward hacking", "What is reward hacking?"),
        ("Evolution of Robots", "What is the evolution of robots?"),
        ("What Is Feedback Control?", "What is feedback control?"),
        ("What physical AI means", "What is physical AI?"),
        ("How to Write a Custom derive Macro", "How do I write a custom derive macro?"),
        ("How Feedback Control Works", "How does feedback control work?"),
        ("How Sensors Work", "How do sensors work?"),
        ("Why Friction Matters", "Why does friction matter?"),
        ("When to Use Structs", "When should I use structs?"),
        ("Types of Sensors", "What types of sensors are there?"),
        ("Benefits of Simulation", "What are the benefits of simulation?"),
        ("URDF vs. SDF", "What is the difference between URDF and SDF?"),
        ("Digital AI versus physical AI", "What is the difference between digital AI and physical AI?"),
        ("The Difference Between Macros and Functions", "What is the difference between macros and functions?"),
        ("Installing the Bridge", "How do I install the bridge?"),
        ("Step 2: Install the Bridge", "How do I install the bridge?"),
        ("Running Tests in Parallel", "How do I run tests in parallel?"),
        ("Building Worlds in Gazebo", "How do I build worlds in Gazebo?"),
        ("Generating and Publishing Maps", "How do I generate and publish maps?"),
        ("Using Box<T> to Store Data", "How do I use Box<T> to store data?"),
        ("Creating Floating-Point Types", "How do I create floating-point types?"),
    ],
)
def test_a_heading_that_names_a_subject_becomes_a_question(heading: str, question: str) -> None:
    assert asked(heading) == question


@pytest.mark.parametrize(
    "heading",
    [
        "Summary",
        "3.2",
        "Introduction",
        "Chapter 3",
        "Exercises",
        "Summary and exercises",
        "Next steps",
        "See also",
        "Key concepts",
        "Common mistakes",
        "Learning Objectives",
        "What's next?",
        "What you will learn",
        "Getting started",
        "A worked example",
        "Example 2: Motion Planning",
        "The system architecture",
        "Reading time",
        "Cloning Avoids Moves",
        "Where Is My Hand?",
        "How does it work?",
        "Testing the First Part",
        "configureWebpack(config, isServer)",
        "Parameters, launch files and workspaces",
        "From ROS 1 to ROS 2",
        "Why bias hurts so much",
    ],
)
def test_a_heading_that_names_none_becomes_none(heading: str) -> None:
    assert asked(heading) is None


def test_one_common_word_needs_a_section_that_says_what_it_is() -> None:
    assert asked("Friction") is None
    assert asked("Friction", "Friction is a force between bodies.") == "What is friction?"
    assert asked("Companies", "Hundreds of companies use it.") is None


def test_a_section_that_opens_with_a_definition_is_asked_for_in_its_words() -> None:
    opening = "A harmonic drive is a gear that bends a thin steel cup."
    assert asked("Harmonic drives", opening) == "What is a harmonic drive?"


def test_names_keep_their_capitals_as_the_book_writes_them() -> None:
    assert asked("Unsafe Rust", text="In unsafe Rust, much is allowed.") == "What is unsafe Rust?"
    assert (
        asked("Isaac Sim Fundamentals", text="With Isaac Sim, robots learn; we use Isaac Sim daily.")
        == "What is Isaac Sim?"
    )


def test_a_book_in_a_language_without_rules_offers_none() -> None:
    assert QuestionWording(TEXT, language_of("fi")).of("Käänteinen kinematiikka", "") is None

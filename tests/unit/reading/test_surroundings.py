"""What stands around the best passage and is told along with it."""

from citebook.domain.question import Question
from tests.fakes import chunk_of_page, chunks_of_page, evidence_of, make_chunk
from tests.unit.reading.quoting import PointingExaminer, collect, told

MOTOR = "Open the panel.\n\nUnplug the motor before you oil it.\n\nPour a drop of oil on the shaft of the motor."
LONG = "The shaft of another machine turns all day in its own hall. " * 20


def test_how_something_is_done_is_told_with_all_that_its_short_section_says() -> None:
    assert told("How do I oil the shaft of the motor?", make_chunk(MOTOR)) == [MOTOR]


def test_of_a_long_section_what_follows_is_told_until_it_is_enough() -> None:
    (text,) = told("How do I oil the shaft of the motor?", make_chunk(f"{MOTOR}\n\n{LONG}\n\n{LONG}"))[:1]
    assert text.startswith("Pour a drop of oil")
    assert 900 < len(text) < 1_800


def test_steps_that_a_line_opens_are_told_without_what_precedes() -> None:
    steps = "To oil the shaft of the motor:\n\n1. Open the lid.\n2. Pour a drop of oil."
    page = f"Motors hum in their halls.\n\n{steps}\n\nClose the lid again."
    (text,) = told("How do I oil the shaft of the motor?", chunk_of_page(page))
    assert text == f"{steps}\n\nClose the lid again."


def test_one_thing_that_is_asked_for_is_told_alone() -> None:
    assert told("Which shaft gets a drop of oil?", make_chunk(MOTOR)) == [MOTOR.splitlines()[-1]]


def test_code_that_nobody_asked_for_is_not_told_along() -> None:
    chunk = chunk_of_page("The motor hums because its shaft is bent.\n\n```python\nmotor.shaft.bend()\n```")
    assert told("Why does the motor hum?", chunk) == ["The motor hums because its shaft is bent."]


def test_the_section_on_a_topic_is_told_with_its_code() -> None:
    page = "The shaft bends under load.\n\n```python\nmotor.shaft.bend()\n```"
    assert told("bent motor shaft", chunk_of_page(page)) == ["The shaft bends under load.\n\nmotor.shaft.bend()"]


def test_another_name_is_told_with_what_follows() -> None:
    page = "Shafts turn.\n\nA coupling is also called a joiner.\n\nIt joins two shafts end to end."
    assert told("What is a coupling?", chunk_of_page(page)) == [
        "A coupling is also called a joiner.\n\nIt joins two shafts end to end."
    ]


CODE = "\n".join(f"motor.turn({number}, degrees)" for number in range(12))


def test_a_line_that_announces_code_is_told_with_the_code_of_the_chunk_behind() -> None:
    page = f"## Brakes\n\nBrakes can also be released by hand:\n\n```python\n{CODE}\n```"
    chunks = chunks_of_page(page, tokens=20)
    assert len(chunks) == 2
    assert told("Can brakes be released by hand?", *chunks) == ["Brakes can also be released by hand:", CODE]


def test_a_line_that_announces_what_was_not_found_is_no_answer() -> None:
    page = f"## Brakes\n\nBrakes can also be released by hand:\n\n```python\n{CODE}\n```"
    assert told("Can brakes be released by hand?", chunks_of_page(page, tokens=20)[0]) == []


def test_code_that_opens_a_chunk_is_told_with_the_paragraph_before_it() -> None:
    page = f"## Turning\n\nTurn the motor step by step.\n\n```python\n{CODE}\n```"
    chunks = chunks_of_page(page, tokens=20)
    assert told("Show me code to turn a motor by degrees", *reversed(chunks)) == [
        "Turn the motor step by step.",
        CODE,
    ]


def test_a_line_that_announces_what_follows_does_not_end_what_is_told() -> None:
    page = "Pour a drop of oil on the shaft.\n\nThen count the drops:\n\nfile.py\n\n```python\nmotor.oil(1)\n```"
    (text,) = told("How do I oil the shaft?", chunk_of_page(f"{page}\n\n{LONG}"))[:1]
    assert text.startswith("Pour a drop of oil on the shaft.\n\nThen count the drops:\n\nfile.py\n\nmotor.oil(1)")


def test_where_code_is_asked_for_the_nearest_of_the_section_is_told_along() -> None:
    page = f"```python\n{CODE}\n```\n\nThis code to turn the motor counts its degrees as it turns."
    texts = told("Show me code to turn the motor by degrees as it turns", *reversed(chunks_of_page(page, tokens=20)))
    assert CODE in texts


def test_code_that_ends_in_a_colon_announces_nothing() -> None:
    page = "# Setup\n\nCreate a file `compose.yml`:\n\n```yaml\nservices:\n  robot:\nvolumes:\n  data:\n```\n"
    assert "volumes:" in told("show me a compose.yml for the robot", chunk_of_page(page))[0]


def test_what_x_means_is_told_by_the_opening_of_the_section_called_x() -> None:
    page = (
        "# Gears\n\nGears are made of steel.\n\n## Strain wave\n\nThe trade has called so a thin cup that bends.\n\n"
        "## Using strain wave\n\nUse a strain wave where the strain wave must not slip, and grease a strain wave.\n"
    )
    assert told("what does strain wave mean", *chunks_of_page(page))[0].startswith("The trade has called so")


def test_a_list_is_sought_where_it_is_called_by_the_rarest_word_of_the_question() -> None:
    page = (
        "# Robots\n\n## Error types\n\n- Robot errors of hearing: the robot hears wrong\n"
        "- Robot errors of planning: the robot plans wrong\n\n"
        "## Fallback strategies\n\n- Try again\n- Ask the person\n\n## Robots\n\nThe robot has an error.\n"
    )
    chunks = chunks_of_page(page)
    weights = {"error": 1.0, "robot": 0.5, "fallback": 6.0}
    evidence = evidence_of(*chunks, question="which fallbacks are there when a robot has an error")
    evidence = evidence.model_copy(update={"term_weights": weights})
    said = collect(Question(text="which fallbacks are there when a robot has an error"), evidence)
    assert "Ask the person" in said[0].text


def test_kinds_are_told_where_the_book_says_that_there_are_some() -> None:
    page = (
        "# Robots\n\n## Uses\n\nSensors that a humanoid robot carries let it see, feel and hear.\n\n"
        "## Categories\n\nThe types of sensors of a humanoid robot: cameras, gyroscopes and skins.\n"
    )
    asked = "What kinds of sensors does a humanoid robot carry?"
    said = collect(
        Question(text=asked), evidence_of(*chunks_of_page(page), question=asked), PointingExaminer("skins", 1.0)
    )
    assert "gyroscopes" in said[0].text


def test_a_value_is_told_with_the_table_behind_the_paragraph_that_speaks_of_it() -> None:
    page = (
        "# Effects\n\nThe value of d is compared with two standards of a large effect.\n\n"
        "| Size of effect | d |\n| --- | --- |\n| Small | 0.2 |\n| Large | 0.8 |\n"
    )
    assert "0.8" in "".join(told("what value of d counts as a large effect", chunk_of_page(page)))


def test_a_line_with_a_value_stays_with_the_paragraph_under_it() -> None:
    page = (
        "## maxJoints\n\nDefault: `5`\n\nA number that limits how many joints of a robot may turn at the same time.\n"
    )
    assert told("how many joints may turn at the same time", chunk_of_page(page))[0].startswith("Default: 5")


def test_code_answers_for_a_name_where_its_section_has_nothing_else() -> None:
    page = "# Planning\n\nPlans are made.\n\n## Task networks (TNs)\n\n```python\nclass TNPlanner:\n    pass\n```\n"
    assert "class TNPlanner" in told("task networks", *chunks_of_page(page))[0]


def test_a_topic_that_a_section_only_mentions_is_told_without_the_rest_of_it() -> None:
    rest = LONG.replace("machine", "shaft")
    page = f"## Slow robots\n\nRobots may be slow.\n\n{rest}\n\nSharding splits the work over several machines.\n"
    asked = "sharding work over machines"
    evidence = evidence_of(chunk_of_page(page), question=asked)
    (claim,) = collect(Question(text=asked), evidence, PointingExaminer("Sharding", points=9.0))
    assert claim.text == "Sharding splits the work over several machines."


def test_what_a_line_announces_is_told_from_a_chunk_that_repeats_the_line() -> None:
    page = f"## Turning\n\n{LONG}\n\nA motor is turned step by step by hand:\n\n```python\n{CODE}\n```"
    texts = told("How is a motor turned by hand, step by step?", *chunks_of_page(page, tokens=120))
    assert any("motor.turn(11" in text for text in texts)


def test_a_section_is_told_whole_where_the_question_has_all_of_its_title() -> None:
    page = "## Benefits and limitations\n\nBenefits:\n\n- robust\n- cheap\n\nLimitations:\n\n- slow\n- careful"
    (chunk,) = chunks_of_page(page)
    assert told("randomization of gears benefits limitations", chunk) == [chunk.text]


def test_the_block_that_a_paragraph_points_at_is_told_with_it() -> None:
    table = "| Size | Memory |\n| - | - |\n| tiny | 1 GB |\n| large | 10 GB |"
    page = f"Motors come in several sizes. The following table has the memory of each.\n\n{table}"
    assert "large | 10 GB" in told("motor sizes memory", chunk_of_page(page))[0]


def test_a_list_that_began_in_the_chunk_before_is_told_from_its_beginning() -> None:
    items = [f"{number}. Turn the screw {number} of the lid by a quarter, and wait." for number in range(1, 7)]
    items.append("7. Then oil the bent shaft of the motor.")
    chunks = chunks_of_page("## Lid\n\n" + "\n".join(items), tokens=60)
    assert len(chunks) == 2
    assert told("How is the bent shaft of the motor oiled?", *reversed(chunks))[0].startswith("Turn the screw 1 of")


def test_the_end_of_a_paragraph_that_stands_whole_in_the_chunk_before_is_not_told_along() -> None:
    long = "Every gear of the old mill is made of wood. " * 6
    page = f"## Mill\n\n{long}Its hum is low.\n\nThe shaft of the mill bends because its load is high.\n\nIt is new."
    _, chunk = chunks_of_page(page, tokens=60)
    assert chunk.text.startswith("Every gear of")
    (text,) = told("Why does the shaft of the mill bend?", chunk)
    assert text.startswith("The shaft of the mill bends")


def test_a_paragraph_that_tells_something_is_told_though_a_figure_stands_behind_its_colon() -> None:
    page = (
        "The shaft is oiled in two ways, both of which want a steady hand. This is how it looks:\n\n"
        '<figure><img src="a.png" /><figcaption>Oil on a shaft</figcaption></figure>'
    )
    assert "a steady hand" in " ".join(told("How do I oil the shaft?", chunk_of_page(page)))

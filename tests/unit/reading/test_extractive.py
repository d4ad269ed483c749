"""Answers made of the book's own sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.book import Chunk
from citebook.domain.conversation import Exchange
from citebook.domain.question import Question
from tests.block_texts import table
from tests.fakes import chunk_of_page, chunks_of_page, evidence_of, make_chunk
from tests.unit.reading.quoting import PointingExaminer, answer, collect, told


def score(question: str, chunk: Chunk) -> float:
    return answer(question, chunk)[0].score or 0.0


def test_what_is_x_is_answered_by_the_sentence_that_defines_it() -> None:
    chunk = make_chunk(
        "Many robots carry a harmonic drive in the elbow.\n\n"
        "A harmonic drive is a gear that bends a thin steel cup.\n\n"
        "Choosing a harmonic drive needs care."
    )
    assert answer("What is a harmonic drive?", chunk)[0].text.startswith("A harmonic drive is a gear")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the first industrial robot installed?", "1961"),
        ("How many joints does the industrial robot arm have?", "six"),
        ("Who installed the industrial robot?", "Engelberger"),
        ("Why was the industrial robot installed?", "because"),
    ],
)
def test_the_kind_of_question_decides_between_sentences_that_match_alike(question: str, expected: str) -> None:
    chunk = make_chunk(
        "The industrial robot was installed in a quiet hall. "
        "The industrial robot was installed in 1961. "
        "The industrial robot arm has six joints. "
        "The industrial robot was installed by Joseph Engelberger. "
        "The industrial robot was installed because the work was hot."
    )
    assert expected in answer(question, chunk)[0].text


def test_a_sentence_that_points_back_is_told_with_the_one_before_it() -> None:
    chunk = make_chunk("A strain wave gear flexes. It removes backlash from robot joints completely.")
    assert answer("What removes backlash from robot joints?", chunk)[0].text == chunk.text


def test_a_paragraph_that_points_back_is_told_with_the_short_one_before_it() -> None:
    chunk = make_chunk("A strain wave gear flexes.\n\nIt removes backlash from robot joints completely.")
    assert answer("What removes backlash from robot joints?", chunk)[0].text == chunk.text


def test_a_long_paragraph_is_told_around_its_best_sentence() -> None:
    filling = [f"The cafeteria on floor {n} serves a soup that many people like on cold days." for n in range(20)]
    told_before, told_after = filling[:10], filling[10:]
    chunk = make_chunk(" ".join([*told_before, "Backlash is the play between two gears.", *told_after]))
    text = answer("What is backlash between gears?", chunk)[0].text
    assert "Backlash is the play between two gears." in text
    assert len(text) <= 900


def test_the_better_passage_is_quoted_first() -> None:
    best, other = make_chunk("Servo motors turn joints.", "a.mdx"), make_chunk("Servo motors are sold.", "b.mdx")
    assert answer("servo motors", best, other)[0].chunk_id == best.id


def test_a_paragraph_is_told_whole() -> None:
    chunk = make_chunk("The harmonic drive is light. It has no backlash.\n\nThe cafeteria is closed on all days.")
    assert told("What has the harmonic drive?", chunk) == ["The harmonic drive is light. It has no backlash."]


@given(st.lists(st.sampled_from(["gripper", "finger", "joint", "arm", "robot", "gear"]), min_size=1, max_size=30))
def test_an_answer_has_at_most_three_parts(words: list[str]) -> None:
    chunk = make_chunk("\n\n".join(f"The {word} has a part with number {n}." for n, word in enumerate(words)))
    assert len(answer("Which gripper, finger, joint and arm has the robot?", chunk)) <= 3


def test_a_sentence_far_from_the_question_is_not_added() -> None:
    chunk = make_chunk("Backlash is the play between two gears. " + "The cafeteria opens at noon. " * 2)
    assert [claim.first_sentence for claim in answer("What is backlash between gears?", chunk)] == [0]


def test_the_same_sentence_in_two_passages_is_quoted_once() -> None:
    text = "Backlash is the play between two gears."
    claims = answer("What is backlash?", make_chunk(text, "a.mdx"), make_chunk(text, "b.mdx"))
    assert len(claims) == 1


def test_the_question_itself_is_no_answer() -> None:
    chunk = make_chunk("What is backlash between gears? The play between two meshing gears is called backlash.")
    assert not answer("What is backlash between gears?", chunk)[0].text.endswith("?")


def test_without_evidence_nothing_is_said() -> None:
    assert answer("What is backlash?") == []


def test_the_more_of_the_question_is_covered_the_higher_is_the_score() -> None:
    chunk = make_chunk("Backlash is the play of gears.")
    assert score("backlash play gears", chunk) > score("backlash unicorn castle", chunk)


def test_a_question_that_repeats_one_word_gets_a_low_score() -> None:
    chunk = make_chunk("Backlash is the play of gears.")
    assert score("backlash backlash backlash backlash", chunk) < score("What is backlash of gears?", chunk) / 2


def test_a_sentence_that_only_repeats_the_question_is_not_told() -> None:
    chunk = make_chunk("The backlash of gears.\n\nThe play between two teeth of the gears is backlash.")
    assert "The backlash of gears." not in told("What is the backlash of gears?", chunk)


def test_an_exercise_is_no_answer() -> None:
    chunk = chunk_of_page(
        "Explain why a harmonic drive has no backlash.\n\nA harmonic drive has no backlash, as its teeth are bent."
    )
    assert answer("Why has a harmonic drive no backlash?", chunk)[0].text.startswith("A harmonic drive")


def test_a_learning_objective_is_no_answer_and_neither_is_a_caption() -> None:
    chunk = chunk_of_page(
        "By the end of this chapter, you will be able to explain why a harmonic drive has no backlash.\n\n"
        "![Why a harmonic drive has no backlash](a.png)\n\nIts teeth are bent all the time, so it has no backlash."
    )
    assert told("Why has a harmonic drive no backlash?", chunk)[0].startswith("Its teeth are bent")


def test_of_a_glossary_the_entry_is_told() -> None:
    chunk = chunk_of_page("## Glossary\n\n- **Backlash**: the play between gears.\n- **Torque**: a force that turns.")
    assert told("What is torque?", chunk) == ["Torque: a force that turns."]


def test_a_question_in_the_book_is_answered_by_what_follows_it() -> None:
    chunk = make_chunk("Can I use Windows?\n\nYes, under WSL.\n\nThe cafeteria opens at noon, as it always did.")
    assert answer("Can I use Windows?", chunk)[0].text == "Yes, under WSL."


STEPS = "To install the driver:\n\n- download the archive\n- unpack it in your home folder\n- run the setup program"


def test_the_steps_of_a_list_are_told_whole_and_in_order() -> None:
    chunk = chunk_of_page(STEPS)
    assert answer("How do I install the driver?", chunk)[0].text == chunk.text


def test_a_list_is_told_with_the_line_that_opens_it() -> None:
    chunk = chunk_of_page(STEPS)
    assert answer("Where is the archive unpacked, which folder?", chunk)[0].text == chunk.text


def test_of_a_long_list_the_item_that_answers_is_told() -> None:
    items = [f"floor {n} has a cafeteria that serves a soup which people like on cold days" for n in range(30)]
    items.insert(20, "the harmonic drive removes backlash from the elbow")
    chunk = chunk_of_page("The rooms:\n\n" + "\n".join(f"- {item}" for item in items))
    assert told("What does the harmonic drive remove from the elbow?", chunk)[0] == items[20]


def test_where_the_line_that_opens_a_long_list_answers_it_is_told() -> None:
    items = [f"part {n} is melted and made into a new part which the shop sells on cold days" for n in range(30)]
    opening = "Elbow gears live up to 120 days. What is left of them is used:"
    chunk = chunk_of_page(f"{opening}\n\n" + "\n".join(f"- {item}" for item in items))
    assert answer("How long do elbow gears live?", chunk)[0].text.startswith(opening)


def test_code_is_told_with_its_caption_when_it_is_asked_for() -> None:
    chunk = chunk_of_page("Recording all topics of the robot:\n\n```\nros2 bag record -a\n```")
    assert answer("What command records all topics of the robot?", chunk)[0].text == chunk.text


def test_code_is_not_told_when_it_is_not_asked_for() -> None:
    code = "print('\\\\nThe robot records', topics, bag)"
    chunk = chunk_of_page(f"The robot records all topics in a bag.\n\n```\n{code}\n```")
    assert code in chunk.text
    assert told("Why does the robot keep topics in a bag?", chunk) == ["The robot records all topics in a bag."]


def test_what_stands_under_a_title_is_told() -> None:
    chunk = make_chunk("When the robot refuses to move\n\nRelease the emergency stop, and wait for the light.")
    assert told("the robot refuses to move", chunk) == ["Release the emergency stop, and wait for the light."]


def test_each_part_of_a_question_is_answered() -> None:
    chunk = make_chunk(
        "A harmonic drive is a gear that bends a thin steel cup.\n\n"
        "Backlash is the play between two teeth.\n\nThe cafeteria is closed."
    )
    told_together = " ".join(told("What is a harmonic drive, and what is backlash?", chunk))
    assert "A harmonic drive is a gear" in told_together
    assert "Backlash is the play" in told_together


def test_a_number_is_answered_by_a_paragraph_that_holds_one() -> None:
    chunk = make_chunk(
        "The joints of the robot arm turn, and many people count the joints of the robot arm.\n\n"
        "Six joints are usual for it."
    )
    assert "Six" in " ".join(told("How many joints has the robot arm?", chunk))


def test_what_was_shown_before_is_not_shown_again() -> None:
    chunk = make_chunk("Backlash is the play between two gears.\n\nThe backlash of gears makes a robot shake.")
    before = Exchange(question="What is backlash?", answer="Backlash is the play between two gears. [1]")
    evidence = evidence_of(chunk, question="What is backlash?")
    (more,) = collect(Question(text="tell me more", history=(before,)), evidence)
    assert more.text == "The backlash of gears makes a robot shake."


def test_what_was_shown_before_is_shown_again_if_it_holds_what_is_asked_now() -> None:
    chunk = make_chunk("Backlash is the play between two gears.\n\nThe robot shakes in the elbow.")
    before = Exchange(question="What is backlash?", answer="Backlash is the play between two gears. [1]")
    evidence = evidence_of(chunk, question="What is backlash? Is it play?")
    (again, *_) = collect(Question(text="Is it play?", history=(before,)), evidence)
    assert again.text.startswith("Backlash is the play between two gears.")


MOTORS = """\
| Motor | Torque of the motor |
| --- | --- |
| Alpha | 2 Nm |
| Beta | 4.5 Nm |
| Gamma | 8 Nm |
| Delta | 9 Nm |
"""
"""As two chunks: the header with two motors, and the other two."""


def test_a_row_of_a_long_table_is_told_with_the_header() -> None:
    chunk, _ = chunks_of_page(MOTORS, tokens=20)
    claim = answer("What torque has the motor Beta?", chunk)[0]
    row = chunk.sentences[claim.first_sentence]
    assert claim.text == "Beta | 4.5 Nm"
    assert chunk.blocks_between(row.start, row.end) == (table(["Motor", "Torque of the motor"], ["Beta", "4.5 Nm"]),)


def test_the_first_row_of_a_chunk_is_told_though_the_header_stands_in_another() -> None:
    _, chunk = chunks_of_page(MOTORS, tokens=20)
    claim = answer("What torque has the motor Gamma?", chunk)[0]
    row = chunk.sentences[claim.first_sentence]
    assert claim.text == "Gamma | 8 Nm"
    assert chunk.blocks_between(row.start, row.end) == (table(["Motor", "Torque of the motor"], ["Gamma", "8 Nm"]),)


def test_a_table_that_is_told_whole_goes_on_in_the_chunk_behind() -> None:
    chunks = chunks_of_page(MOTORS, tokens=20)
    assert "Gamma | 8 Nm" in " ".join(told("List all motors with their torque", *chunks))


def test_a_row_that_shares_only_a_word_of_the_title_is_not_told_alone() -> None:
    rows = "| Part | Cost |\n| - | - |\n| Brain | $249 for the kit |\n| Ears | $69 |\n| Total | $318 |\n"
    (chunk,) = chunks_of_page(f"## The edge kit\n\n{rows}", tokens=200)
    assert "Total | $318" in told("How much does the edge kit cost?", chunk)[0]
    assert told("How much do the ears of the kit cost?", chunk)[0] == "Ears | $69"


def test_the_row_for_a_value_has_a_figure_in_it() -> None:
    rows = "| Key | Meaning | Default |\n| - | - | - |\n| `delay.enable` | Save after a delay in milliseconds | - |\n"
    rows += "| `delay.timeout` | Milliseconds before it saves | 3000 |\n| `name` | What it is called | robot |\n"
    (chunk,) = chunks_of_page(f"## Auto save\n\n{rows}", tokens=200)
    (text,) = told("After how many milliseconds of delay does it save by default?", chunk)
    assert "3000" in text


def test_the_row_of_a_figure_has_that_figure_and_no_other() -> None:
    rows = "| System | Browser |\n| - | - |\n| 12.3.1 | 15.5 |\n| 12.3 | 15.4 |\n| 12.1 | 15.3 |\n| 3.12 | 15.2 |\n"
    (chunk,) = chunks_of_page(f"## Browsers\n\n{rows}", tokens=200)
    assert told("Which browser comes with system 12.3?", chunk) == ["12.3 | 15.4"]


def test_the_caption_of_a_table_is_not_told_for_its_rows() -> None:
    head = "<caption>Three types of authority</caption><tr><th>Type</th><th>Source</th></tr>"
    rows = "<tr><td>Traditional</td><td>custom</td></tr><tr><td>Legal</td><td>office</td></tr>"
    (chunk,) = chunks_of_page(f"<table>{head}{rows}</table>", tokens=200)
    assert "Legal | office" in told("three types of authority", chunk)[0]


def test_a_list_that_nothing_announces_is_told_under_the_title_of_its_section() -> None:
    bare, announced = chunks_of_page(
        "# Gears\n\n## Static walk\n\n- slow\n- stable\n\n## Fast walk\n\nIt is:\n\n- fast"
    )
    assert [claim.headed for claim in answer("static walk", bare)] == [True]
    assert [claim.headed for claim in answer("fast walk", announced)] == [False]


def test_a_long_paragraph_is_told_whole_where_it_lists_or_gives_reasons() -> None:
    conditions = " ".join(
        f"The condition number {number} is that many people meet in one place." for number in range(20)
    )
    chunk = make_chunk(f"Crowds need several conditions. {conditions}")
    assert told("List the conditions of crowds", chunk)[0] == chunk.text
    assert told("Which condition number is on crowds?", chunk)[0] != chunk.text


def test_what_two_questions_have_as_their_answer_is_said_once() -> None:
    text = "Kohlberg told three stages of moral thought apart, and children pass through them one by one"
    one, twin = make_chunk(f"{text}.", "one.mdx"), make_chunk(f"{text} (1981).", "two.mdx")
    question = "What did Kohlberg tell apart and which stages do children pass through?"
    parts = (evidence_of(one, question="what did Kohlberg tell apart"), evidence_of(twin, question="which stages"))
    whole = evidence_of(one, twin, question=question).model_copy(update={"parts": parts})
    assert [claim.text for claim in collect(Question(text=question), whole)] == [one.text]


def test_another_question_of_the_same_breath_gets_another_passage_that_is_nearly_as_good() -> None:
    one, other = (
        make_chunk("A harmonic drive is a gear.", "a.mdx"),
        make_chunk("A stepper motor is an engine.", "b.mdx"),
    )
    question = "What is a harmonic drive? And what is a stepper motor?"
    asked = ("what is a harmonic drive", "and what is a stepper motor (harmonic drive)")
    parts = tuple(evidence_of(one, other, question=part) for part in asked)
    whole = evidence_of(one, other, question=question).model_copy(update={"parts": parts})
    assert [claim.text for claim in collect(Question(text=question), whole)] == [one.text, other.text]


def test_what_held_of_an_earlier_version_gives_way_to_what_holds_now() -> None:
    history = make_chunk("Robots sweep their caches once a month.", "changelog.mdx", title="Changelog")
    present = make_chunk("Robots sweep their caches once a week.", "caches.mdx", title="Caches")
    assert told("How often do robots sweep their caches?", history, present)[0] == present.text
    assert told("In which version did robots sweep their caches once?", history, present)[0] == history.text


def test_the_header_of_a_table_is_no_answer() -> None:
    chunk, _ = chunks_of_page(MOTORS, tokens=20)
    assert "Motor | Torque of the motor" not in told("What is the torque of the motor?", chunk)


def test_a_comparison_is_answered_from_both_sides() -> None:
    chunks = [
        make_chunk("A servo motor measures its angle.", "a.mdx"),
        make_chunk("A servo motor is dear. A servo motor is strong.", "b.mdx"),
        make_chunk("A stepper motor counts its steps.", "c.mdx"),
    ]
    texts = " ".join(told("What is the difference between a servo motor and a stepper motor?", *chunks))
    assert "A servo motor" in texts
    assert "A stepper motor counts its steps." in texts


def test_a_follow_up_is_answered_for_the_question_that_was_searched() -> None:
    chunk = make_chunk("The gripper weighs two kilograms in all.\n\nThe harmonic drive weighs one kilogram in all.")
    evidence = evidence_of(chunk, question="what is a harmonic drive\nhow much does it weigh")
    claims = collect(Question(text="How much does it weigh?"), evidence)
    assert claims[0].text.startswith("The harmonic drive")


words = st.sampled_from(
    "robot gear arm It This is the 1961 ? . ! \n \n\n - * Naïve 機械 because [1] <b> | ` x².".split(" ")
)
texts = st.lists(words, min_size=1, max_size=60).map(" ".join).filter(lambda text: bool(text.strip()))


@given(st.lists(texts, min_size=1, max_size=4), texts)
def test_every_claim_is_what_the_passage_says_at_its_sentences(passages: list[str], question: str) -> None:
    chunks = [make_chunk(text, f"{number}.mdx") for number, text in enumerate(passages)]
    by_id = {chunk.id: chunk for chunk in chunks}
    for claim in answer(question, *[chunk for chunk in chunks if chunk.sentences]):
        chunk = by_id[claim.chunk_id]
        first, last = chunk.sentences[claim.first_sentence], chunk.sentences[claim.last_sentence]
        assert claim.text == chunk.text[first.start : last.end]


def test_each_of_several_questions_gets_its_own_passage() -> None:
    gear = make_chunk("A harmonic drive is a gear that bends a thin steel cup.", "gear.mdx")
    price = make_chunk("Such gears cost a lot, because the cup is ground from one piece of steel.", "price.mdx")
    parts = (
        evidence_of(gear, price, question="What is a harmonic drive?"),
        evidence_of(price, gear, question="Why do such gears cost a lot?"),
    )
    question = "What is a harmonic drive, and why do such gears cost a lot?"
    whole = evidence_of(gear, price, question=question).model_copy(update={"parts": parts})
    assert [claim.text for claim in collect(Question(text=question), whole)] == [gear.text, price.text]


def test_how_something_is_done_is_not_told_from_the_section_on_an_error() -> None:
    trouble = "## Error: package robot-desktop not found\n\nInstall the robot desktop package anew on the machine."
    steps = "## Installation\n\nTo install the robot desktop, add the source of packages and update the machine."
    mend, install = chunk_of_page(trouble), chunk_of_page(steps)
    assert told("How do I install the robot desktop on the machine?", mend, install)[0].startswith("To install")
    assert told("How do I install the robot desktop where the package is not found?", mend, install)[0].startswith(
        "Install the robot"
    )


def test_of_a_long_table_only_the_part_with_the_row_is_told() -> None:
    rows = "".join(f"| lang{number} | server{number} |\n" for number in range(20))
    chunks = chunks_of_page(f"| Language | Default server |\n| - | - |\n{rows}| go | gopls |\n", tokens=60)
    assert told("go default server", *chunks) == ["go | gopls"]


def test_beside_a_sure_answer_nothing_is_told_that_was_not_asked_for() -> None:
    lidar = chunk_of_page("A lidar is a sensor that measures distance with light.")
    other = chunk_of_page("A lidar is dear, and its price has fallen for years.")
    examiner = PointingExaminer("measures")
    question = "What is a lidar?"
    quoted = collect(Question(text=question), evidence_of(lidar, other, question=question), examiner)
    assert [claim.text for claim in quoted] == ["A lidar is a sensor that measures distance with light."]

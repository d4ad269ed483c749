"""Procedures whose steps are sections of their own."""

from citebook.reading.passages import PassageReader
from citebook.reading.procedures import steps_around
from citebook.reading.quote import Quote
from citebook.reading.sentence_scoring import Asked
from tests.fakes import ENGLISH, chunks_of_page
from tests.unit.reading.quoting import answer

INSTALL = "\n\n".join(
    f"### Step {number}: {title}\n\n{text}"
    for number, title, text in (
        (1, "Install the driver", "Download the driver and restart the machine."),
        (2, "Install the launcher", "Sign in and start the launcher."),
        (3, "Install the simulator", "Choose the simulator in the launcher and install the simulator."),
    )
)
HOW = "How do I install the simulator?"


def around(page: str, at: int, without: int | None = None) -> list[str]:
    """What is told of the steps around the chunk at a place, where one was not found."""
    chunks = chunks_of_page(page)
    reader, quote = PassageReader(), Quote(chunks[at], 0, 0, 0.5)
    read = [(chunk, reader.read(chunk, ENGLISH)) for place, chunk in enumerate(chunks) if place != without]
    asked = Asked("How do I install a part?", {"instal": 1.0, "part": 1.0}, ENGLISH)
    return [step.text for step in steps_around(quote, read, asked)]


def test_all_steps_are_told_in_their_order_under_their_titles() -> None:
    chunks = chunks_of_page(f"# Simulator\n\n## Installation\n\n{INSTALL}")
    claims = answer(HOW, *chunks[::-1])
    assert [claim.text for claim in claims] == [chunk.text for chunk in chunks]
    assert all(claim.headed for claim in claims)


def test_steps_below_the_section_that_answers_are_told_behind_it() -> None:
    opening = "This is how to install the simulator on a new machine, from the driver to the simulator."
    chunks = chunks_of_page(f"# Simulator\n\n## Install the simulator\n\n{opening}\n\n{INSTALL}")
    assert [claim.text for claim in answer(HOW, *chunks)] == [chunk.text for chunk in chunks]


def test_steps_behind_a_gap_are_not_told() -> None:
    assert around(f"# Simulator\n\n{INSTALL}", at=2, without=1) == []
    assert len(around(f"# Simulator\n\n{INSTALL}", at=2, without=0)) == 2


def test_one_thing_that_is_asked_for_is_told_without_the_other_steps() -> None:
    chunks = chunks_of_page(f"# Simulator\n\n{INSTALL}")
    texts = [claim.text for claim in answer("What is downloaded before the machine is restarted?", *chunks)]
    assert texts == [chunks[0].text]


def test_a_step_that_is_asked_for_by_its_own_name_is_told_alone() -> None:
    steps = (("Set-up", "Open the lab."), ("Maps", "Save the map that the robot drew."), ("Goals", "Set a goal."))
    sections = (f"### Step {number}: {title}\n\n{text}" for number, (title, text) in enumerate(steps, start=1))
    chunks = chunks_of_page("\n\n".join(("# Navigation", *sections)))
    assert [claim.text for claim in answer("How do I save the map?", *chunks)] == [chunks[1].text]


def test_long_steps_are_told_as_far_as_there_is_room() -> None:
    steps = (f"### Step {number}: Part {number}\n\n{'Turn it on. ' * 120}" for number in (1, 2, 3, 4))
    page = "\n\n".join(("# Simulator", *steps))
    assert len(around(page, at=1)) == 2


UNNUMBERED = (
    "# Packaging\n\n## Build a Windows app on Linux\n\nIt works with one tool.\n\n"
    "### Install the linker\n\nAdd the linker and the resource compiler of Windows.\n\n"
    "### Add the target\n\nAdd the target to the compiler.\n\n"
    "### Why it is slow\n\nIt compiles all."
)


def test_sections_that_say_what_is_to_be_done_are_steps_of_what_the_title_above_them_names() -> None:
    _, linker, target, _ = chunks = chunks_of_page(UNNUMBERED)
    claims = answer("How do I build the Windows app on a Linux machine with a resource compiler?", *chunks)
    assert [linker.text, target.text] == [claim.text for claim in claims if claim.headed]


def test_a_section_that_is_asked_for_by_its_own_title_is_told_alone() -> None:
    of_windows, of_linux = (
        "## Install it on Windows\n\nRun the installer.",
        "## Install it on Linux\n\nUse the package.",
    )
    windows, linux = chunks_of_page(f"# Install it\n\n{of_windows}\n\n{of_linux}")
    assert answer("How do I install it on Windows?", windows, linux)[0].text == windows.text

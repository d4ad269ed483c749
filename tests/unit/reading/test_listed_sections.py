"""Lists whose items are sections of their own."""

from tests.fakes import chunks_of_page
from tests.unit.reading.quoting import told

OPENING = "Robots keep their keys with the help of key providers, which are programs beside the robot."
PROVIDERS = {
    "robot:file": "Keeps keys in a file.",
    "robot:chain": "Keeps keys in the key chain.",
    "robot:chip": "Keeps keys in a chip.",
}
ITEMS = "\n\n".join(f"### {name}\n\n{text}" for name, text in PROVIDERS.items())
PAGE = f"# Keys\n\n{OPENING}\n\n## Built-in key providers\n\nThere are several.\n\n"
QUESTION = "What are the built-in key providers that robots keep their keys with?"


def test_sections_below_the_heading_that_names_what_is_asked_for_are_its_list() -> None:
    assert told(QUESTION, *chunks_of_page(f"{PAGE}{ITEMS}"))[: len(PROVIDERS)] == list(PROVIDERS.values())


def test_two_sections_are_no_list() -> None:
    two = "\n\n".join(ITEMS.split("\n\n")[:4])
    assert told(QUESTION, *chunks_of_page(f"{PAGE}{two}"))[0] == OPENING


def test_a_table_that_names_most_of_them_is_told_in_their_place() -> None:
    rows = "".join(f"| {name} | {text} |\n" for name, text in PROVIDERS.items())
    table = f"## At a glance\n\n| Provider | Use |\n| - | - |\n{rows}"
    text, *_ = told(QUESTION, *chunks_of_page(f"{PAGE}{ITEMS}\n\n{table}"))
    assert all(name in text for name in PROVIDERS)


def test_where_no_list_is_wanted_the_best_passage_is_told() -> None:
    assert told("Why do robots keep their keys?", *chunks_of_page(f"{PAGE}{ITEMS}"))[0] == OPENING

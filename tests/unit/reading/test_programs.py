"""Code in several pieces."""

from tests.fakes import chunk_of_page
from tests.unit.reading.quoting import told

SHOW = "Show me a snippet that plays a tune from a text about drums."
TUNE = """\
Load the player:

```python
player = load("tunes")
```

Write a text about drums:

```python
text = "drums and a tune"
```

Play the tune:

```python
sound = player(text)
```
"""


def test_code_is_told_with_the_code_that_uses_what_it_defines() -> None:
    told_text = " ".join(told(SHOW, chunk_of_page(TUNE)))
    assert 'player = load("tunes")' in told_text
    assert "sound = player(text)" in told_text


def test_of_pieces_that_define_the_same_one_is_told() -> None:
    pieces = {"A soft tune of drums:": 1, "A loud tune of horns:": 9}
    page = "\n\n".join(f"{line}\n\n```python\ntune = play({number})\n```" for line, number in pieces.items())
    assert told("Show me the code of a soft tune of drums", chunk_of_page(page)) == [
        "A soft tune of drums:\n\ntune = play(1)"
    ]


def test_code_is_the_answer_where_the_section_found_first_has_nothing_else() -> None:
    listing = "class Gestures:\n    known = ['wave', 'point']"
    page = f"## Hand gestures\n\n```python\n{listing}\n```"
    assert told("Which hand gestures does the robot know?", chunk_of_page(page)) == [listing]


def test_code_is_no_answer_where_the_section_tells_something_in_words() -> None:
    page = "## Hand gestures\n\nThe robot waves with its hand.\n\n```python\nknown = ['wave', 'point']\n```"
    assert "known" not in " ".join(told("Why does the robot make hand gestures?", chunk_of_page(page)))

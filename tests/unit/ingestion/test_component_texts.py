"""Texts in the attributes of a book's own components are read, or it is said that they are not."""

import pytest

from citebook.domain.layout import NodeKind
from citebook.ingestion.mdx import parse_mdx
from tests.unit.ingestion.test_mdx import blocks_of, shown

QUIZ = """<Quiz
  id="q1"
  question="What is a joint?"
  answers={[
    "Two links that move", // not "this"
    { text: 'It\\'s a weld', id: "the second one here", "isCorrect": false },
    `A sensor`,
  ]}
/>
"""


@pytest.mark.parametrize("mdx", [True, False])
def test_the_questions_and_answers_of_a_quiz_are_read(mdx: bool) -> None:
    source = QUIZ if mdx else '<Quiz id="q1" question="What is a joint?" />\n'
    expected = ["What is a joint?", "Two links that move", "It's a weld", "A sensor"]
    assert shown(source, mdx=mdx) == (expected if mdx else expected[:1])


def test_answers_to_choose_from_tell_nothing() -> None:
    blocks = blocks_of(parse_mdx(QUIZ, mdx=True))
    told = [block.content.text for block in blocks if not block.content.is_caption(0, len(block.content.text))]
    assert told == ["What is a joint?"]


def test_each_text_stands_where_it_was_written() -> None:
    blocks = blocks_of(parse_mdx(f"Text.\n\n{QUIZ}", mdx=True))
    source = f"Text.\n\n{QUIZ}"
    for block in blocks:
        start, end = block.content.source_range(0, len(block.content.text))
        assert source[start:end].replace("\\", "") == block.content.text


def test_an_attribute_that_may_hold_text_and_is_not_read_is_named_once() -> None:
    first = '<Lab goal="Build a small robot arm" />'
    source = first + ' and <Lab goal="Make the robot arm move" plan="Try it again and again" />\n\nText.\n'
    page = parse_mdx(source, mdx=True)
    assert page.warnings == ("text in <Lab> is not read: goal, plan",)


def test_the_commands_of_a_component_are_code() -> None:
    tag = '<CommandTabs npm="npm add gears" bun="bunx add gears" cargo="see below for it" />'
    page = parse_mdx(f"Text.\n\n{tag}\n", mdx=True)
    code = [block.content.text for block in blocks_of(page) if block.kind is NodeKind.CODE]
    assert code == ["npm add gears", "bunx add gears"]
    assert page.warnings == ("text in <CommandTabs> is not read: cargo",)


@pytest.mark.parametrize(
    "tag",
    [
        '<Lab className="button large primary" id="a" />',
        "<Lab style={{ color: 'red' }} values={[{ label: 'npm', value: 'npm' }]} />",
        "<Lab render={() => 'this is no text'} />",
        '<div data-goal="Build a small robot">Text.</div>',
    ],
)
def test_settings_and_programs_are_no_text(tag: str) -> None:
    page = parse_mdx(f"Text.\n\n{tag}\n", mdx=True)
    assert all(block.content.text == "Text." for block in blocks_of(page))


def test_a_component_in_plain_markdown_is_a_component() -> None:
    source = '<Listing number="17-1" caption="Using `Box<T>`">\n\n```rust\nlet a = 1;\n```\n\n</Listing>\n'
    assert shown(source, mdx=False) == ["Using `Box<T>`", "let a = 1;"]

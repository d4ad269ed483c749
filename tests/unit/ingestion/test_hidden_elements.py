"""What an element hides from every reader is no text of the book."""

import pytest

from citebook.ingestion.mdx import parse_mdx


def texts(source: str, *, mdx: bool) -> list[str]:
    return [block.content.text for section in parse_mdx(source, mdx=mdx).sections for block in section.blocks]


@pytest.mark.parametrize("mdx", [False, True], ids=["md", "mdx"])
@pytest.mark.parametrize(
    "source",
    [
        "A <span hidden>secret</span> gear.",
        'A <span style="color: red; display:none">secret</span> gear.',
        'A <b style="visibility: hidden">secret</b> gear.',
        "<div hidden>\n\nsecret\n\n- secret\n\n</div>\n\nA gear.",
        '<div hidden="hidden"><div>secret</div> secret</div>\n\nA gear.',
        'A <img hidden alt="secret"/> gear.',
    ],
)
def test_hidden_elements_are_no_text(source: str, mdx: bool) -> None:
    assert texts(source, mdx=mdx) == ["A gear."]


@pytest.mark.parametrize("attribute", ["hidden", "hidden={true}", "style={{display: 'none'}}"])
def test_components_hide_in_their_own_words(attribute: str) -> None:
    assert texts(f"<Box {attribute}>\n\nsecret\n\n</Box>\n\nA gear.", mdx=True) == ["A gear."]


def test_what_is_not_hidden_is_text() -> None:
    assert texts("<Box hidden={false}>A gear.</Box>", mdx=True) == ["A gear."]


def test_a_hidden_element_that_is_not_closed_hides_no_more_than_its_paragraph() -> None:
    assert texts("A <span hidden>secret\n\nA gear.", mdx=False) == ["A", "A gear."]

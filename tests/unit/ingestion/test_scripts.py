"""Superscripts and subscripts: what is raised or lowered on the page is so in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.ingestion.mapped_text import MappedText
from citebook.ingestion.mdx import parse_mdx
from citebook.language.languages import language_of
from tests.unit.ingestion.test_mdx import blocks_of, shown


def text_of(source: str, *, mdx: bool = False) -> MappedText:
    (block,) = blocks_of(parse_mdx(source, mdx=mdx))
    return block.content


@pytest.mark.parametrize("mdx", [False, True])
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("some 10<sup>13</sup> cells", "some 10¹³ cells"),
        ("H<sub>2</sub>O", "H₂O"),
        ("Ca<sup>2+</sup> and Cl<sup>–</sup>", "Ca²⁺ and Cl⁻"),
        ("10<sup>&minus;6</sup> m", "10⁻⁶ m"),
        ("the 5<sup>th</sup> step", "the 5ᵗʰ step"),
        ("FADH<sub>2 </sub>to the chain", "FADH₂ to the chain"),
        ("vitamin B<sub>2,</sub> also", "vitamin B₂, also"),
        ("P<sub>total</sub> and V<sub>H</sub>V<sub>L</sub>", "P_(total) and V_(H)V_(L)"),
        ("Ψ<sup>pure H<sub>2</sub>O</sup>", "Ψ^(pure H₂O)"),
        ("X<sup>*w*</sup>Y", "XʷY"),
        ("a<sup></sup>b", "ab"),
        ("a<sup> </sup>b", "a b"),
        ("<sup>1</sup> A note.", "¹ A note."),
        ("x<sup>$n$</sup>", "x$n$"),
    ],
)
def test_they_are_told_in_characters_of_their_own_or_in_brackets(source: str, text: str, mdx: bool) -> None:
    assert text_of(source, mdx=mdx).text == text


def test_they_are_told_in_tables_headings_html_and_preformatted_text() -> None:
    page = parse_mdx("## 10<sup>2</sup>\n\n| a | b |\n|---|---|\n| x<sub>1</sub> | y<sup>2</sup> |\n", mdx=False)
    assert page.sections[0].title == "10²"
    assert blocks_of(page)[0].content.text == "a | b\nx₁ | y²"
    assert shown("<p>O<sub>2</sub></p>\n", mdx=False) == ["O₂"]
    assert shown("<pre>10<sup>13</sup>\nm<sub>i</sub></pre>\n", mdx=False) == ["10¹³\nmᵢ"]


def test_the_anchor_of_a_heading_is_that_of_the_site() -> None:
    assert parse_mdx("# T\n\n## CO<sub>2</sub> levels\n\nText.", mdx=False).sections[-1].anchor == "co2-levels"


def test_one_that_is_not_closed_leaves_the_text_as_it_is() -> None:
    assert shown("a<sup>13\n\nb</sup> c\n", mdx=False) == ["a13", "b c"]


def test_a_citation_never_tears_the_tags_apart() -> None:
    source = "It has 10<sup>13</sup>"
    content = text_of(source)
    assert content.text == "It has 10¹³"
    assert content.source_range(9, 10) == content.source_range(9, 11) == (9, len(source))
    assert content.source_range(0, 9) == (0, 9)


@given(st.lists(st.tuples(st.sampled_from("abz"), st.sampled_from(["sup", "sub"]), st.text("01-+xq", max_size=4))))
def test_each_script_stands_for_its_element(parts: list[tuple[str, str, str]]) -> None:
    elements = [f"<{tag}>{inside}</{tag}>" for _, tag, inside in parts]
    source = "k" + "".join(letter + element for (letter, _, _), element in zip(parts, elements, strict=True))
    content = text_of(source)
    shown_elements = [element for element, part in zip(elements, parts, strict=True) if part[2]]
    replaced = [source[run.start : run.end] for run in content.runs if not run.is_exact]
    assert replaced == shown_elements


def test_words_find_them_as_a_reader_types_them() -> None:
    english = language_of("en")
    assert list(english.words("H₂O Ca²⁺ 5ᵗʰ Kₘ")) == ["h2o", "ca2", "5th", "km"]
    assert list(english.words("10¹³")) == list(english.words("10^13")) == ["10", "13"]

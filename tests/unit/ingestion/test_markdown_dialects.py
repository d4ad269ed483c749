"""What GitHub, kramdown, MkDocs and GitBook add to Markdown shows no machinery."""

import time

import pytest

from citebook.ingestion.mdx import parse_mdx
from tests.unit.ingestion.test_mdx import blocks_of, kinds, shown


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("A paragraph.\n{: .note}\n\nMore.", ["A paragraph.", "More."]),
        ("{: .no_toc .text-delta }\nText.", ["Text."]),
        ("Text.{:#id key='a value'}", ["Text."]),
        ("{::options parse_block_html='true' /}\n\nText.", ["Text."]),
        ("* TOC\n{:toc}\n\nText.", ["Text."]),
        ("[TOC]\n\nText.\n\n[[_TOC_]]", ["Text."]),
        ('![A robot](a.svg){ width="680" }', ["A robot"]),
        ('{% hint style="info" %}\nMind the gap.\n{% endhint %}', ["Mind the gap."]),
        ("> [!NOTE]\n> Mind the gap.", ["Mind the gap."]),
        ("> [!warning]- Mind the gap.", ["Mind the gap."]),
        ("> See [!NOTE] and [!a](b).", ["See [!NOTE] and !a."]),
        ("The set {x = 1} and f(x){y} and {a}.", ["The set {x = 1} and f(x){y} and {a}."]),
        ("Use `{: .note}` and `{% raw %}`.", ["Use {: .note} and {% raw %}."]),
    ],
)
def test_attribute_lists_and_tags_of_other_dialects_show_nothing(source: str, texts: list[str]) -> None:
    assert shown(source, mdx=False) == texts


def test_an_element_may_say_that_it_holds_markdown() -> None:
    source = (
        '<div class="note" markdown="1">\n<div>\nLink to Learning\n</div>\n'
        "<span> ![A code](a.png) </span>\nWatch [this video][1].\n\n* one\n* **two**\n\n</div>\n\n"
        "<figure markdown>\n  ![A photo](b.png)\n  <figcaption>A *toad*.</figcaption>\n</figure>\n\n"
        "[1]: https://example.org\n"
    )
    assert kinds(source, mdx=False) == [
        ("paragraph", "Link to Learning"),
        ("paragraph", "A code Watch this video."),
        ("list", "* one\n* two"),
        ("paragraph", "A photo"),
        ("paragraph", "A toad."),
    ]


def test_an_indented_table_in_such_an_element_is_no_code() -> None:
    rows = "    <tr><th>A</th><th>B</th></tr>\n\n    <tr><td>1</td><td>2</td></tr>\n"
    source = f'<div markdown="1">\nText.\n\n  <table>\n{rows}  </table>\n\n    </div>\n'
    assert kinds(source, mdx=False) == [("paragraph", "Text."), ("table", "A | B\n1 | 2")]


def test_html_that_does_not_say_so_is_html() -> None:
    assert shown("<div>\n*stars* [a](b)\n</div>", mdx=False) == ["*stars* [a](b)"]
    assert shown('<div markdown="0">\n*stars*\n</div>', mdx=False) == ["*stars*"]


def test_a_bracket_that_is_escaped_twice_is_a_bracket() -> None:
    source = r"Need \&lt;1ms, \&gt; 2 &lt; 3 and \&copy;."
    (block,) = blocks_of(parse_mdx(source, mdx=False))
    assert block.content.text == "Need <1ms, > 2 < 3 and &copy;."
    assert block.content.source_range(5, 6) == (5, 10)


@pytest.mark.parametrize("mdx", [False, True])
@pytest.mark.parametrize(
    "source",
    [
        r"Add *$HOME/.cargo/bin*. Ensure that it is in your `$PATH` to run it.",
        r"Print `\n` or `\t`, and `$x` or `$y`.",
        "It costs $5 today and $10 tomorrow.",
        "```sh\necho $HOME $PATH \\n\n```",
        "~~~\n$a$ \\frac\n~~~",
    ],
)
def test_code_and_prices_are_no_formulas(source: str, mdx: bool) -> None:
    (block,) = blocks_of(parse_mdx(source, mdx=mdx))
    assert block.kind != "formula"
    if block.kind == "paragraph":
        assert not any("formula" in mark.marks for mark in block.content.marked_ranges())


@pytest.mark.parametrize(
    "piece", ["<div markdown>", "<div markdown>\n", "</div>", "{:", "){ a=", "{% ", "{: a=b", "\\&lt"]
)
def test_broken_markup_takes_no_time(piece: str) -> None:
    started = time.process_time()
    parse_mdx(piece * 3_000, mdx=False)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"Cells divide ([\[link\]](#fig-1)). Then they grow.", "Cells divide. Then they grow."),
        (r"**Roots** ( [\[link\]](#fig-1)**ab** ), and stems.", "Roots, and stems."),
        (r"*They* ([\[link\]](#fig-1)) grow.", "They grow."),
        (r"As [\[link\]](#fig-1) shows (see [\[link\]](#fig-2)).", "As [link] shows (see [link])."),
        (r"Read ([\[link\]](other.md)).", "Read ([link])."),
        ("Read (the [link](#fig-1)) and ([link]).", "Read (the link) and ([link])."),
    ],
)
def test_a_reference_that_names_nothing_is_left_out_with_its_brackets(source: str, text: str) -> None:
    assert shown(source, mdx=False) == [text]


def test_a_sentence_around_a_bare_reference_stands_in_its_place() -> None:
    source = r"Cells divide ([\[link\]](#fig-1)) and grow. Leaves fall."
    (block,) = blocks_of(parse_mdx(source, mdx=False))
    start, end = block.content.source_range(*(block.content.text.index(edge) for edge in ("and", " Leaves")))
    assert source[start:end] == "and grow."


def test_a_code_that_nobody_can_scan_is_not_shown() -> None:
    assert shown("![QR Code representing a URL](a.png) Watch this.\n\n![A gear](b.png)") == ["Watch this.", "A gear"]

"""What MkDocs, its Material theme and PyMdown's extensions add is read as a reader of the site sees it."""

import re
import time

import pytest

from citebook.domain.layout import NodeKind
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.page import TextBlock
from tests.unit.ingestion.test_mdx import blocks_of, kinds, sections, shown


def _quotations(block: TextBlock) -> int:
    return sum(container.kind is NodeKind.QUOTATION for container in block.leaves[0].containers)


class TestAdmonitions:
    def test_the_content_is_markdown_and_the_type_is_not_shown(self) -> None:
        source = "!!! note\n    A *word*.\n\n    - one\n    - two\n\n    ```py\n    x = 1\n    ```\n\nAfter.\n"
        assert kinds(source, mdx=False) == [
            ("paragraph", "A word."),
            ("list", "- one\n- two"),
            ("code", "x = 1"),
            ("paragraph", "After."),
        ]

    def test_it_is_a_quotation_and_its_title_stands_out(self) -> None:
        title, text, after = blocks_of(parse_mdx('!!! tip "Mind *this*"\n\n    Text.\n\nAfter.', mdx=False))
        assert title.content.text == "Mind this"
        assert {"strong"} <= set(title.content.runs[0].marks)
        assert [_quotations(block) for block in (title, text, after)] == [1, 1, 0]

    @pytest.mark.parametrize("opening", ["???", "???+", "!!!"])
    def test_it_may_be_folded(self, opening: str) -> None:
        assert shown(f'{opening} info inline end "Title"\n\n    Text.', mdx=False) == ["Title", "Text."]

    def test_a_title_alone_is_enough_to_fold(self) -> None:
        assert shown('??? "Title"\n    Text.', mdx=False) == ["Title", "Text."]

    def test_an_empty_title_shows_nothing(self) -> None:
        assert shown('!!! note ""\n    Text.', mdx=False) == ["Text."]

    def test_they_nest(self) -> None:
        source = '!!! note "A"\n    One.\n\n    ??? tip\n        Two.\n\n            code\n\n    Three.\n\nFour.'
        blocks = blocks_of(parse_mdx(source, mdx=False))
        assert [(block.content.text, _quotations(block)) for block in blocks] == [
            ("A", 1),
            ("One.", 1),
            ("Two.", 2),
            ("code", 2),
            ("Three.", 1),
            ("Four.", 0),
        ]

    def test_a_tab_indents_as_well(self) -> None:
        assert kinds("!!! note\n\tText.\n\n\t\tcode", mdx=False) == [("paragraph", "Text."), ("code", "code")]

    def test_they_stand_in_lists_and_quotations(self) -> None:
        source = (
            '- item\n\n    !!! note "Title"\n        Inside.\n\n    Behind.\n\n- last\n\n> !!! tip\n>     Quoted.'
        )
        assert shown(source, mdx=False) == ["- item\n  Title\n  Inside.\n  Behind.\n- last", "Quoted."]

    def test_a_line_that_is_not_indented_ends_it(self) -> None:
        text, after = blocks_of(parse_mdx("Before\n!!! note\n    Text.\nAfter.", mdx=False))[1:]
        assert (text.content.text, after.content.text, _quotations(after)) == ("Text.", "After.", 0)

    @pytest.mark.parametrize("source", ["!!! Look here", "Wait ???", "!!!", "???", "!!! note", "??? why, then"])
    def test_cries_are_text(self, source: str) -> None:
        assert shown(f"{source}\n\nAfter.", mdx=False) == [source, "After."]

    def test_a_heading_in_it_opens_a_section(self) -> None:
        assert [one.title for one in sections("# A\n\n!!! note\n    ## B\n    Text.", mdx=False)] == ["A", "B"]


class TestTabs:
    def test_the_label_is_a_line_of_its_own(self) -> None:
        source = '=== "`pip`"\n\n    ```sh\n    pip install x\n    ```\n\n===! "uv"\n\n    Text.\n\nAfter.'
        assert kinds(source, mdx=False) == [
            ("paragraph", "pip"),
            ("code", "pip install x"),
            ("paragraph", "uv"),
            ("paragraph", "Text."),
            ("paragraph", "After."),
        ]

    def test_a_line_of_equals_signs_still_makes_a_heading(self) -> None:
        assert [one.title for one in sections("Title\n===\nText.", mdx=False)] == ["Title"]


class TestBlocks:
    def test_fences_and_options_are_not_shown(self) -> None:
        source = "/// details | Some *summary*\n    type: warning\n    open: True\n\nText.\n///\n\nAfter."
        blocks = blocks_of(parse_mdx(source, mdx=False))
        assert [(block.content.text, _quotations(block)) for block in blocks] == [
            ("Some summary", 1),
            ("Text.", 1),
            ("After.", 0),
        ]

    def test_they_nest_by_more_slashes(self) -> None:
        source = "//// tab | Linux\n\n/// tip\nUse a shell.\n///\n\n////\n\n//// tab | Windows\nText.\n////\nAfter."
        blocks = blocks_of(parse_mdx(source, mdx=False))
        assert [(block.content.text, _quotations(block)) for block in blocks] == [
            ("Linux", 0),
            ("Use a shell.", 1),
            ("Windows", 0),
            ("Text.", 0),
            ("After.", 0),
        ]

    def test_a_title_is_shown_whatever_the_block_is_called(self) -> None:
        assert shown("/// version-changed | v2\nText.\n///", mdx=False) == ["v2", "Text."]
        assert shown("/// html | div.wide\nText.\n///\n/// caption\nA photo.\n///", mdx=False) == [
            "Text.",
            "A photo.",
        ]

    @pytest.mark.parametrize("source", ["/// note | Never closed", "///", "/// A comment of Rust", "//// note\n///"])
    def test_what_is_no_block_is_text(self, source: str) -> None:
        assert "".join(shown(source, mdx=False)) == source.replace("\n", " ")


class TestReferences:
    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("A [typed dict][typing.TypedDict].", "A typed dict."),
            ("A [`TypedDict`][typing.TypedDict].", "A TypedDict."),
            ("A [`Model`][].", "A Model."),
            ("A [dict][].", "A dict."),
            ("See [weak references][weakref] and [sets][set].", "See weak references and sets."),
            ("The [MRO][method resolution order] and *[a b][c.d]*.", "The MRO and a b."),
            ("See [a [b] c][d.e].", "See a [b] c."),
        ],
    )
    def test_they_show_their_text_alone(self, source: str, text: str) -> None:
        assert shown(source, mdx=False) == [text]

    @pytest.mark.parametrize(
        "source",
        [
            "The element a[i][j] and a[i][j.k], x[0][] and f()[a][b.c].",
            "In [i][j] and [1][2] and [A-Z][a-z] or [a-z][A-Za-z0-9].",
            "Press [Cancel][Apply].",
            "About 760 mi,[note 2][note 1] or so [note 2][note 1].[citation needed][clarification needed]",
            "An int[][] and [][a.b] and [a] [b.c].",
            "A list[T][int] and [a][b",
        ],
    )
    def test_indices_and_classes_of_characters_are_text(self, source: str) -> None:
        assert shown(source, mdx=False) == [source]

    def test_code_is_code(self) -> None:
        assert shown("`[a][b.c]`\n\n```\n[a][b.c]\n```", mdx=False) == ["[a][b.c]"] * 2

    def test_what_is_defined_is_a_link(self) -> None:
        assert shown("[Some text][a.b]\n\n[a.b]: https://example.org", mdx=False) == ["Some text"]

    def test_they_stand_in_headings(self) -> None:
        (section,) = sections("## The [`Model`][pkg.Model] class\n\nText.", mdx=False)
        assert (section.title, section.anchor) == ("The Model class", "the-model-class")

    def test_mdx_is_as_it_was(self) -> None:
        assert shown("A [typed dict][typing.TypedDict].", mdx=True) == ["A [typed dict][typing.TypedDict]."]


class TestAttributes:
    @pytest.mark.parametrize(
        ("source", "text"),
        [
            ("Text (1) here.\n{ .annotate }", "Text (1) here."),
            ("Text. {#id}", "Text."),
            ("- item {: .done }", "- item"),
            ("A table\n{ data-search-exclude }", "A table"),
            ('[Send](#){ .md-button title="a b" }', "Send"),
            ("A set {x=1}", "A set {x=1}"),
            ("A {.class} within", "A {.class} within"),
            ("The set{.x}", "The set{.x}"),
        ],
    )
    def test_they_show_nothing_behind_what_they_belong_to(self, source: str, text: str) -> None:
        assert shown(source, mdx=False) == [text]

    def test_those_of_a_heading_name_it(self) -> None:
        first, second = sections('## One { #one .wide }\n\n## Two { data-toc-label="2" }', mdx=False)
        assert [(one.title, one.anchor) for one in (first, second)] == [("One", "one"), ("Two", "two")]

    @pytest.mark.parametrize("info", ['python {title="a.py" hl_lines="2"}', '{ .python title="a.py" .annotate }'])
    def test_those_of_a_fence_show_its_title(self, info: str) -> None:
        title, code = blocks_of(parse_mdx(f"``` {info}\nx = 1  # (1)!\n```", mdx=False))
        assert (title.content.text, code.content.text) == ("a.py", "x = 1  # (1)!")
        assert code.leaves[0].language == "python"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Press ++ctrl+alt+del++ or ++f5++.", "Press Ctrl+Alt+Del or F5."),
        ('Press ++cmd+"My Key"++.', "Press Cmd+My Key."),
        ("In C++ and i++ and ++i++j and ++foo++.", "In C++ and i++ and ++i++j and ++foo++."),
        ("~~old~~ ^^new^^ ==a *marked* word==", "old new a marked word"),
        ("If a==b and c==d, or a == b == c.", "If a==b and c==d, or a == b == c."),
        (":material-check: Yes :octicons-x-16:{ .lg } no :smile: 10:30:00", "Yes no :smile: 10:30:00"),
        ("Call `#!python print()` in `#!/bin/sh`.", "Call print() in #!/bin/sh."),
    ],
)
def test_marks_keys_and_icons(source: str, text: str) -> None:
    assert shown(source, mdx=False) == [text]


def test_definitions_are_paragraphs() -> None:
    source = "Term\n:   A text\nthat goes on.\n:   Another.\n\n    - one\n\nTerm 2\n\n:   Text.\n\nAfter: all.\n: no"
    assert kinds(source, mdx=False) == [
        ("paragraph", "Term"),
        ("paragraph", "A text that goes on."),
        ("paragraph", "Another."),
        ("list", "- one"),
        ("paragraph", "Term 2"),
        ("paragraph", "Text."),
        ("paragraph", "After: all. : no"),
    ]


def test_abbreviations_are_hidden() -> None:
    assert shown("HTML.\n\n*[HTML]: Hyper Text\n*[W3C]: World Wide\n\n*[a](b)* is.", mdx=False) == ["HTML.", "a is."]


def test_what_is_taken_from_elsewhere_is_told_in_one_warning() -> None:
    source = (
        'Text.\n\n--8<-- "a.md"\n\n--8<--\nb.md\nc.md\n--8<--\n\n{* ../src/a.py hl[3,4] *}\n\n'
        '```py\nx = 1\n--8<-- "a.py:part"\n# --8<-- is text\n```\n\n```py\n--8<-- "b.py"\n```\n'
    )
    page = parse_mdx(source, mdx=False)
    assert [block.content.text for block in blocks_of(page)] == ["Text.", "x = 1\n# --8<-- is text"]
    assert page.warnings == ("what it takes from other files (`--8<--` and the like) is not read",)


def test_documentation_made_from_code_is_told_in_a_warning() -> None:
    source = (
        "::: pkg.mod.Name\n    options:\n      members: no\n\nText.\n\n#### ::: pkg.function\n\n:::note\nMore.\n:::\n"
    )
    page = parse_mdx(source, mdx=False)
    assert [block.content.text for block in blocks_of(page)] == ["Text.", "More."]
    assert page.sections[-1].title == "pkg.function"
    assert page.warnings == ("what is made from code (`::: module`) is not read",)


_ALL = (
    '# A [`b`][c.d] { #e }\n\n!!! note "A *title*"\n\tText ==marked== and\n\t++ctrl+c++.\n\n    === "Tab"\n\n'
    "        - one [two][a.b]\n        - :material-check: three\n\nTerm\n:   Def\n    on.\n\n/// tip | T\nSome\n///\n"
    '```py\n--8<-- "x"\ny\n```\n'
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_run_stands_in_its_place(line_end: str) -> None:
    source = _ALL.replace("\n", line_end)
    texts = []
    for block in blocks_of(parse_mdx(source, mdx=False)):
        for run in block.content.runs:
            if run.is_exact:
                there = source[run.start : run.end]
                assert there == run.text or re.sub(r"\s", " ", there) == run.text
                texts.append(run.text)
    assert {"Text ", "marked", "one ", "two", "three", "Def ", "T", "Some", "y"} <= set(texts)


@pytest.mark.parametrize(
    "page",
    [
        "!!! note\n" * 4_000,
        "!!! note\n\n\n\n" * 4_000,
        '??? "a"\n    b\n' * 2_000,
        '=== "a"\n' * 4_000,
        "/// a\n" * 4_000 + "///\n",
        "/// a\n" * 2_000 + "///\n" * 2_000,
        "a\n:   b\n" * 2_000,
        ":   " * 4_000,
        "--8<--\nx\n" * 2_001,
        "[a" * 4_000,
        "[a][" * 4_000,
        "[a][b.c]" * 2_000,
        "==a " * 4_000,
        "++a+" * 4_000,
        "{.a} " * 4_000,
        ":material-a" * 4_000,
        "::: a.b\n" * 2_000,
        "*[a]: b\n" * 4_000,
        "".join("    " * depth + "!!! note\n" for depth in range(80)) + ("    " * 80 + "text\n\n") * 200,
    ],
)
def test_the_time_grows_with_the_length_alone(page: str) -> None:
    started = time.process_time()
    parse_mdx(page, mdx=False)
    assert time.process_time() - started < 4

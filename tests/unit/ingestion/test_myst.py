"""What MyST, the Markdown of Jupyter Book, adds is read as a reader of the book sees it."""

from pathlib import Path

import pytest

from citebook.domain.book import Role
from citebook.domain.layout import NodeKind
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.myst_syntax import ELSEWHERE_NOT_READ
from tests.unit.ingestion.test_mdx import blocks_of, kinds, shown
from tests.unit.ingestion.test_sentence_roles import roles_of


class TestDirectives:
    @pytest.mark.parametrize(("opening", "closing"), [("```", "```"), ("````", "````"), (":::", ":::")])
    def test_an_admonition_shows_its_title_and_its_content(self, opening: str, closing: str) -> None:
        source = f"{opening}{{admonition}} Mind *this*\n:class: tip\n\nA *word*.\n\n- one\n{closing}\n\nAfter.\n"
        assert shown(source, mdx=False) == ["Mind this", "A word.", "- one", "After."]

    def test_it_is_set_apart_from_the_text_around_it(self) -> None:
        inside, after = blocks_of(parse_mdx("```{note}\nInside.\n```\n\nAfter.", mdx=False))
        assert [leaf.kind for leaf in inside.leaves[0].containers] == [NodeKind.QUOTATION]
        assert after.leaves[0].containers == ()

    def test_they_nest(self) -> None:
        source = "`````{tab-set}\n````{tab-item} Linux\n```{code-block} bash\nls\n```\n````\n`````\nAfter.\n"
        assert kinds(source, mdx=False) == [("paragraph", "Linux"), ("code", "ls"), ("paragraph", "After.")]

    @pytest.mark.parametrize("options", ["", ":linenos:\n", "---\nlineno-start: 10\nemphasize-lines: 1\n---\n"])
    def test_code_is_kept_to_the_letter_without_its_options(self, options: str) -> None:
        source = f"```{{code-block}} python\n{options}def f():\n    return 1\n```\n"
        (block,) = blocks_of(parse_mdx(source, mdx=False))
        assert (block.content.text, block.leaves[0].language) == ("def f():\n    return 1", "python")

    def test_a_formula_is_a_formula(self) -> None:
        assert kinds("```{math}\n:label: euler\ne^{i\\pi} = -1\n```", mdx=False) == [("formula", "e^{i\\pi} = -1")]

    @pytest.mark.parametrize("name", ["toctree", "bibliography", "tableofcontents", "image"])
    def test_what_a_site_fills_in_shows_nothing(self, name: str) -> None:
        assert shown(f"Before.\n\n```{{{name}}} a/path\n:key: value\n\none\n```\nAfter.", mdx=False) == [
            "Before.",
            "After.",
        ]

    def test_what_is_taken_from_elsewhere_is_named_in_a_warning(self) -> None:
        assert parse_mdx("```{include} other.md\n```\n", mdx=False).warnings == (ELSEWHERE_NOT_READ,)

    def test_a_figure_shows_its_caption_which_is_no_answer(self) -> None:
        source = (
            "```{figure} a.png\n---\nname: arm\nalt: An arm.\n---\nAn arm with two joints.\n```\n\nThe arm is long.\n"
        )
        assert roles_of(source) == [(Role.CAPTION, "An arm with two joints."), (Role.TEXT, "The arm is long.")]

    def test_a_table_is_a_table_with_its_caption_before_it(self) -> None:
        source = "```{table} Costs\n:name: costs\n\n| a | b |\n| - | - |\n| 1 | 2 |\n```\n"
        assert kinds(source, mdx=False) == [("paragraph", "Costs"), ("table", "a | b\n1 | 2")]

    @pytest.mark.parametrize("source", ["```{python}\nx = 1\n```", "```{r, echo=FALSE}\nx = 1\n```"])
    def test_a_cell_of_a_notebook_is_code(self, source: str) -> None:
        assert kinds(source, mdx=False) == [("code", "x = 1")]

    def test_one_that_is_never_closed_is_code(self) -> None:
        assert kinds("```{note}\nText.\n", mdx=False) == [("code", "Text.")]

    def test_offsets_are_those_of_the_file(self) -> None:
        source = "````{note} Title\nSome **bold** text.\n````\n"
        title, text = blocks_of(parse_mdx(source, mdx=False))
        assert source[title.content.runs[0].start : title.content.runs[-1].end] == "Title"
        assert source[text.content.runs[0].start : text.content.runs[-1].end] == "Some **bold** text."


class TestRoles:
    @pytest.mark.parametrize(
        ("source", "visible"),
        [
            ("See {ref}`the arm <arm-label>`.", "See the arm."),
            ("See {doc}`the arm<../arm>`.", "See the arm."),
            ("A {term}`gear` turns.", "A gear turns."),
            ("Press {kbd}`Ctrl`.", "Press Ctrl."),
            ("It was shown {cite:p}`Smith2020,Jones1999`.", "It was shown ."),
            ("Shown {cite}`Smith2020` twice.", "Shown twice."),
            ("Type `{ref}` here.", "Type {ref} here."),
            ("A set {a, b} and `code`.", "A set {a, b} and code."),
        ],
    )
    def test_they_show_their_text(self, source: str, visible: str) -> None:
        assert shown(source, mdx=False) == [visible]

    def test_mathematics_in_a_line_is_a_formula(self) -> None:
        (block,) = blocks_of(parse_mdx("Here {math}`x^2` is.", mdx=False))
        assert [run.text for run in block.content.runs if "formula" in run.marks] == ["`x^2`"]


@pytest.mark.parametrize("source", ["(arm)=\n# Arm\n\nText.", "# Arm\n\n(below)=\nText."])
def test_labels_are_not_shown(source: str) -> None:
    assert shown(source, mdx=False)[-1] == "Text."
    assert not any(")=" in text for text in shown(source, mdx=False))


def test_a_reference_shows_the_title_of_the_heading_that_has_the_label(tmp_path: Path) -> None:
    (tmp_path / "arm.md").write_text("(arm-label)=\n\n## The *long* arm\n\nIt is long.\n")
    (tmp_path / "hand.md").write_text("# Hand\n\nSee {ref}`arm-label` and {ref}`unknown`.\n")
    hand = next(page for page in find_pages(tmp_path).pages if page.filename == "hand.md")
    assert hand.referred_titles == (("arm-label", "The long arm"),)
    (block,) = blocks_of(parse_mdx(hand.read_text(), mdx=False, titles=dict(hand.referred_titles)))
    assert block.content.text == "See The long arm and unknown."


def test_a_page_is_read_anew_when_a_title_that_it_shows_has_changed(tmp_path: Path) -> None:
    def fingerprints(title: str) -> dict[str, str]:
        (tmp_path / "arm.md").write_text(f"(arm)=\n# {title}\n\nIt is long.\n")
        return {page.filename: page.fingerprint for page in find_pages(tmp_path).pages}

    (tmp_path / "hand.md").write_text("# Hand\n\nSee {ref}`arm`.\n")
    (tmp_path / "foot.md").write_text("# Foot\n\nText.\n")
    before, after = fingerprints("Arm"), fingerprints("Leg")
    assert {name for name in before if before[name] != after[name]} == {"arm.md", "hand.md"}

"""The page of graded answers."""

import base64
import hashlib
import re

import pytest

from citebook.domain.blocks import AnswerPart, Block, Code, Formula, Quotation
from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.block_html import parts_html
from citebook.evals.comparison import compare
from citebook.evals.graded_page import graded_page
from citebook.evals.result_files import JudgedRun
from citebook.evals.run_pages import page_of
from tests.block_texts import listed, said, table
from tests.graded_answers import SOURCE, answered, judged_run, refusal
from tests.html_pages import EVIL, Page
from tests.judged_answers import answers_run, judged

MIXED = judged_run(
    answered(id="1", grade="A", note="to the point", grader="Ada"),
    answered(id="2", grade="D", history=("What is a wheel?",), selected="A toothed wheel."),
    refusal(id="3", grade="R+"),
    answered(id="4", outcome="failed", parts=(), error="it broke"),
)


@pytest.mark.parametrize("run", [MIXED, judged_run(answered()), judged_run(refusal(grade="R-"))])
def test_the_page_is_well_formed_and_loads_nothing(run: JudgedRun) -> None:
    page = Page(graded_page([run]))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    assert [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "style", "href")] == []


def test_only_the_filter_may_run() -> None:
    page = graded_page([MIXED])
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page


def test_every_answer_stands_there_with_what_was_hoped_for() -> None:
    text = " ".join("".join(Page(graded_page([MIXED])).text).split())
    for words in ("A wheel with teeth.", "gears.mdx#teeth", "Asked before: What is a wheel?", "to the point (Ada)"):
        assert words in text


def test_answers_can_be_told_apart_by_kind_grade_and_confidence() -> None:
    page = graded_page([MIXED])
    assert re.findall(r'data-grade="(.*?)" data-confidence="(.*?)"', page) == [
        ("A", "high"),
        ("D", "high"),
        ("R+", "refused"),
        ("none", "failed"),
    ]


def test_what_comes_from_data_is_only_ever_text() -> None:
    texts = ("question", "expectation", "selected", "note", "grader")
    evil = dict.fromkeys(texts, EVIL) | {"gold": (EVIL,), "history": (EVIL,), "labels": {"kind": EVIL}}
    source = SOURCE | {"excerpt": EVIL, "chapter_title": EVIL}
    run = judged_run(answered(EVIL, grade="A", sources=(source,), **evil), name=EVIL)
    page = graded_page([run], [compare(run, run)])
    assert page.count("<script") == 1
    assert "<img" not in page


def test_graded_and_measured_results_do_not_share_a_page() -> None:
    with pytest.raises(InvalidQuestionSet, match="a page of their own"):
        page_of([MIXED, answers_run(judged())])


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (said("One ", ("gear", "strong"), " < two."), "<p>One <strong>gear</strong> &lt; two. {}</p>"),
        (Code(language="python", text="a < b"), '<pre tabindex="0"><code>a &lt; b</code></pre><p>{}</p>'),
        (Formula(text="a^2"), '<pre tabindex="0"><var>a^2</var></pre><p>{}</p>'),
        (Quotation(blocks=(said("Mind."),)), "<blockquote><p>Mind.</p></blockquote><p>{}</p>"),
    ],
)
def test_blocks_are_html_with_the_marker_of_their_source(block: Block, shown: str) -> None:
    marker = '<span class="marker">[2]</span>'
    assert parts_html([AnswerPart(blocks=(block,), citation=2)]) == shown.format(marker)


def test_lists_and_tables_are_lists_and_tables() -> None:
    page = parts_html([AnswerPart(blocks=(listed("One.", "Two."), table(["Motor"], ["alpha"])), citation=None)])
    assert page.count("<li>") == 2
    assert '<th scope="col">Motor</th>' in page
    assert "<td>alpha</td>" in page

"""The page that shows measurements."""

import re

import pytest

from citebook.evals.comparison import compare
from citebook.evals.report import html_report
from citebook.evals.report_targets import judge_figure
from citebook.evals.result_files import MeasuredRun
from tests.html_pages import EVIL, Page
from tests.judged_answers import answers_run, citation, found, given_anyway, judged, refused, retrieval_run, wrong

MIXED = [
    judged(),
    wrong(id="q2", confidence=0.6, labels={"kind": "direct"}),
    refused(id="q3", labels={"kind": "far"}),
    given_anyway(id="q4", confidence=0.3, labels={"kind": "near"}),
]


def pages() -> list[list[MeasuredRun]]:
    """Reports of little and of much."""
    everything: list[MeasuredRun] = [
        answers_run(*MIXED),
        retrieval_run(found(1), found(2, "dense"), found(None, "lexical")),
    ]
    return [
        everything,
        [answers_run(judged())],
        [answers_run(refused())],
        [answers_run(judged(golds=[], right=None))],
        [retrieval_run(found(None))],
        [*everything, answers_run(*MIXED, name="second")],
    ]


@pytest.mark.parametrize("runs", pages(), ids=range(len(pages())))
def test_the_page_is_well_formed_whatever_was_measured(runs: list[MeasuredRun]) -> None:
    page = Page(html_report(runs))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


@pytest.mark.parametrize("runs", pages(), ids=range(len(pages())))
def test_nothing_runs_and_nothing_is_loaded(runs: list[MeasuredRun]) -> None:
    page = Page(html_report(runs))
    assert not {"script", "link", "img", "iframe", "object", "image", "use"} & set(page.tags)
    assert [value for name, value in page.attributes if name == "href" and not value.startswith("#")] == []
    assert [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "style")] == []
    assert "url(" not in html_report(runs)


def test_what_comes_from_data_is_only_ever_text() -> None:
    evil = {"question": EVIL, "golds": [EVIL], "gold_place": EVIL, "labels": {"kind": EVIL}, "model": EVIL}
    results = [wrong(id=EVIL, citations=[citation(source_file=EVIL, excerpt=EVIL)], **evil), refused(**evil)]
    run = answers_run(*results, name=EVIL, embedder=EVIL, citebook=EVIL)
    old = answers_run(judged(id=EVIL, **evil), name=EVIL)
    page = html_report([run, retrieval_run(found(1, EVIL), name=EVIL)], [compare(old, run)])
    assert "<script" not in page
    assert "<img" not in page
    assert EVIL in "".join(Page(page).text)


def test_every_plot_has_a_title_a_description_and_its_data() -> None:
    page = Page(html_report(pages()[0]))
    plots = page.tags.count("svg")
    assert plots == 6
    assert [page.tags.count(tag) for tag in ("desc", "figcaption", "details")] == [plots] * 3
    named = [part for name, value in page.attributes if name == "aria-labelledby" for part in value.split()]
    assert set(named) <= set(page.ids)


def test_several_sets_are_also_shown_together() -> None:
    page = html_report([answers_run(judged()), answers_run(judged(), name="motors")])
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert headings == ["Overview", "All sets together", "gears", "motors"]


def test_answers_and_retrieval_of_one_name_are_one_set() -> None:
    page = html_report([answers_run(judged()), retrieval_run(found(1))])
    assert re.findall("<h2>(.*?)</h2>", page) == ["Overview", "gears"]


def test_a_target_that_is_missed_is_said_in_words_too() -> None:
    page = html_report([answers_run(wrong())])
    assert "target missed" in page
    assert "target met" in page


def test_the_overview_of_one_set_has_three_columns_so_that_it_fits_a_phone() -> None:
    overview = html_report(pages()[0]).partition('<section id="overview">')[2].partition("</section>")[0]
    assert overview.count('<th scope="col">') == 3


def test_every_figure_that_is_shown_is_explained() -> None:
    page = html_report(pages()[0])
    names = re.findall(r'<th scope="row">(.*?)<span class="meaning">([^<]*)</span>', page)
    assert len(names) > 20
    assert [name for name, meaning in names if not meaning] == []


def test_the_surest_wrong_answers_are_listed_first() -> None:
    results = [wrong(id=str(n), question=f"Question {n}?", confidence=n / 100) for n in range(50, 80)]
    page = html_report([answers_run(*results)])
    assert re.findall(r"Question (\d+)\?", page) == [str(n) for n in range(79, 69, -1)]


def test_what_changed_is_told_where_there_is_something_older() -> None:
    new = answers_run(wrong())
    page = html_report([new], [compare(answers_run(judged(), judged(id="gone")), new)])
    assert "1 right before, wrong now" in page
    assert "1 questions are only in the old results" in page


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("ece", 0.05, True),
        ("ece", 0.051, False),
        ("ndcg@10", 0.80, False),
        ("ndcg@10", 0.801, True),
        ("verbatim", 0.999, False),
        ("verbatim", 1.0, True),
        ("brier", 0.1, None),
        ("ece", None, None),
    ],
)
def test_a_figure_is_held_against_its_target(name: str, value: float | None, verdict: bool | None) -> None:
    assert judge_figure(name, value) is verdict

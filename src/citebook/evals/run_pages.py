"""Which page shows which results."""

from collections.abc import Sequence

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.comparison import Comparison
from citebook.evals.graded_page import graded_page
from citebook.evals.report import html_report
from citebook.evals.result_files import JudgedRun, Run


def page_of(runs: Sequence[Run], comparisons: Sequence[Comparison] = ()) -> str:
    judged = [run for run in runs if isinstance(run, JudgedRun)]
    measured = [run for run in runs if not isinstance(run, JudgedRun)]
    if judged and measured:
        raise InvalidQuestionSet("Graded answers have a page of their own: give results of `eval judge` alone.")
    return graded_page(judged, comparisons) if judged else html_report(measured, comparisons)

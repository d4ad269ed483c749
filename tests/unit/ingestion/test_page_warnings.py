"""One line for all the pages that a warning holds for."""

from citebook.ingestion.page_warnings import PageWarnings


def test_a_warning_about_one_page_names_it() -> None:
    warnings = PageWarnings()
    warnings.add("a.md", "a code block is longer than a chunk")
    warnings.add("a.md", "a code block is longer than a chunk")
    assert warnings.lines() == ["a.md: a code block is longer than a chunk"]


def test_a_warning_about_many_pages_is_one_line_that_names_the_first_three() -> None:
    warnings = PageWarnings()
    for number in range(72):
        warnings.add(f"{number}.md", "a code block is longer than a chunk")
    warnings.add("a.md", "something else")
    warnings.add("b.md", "something else")
    assert warnings.lines() == [
        "72 pages: a code block is longer than a chunk (0.md, 1.md, 2.md, …)",
        "2 pages: something else (a.md, b.md)",
    ]

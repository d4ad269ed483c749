"""What must hold for any page at all."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citebook.ingestion.mapped_text import MappedText
from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.page import ParsedPage
from citebook.language.text import INVISIBLE

_PIECES = (
    "word", " ", "  ", "\n", "\n\n", "\r\n", "\t", "*", "**", "_", "~~", "`", "``", "```\n", "~~~\n",
    "[", "]", "(", ")", "![", "](x)", "[^1]", "[^1]: ", "<", ">", "</", "/>", "<b>", "</b>", "<Box>",
    "</Box>", "<Box a='", '<Box title="x" />', "<table>", "<tr>", "<td>", "</td>", "</table>", "<pre>",
    "</pre>", "<ul>", "<li>", "<br/>", "<!--", "-->", "{", "}", "{/*", "*/}", "{'lit'}", "{`t`}",
    "{#id}", "# ", "## ", "===", "---\n", "- ", "  - ", "1. ", "> ", "|", "|---|\n", ":::note",
    ":::tip[T]\n", ":::\n", "$", "$$", "$$\n", "\\", "&amp;", "&#x200b;", "&nbsp;", "\u200b", "\u00a0",
    "\ufeff", "\0", "\u2028", "é", "🚀", "import a from 'b'\n", "export const a = 1\n",
    "```mdx-code-block\n", "    ", "https://x.y", "'", '"',
    "<sup>", "</sup>", "<sub>2</sub>",
)  # fmt: skip
_pages = st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=40).map("".join)
_settings = settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])


def _texts(page: ParsedPage) -> list[MappedText]:
    headings = [section.heading for section in page.sections if section.heading]
    return headings + [block.content for section in page.sections for block in section.blocks]


def _assert_runs_match(source: str, page: ParsedPage) -> None:
    for text in _texts(page):
        for run in text.runs:
            assert 0 <= run.start <= run.end <= len(source)
            if len(run.text) == run.end - run.start:
                pairs = zip(source[run.start : run.end], run.text, strict=True)
                assert all(there == here or (there.isspace() and here == " ") for there, here in pairs)


def _parse(source: str, *, mdx: bool) -> ParsedPage | None:
    try:
        return parse_mdx(source, mdx=mdx)
    except MalformedPage:
        return None


@pytest.mark.parametrize("mdx", [False, True])
@_settings
@given(source=_pages)
def test_each_visible_character_stands_where_its_run_says(mdx: bool, source: str) -> None:
    page = _parse(source, mdx=mdx)
    if page:
        _assert_runs_match(source, page)
        assert not any(INVISIBLE.search(text.text) for text in _texts(page))


@_settings
@given(source=st.text())
def test_any_text_is_a_page_of_markdown(source: str) -> None:
    page = _parse(source, mdx=False)
    if not source.startswith(("---", "\ufeff---")):
        assert page is not None


@_settings
@given(source=_pages)
def test_line_ends_make_no_difference_to_what_is_seen(source: str) -> None:
    unix = source.replace("\r\n", "\n").replace("\r", "\n")
    page, other = _parse(unix, mdx=False), _parse(unix.replace("\n", "\r\n"), mdx=False)
    assert (page is None) == (other is None)
    if page and other:
        assert [text.text for text in _texts(page)] == [text.text for text in _texts(other)]


@_settings
@given(words=st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=30))
def test_plain_words_all_stay(words: list[str]) -> None:
    source = " ".join(f"x{word}" for word in words)
    page = parse_mdx(source, mdx=True)
    assert page.sections[0].blocks[0].content.text == source


_HOSTILE = (
    "<", "<a ", '<a b="', "<a b='x\"", "<!-- ", "{/* ", "{", "{\n", "{'", "{`", "{a=/[", "[", "![",
    "[a](", "[^a", "![![", "*a ", "**a_ ", "` `` ", "`a``b", "$ ", "$$a\n", "> a\n", "- a\n",
    ":::note\n", "```mdx-code-block\n", "|a|b|\n|-|-|\n", "\\'", "&a", "# a {#",
    "export const a = {\n\n", "<table>\n\n", "<A b={`${", "<http://", "<?", "<![CDATA[", "> a\nb\n",
    "{a}\n{b} t\n",
)  # fmt: skip


def _seconds(source: str, *, mdx: bool) -> float:
    start = time.process_time()
    _parse(source, mdx=mdx)
    return time.process_time() - start


@pytest.mark.parametrize("mdx", [False, True])
@pytest.mark.parametrize("piece", _HOSTILE)
def test_four_times_the_input_takes_about_four_times_as_long(piece: str, mdx: bool) -> None:
    small, large = piece * (1_500 // len(piece)), piece * (6_000 // len(piece))
    floor = 0.02  # below that, the clock measures noise
    for _ in range(3):  # a busy machine may spoil one measurement
        ratio = _seconds(large, mdx=mdx) / max(floor, _seconds(small, mdx=mdx))
        if ratio < 9:
            return
    pytest.fail(f"{ratio:.1f} times as long")

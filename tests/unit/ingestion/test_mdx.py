"""What a reader sees of a page, and what is machinery."""

import pytest

from citebook.domain.layout import NodeKind
from citebook.ingestion.mdx import MalformedPage, parse_mdx
from citebook.ingestion.page import ParsedPage, Section, TextBlock


def blocks_of(page: ParsedPage) -> list[TextBlock]:
    return [block for section in page.sections for block in section.blocks]


def shown(source: str, *, mdx: bool = True) -> list[str]:
    """The texts of all blocks."""
    return [block.content.text for block in blocks_of(parse_mdx(source, mdx=mdx))]


def kinds(source: str, *, mdx: bool = True) -> list[tuple[str, str]]:
    return [(block.kind.value, block.content.text) for block in blocks_of(parse_mdx(source, mdx=mdx))]


def sections(source: str, *, mdx: bool = True) -> tuple[Section, ...]:
    return parse_mdx(source, mdx=mdx).sections


class TestFrontMatter:
    def test_it_is_read_and_not_shown(self) -> None:
        page = parse_mdx("---\ntitle: Sensors\nmodule: 2\n---\nText.\n", mdx=True)
        assert page.title == "Sensors"
        assert page.front_matter == {"title": "Sensors", "module": 2}
        assert [block.content.text for block in blocks_of(page)] == ["Text."]

    def test_offsets_count_from_the_start_of_the_file(self) -> None:
        source = "---\ntitle: Sensors\n---\nText.\n"
        (block,) = blocks_of(parse_mdx(source, mdx=True))
        assert block.content.source_range(0, 5) == (source.index("Text."), source.index("Text.") + 5)

    def test_a_byte_order_mark_does_not_hide_it(self) -> None:
        assert parse_mdx("\ufeff---\ntitle: A\n---\nText.", mdx=False).title == "A"

    def test_windows_line_ends_do_not_hide_it(self) -> None:
        assert parse_mdx("---\r\ntitle: A\r\n---\r\nText.", mdx=False).title == "A"

    @pytest.mark.parametrize("title", ["Balance: an overview", "{#if ...}", "bind:", "@html", "{@attach ...}"])
    def test_lines_that_are_no_yaml_are_read_as_they_were_meant(self, title: str) -> None:
        page = parse_mdx(f"---\ntitle: {title}\nsidebar_position: 3\ntags: [a, b]\n---\nText.", mdx=False)
        assert page.front_matter == {"title": title, "sidebar_position": 3, "tags": ["a", "b"]}

    @pytest.mark.parametrize("broken", ["[unclosed", '"unclosed', "a: b\n  - c", "{a: 1"])
    def test_lines_that_end_nowhere_are_refused(self, broken: str) -> None:
        with pytest.raises(MalformedPage):
            parse_mdx(f"---\ntitle: {broken}\n---\nText.", mdx=False)

    def test_no_closing_line_means_no_front_matter(self) -> None:
        assert parse_mdx("---\ntitle: A\n", mdx=False).front_matter == {}

    @pytest.mark.parametrize(
        "yaml",
        [
            "title: [unclosed",
            "just a text",
            "- a\n- list",
            "date: 2024-13-45",
            "a: !!python/object/apply:os.system [ls]",
            "a: " + "[" * 50 + "]" * 50,
            "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]",
            "? [a]\n: b",
            "a: " + "9" * 5000,
            "a: " + "x" * 70_000,
            "\t- a",
        ],
    )
    def test_what_is_broken_or_a_bomb_is_refused(self, yaml: str) -> None:
        with pytest.raises(MalformedPage):
            parse_mdx(f"---\n{yaml}\n---\nText.", mdx=False)

    def test_an_odd_but_harmless_key_is_no_crash(self) -> None:
        assert parse_mdx("---\n\n?\n---\nText.", mdx=False).front_matter == {"None": None}

    def test_a_repeated_scalar_is_allowed(self) -> None:
        page = parse_mdx("---\ntitle: &t A\nsidebar_label: *t\n---\n", mdx=False)
        assert page.front_matter["sidebar_label"] == "A"

    def test_format_md_makes_an_mdx_file_lenient(self) -> None:
        assert shown("---\nformat: md\n---\nA {brace and <b") == ["A {brace and <b"]


class TestMachinery:
    def test_imports_and_exports_are_dropped_and_partials_remembered(self) -> None:
        source = (
            "import Tabs from '@theme/Tabs';\nimport Part from './_part.mdx';\n\n"
            "export const Box = ({children}) => (\n  <div>\n\n    {children} don't\n  </div>\n);\n\nText.\n"
        )
        page = parse_mdx(source, mdx=True)
        assert [block.content.text for block in blocks_of(page)] == ["Text."]
        assert page.imports == {"Part": "./_part.mdx"}

    def test_imports_are_dropped_from_plain_markdown_too(self) -> None:
        assert shown("import Tabs from '@theme/Tabs';\n\nText.\n", mdx=False) == ["Text."]

    def test_prose_that_begins_with_import_stays_in_plain_markdown(self) -> None:
        assert shown("import is a keyword of Python.\n", mdx=False) == ["import is a keyword of Python."]

    @pytest.mark.parametrize(
        "tag",
        [
            "<Box>",
            "<Box a='1' b=\"2\">",
            "<Box\n  a={1}\n  b={{c: '}'}}\n>",
            "<Box onClick={() => { return a > 1 && '}' }}>",
            "<Box a={`x${`}`}>`}>",
            "<Box a={/[}>]/.test(x)}>",
            "<Box {...props}>",
            "<Box icon={<Icon name='}' />}>",
            "<Box a={cond ? <p>don't {x}</p> : null}>",
            "<Box a={/* } */ 1}>",
        ],
    )
    def test_tags_are_dropped_and_their_children_kept(self, tag: str) -> None:
        assert shown(f"{tag}\n\nSome **bold** text.\n\n</Box>\n") == ["Some bold text."]
        assert shown(f"Before {tag.replace(chr(10), ' ')}inside</Box> after.") == ["Before inside after."]

    def test_fragments_are_dropped(self) -> None:
        assert shown("<>\n\nText.\n\n</>\n\nIn <>a</> line.") == ["Text.", "In a line."]

    def test_markdown_right_after_a_tag_is_parsed(self) -> None:
        assert shown("<div>\n*a*\n</div>") == ["a"]

    def test_expressions_are_dropped_but_string_literals_kept(self) -> None:
        assert shown("A {1 + 1}{'b'} {\"c\"} {`d`} {`e${f}`}.") == ["A b c d ."]
        assert shown("{'It\\'s'}\n") == ["It's"]

    def test_comments_are_dropped(self) -> None:
        assert shown("A {/* x } */}b <!-- y -->c.") == ["A b c."]
        assert shown("{/* one\n\ntwo */}\n\n<!-- one\n\ntwo -->\n\nText.") == ["Text."]
        assert shown("{/* one\n\ntwo */}\n\n<!-- one\n\ntwo --> Text.", mdx=False) == ["Text."]

    def test_attributes_that_readers_see_are_kept(self) -> None:
        source = '<Tabs groupId="os">\n<TabItem value="mac" label="On a &amp; Mac">\n\nText.\n\n</TabItem>\n</Tabs>'
        assert shown(source) == ["On a & Mac", "Text."]
        assert shown("<Card title={'Hello'} icon=\"x\" />") == ["Hello"]

    def test_the_tooltip_of_an_html_element_is_not_shown(self) -> None:
        assert shown('See <a title="tip" href="x">this</a>.') == ["See this."]

    def test_script_style_and_head_are_not_shown(self) -> None:
        source = "<head>\n<title>No</title>\n</head>\n\n<style>{`a { b }`}</style>\n\nText."
        assert shown(source) == ["Text."]
        assert shown("<script>\nif (a < b) {}\n\nlet x\n</script>\n\nText.", mdx=False) == ["Text."]

    def test_details_keep_their_summary(self) -> None:
        assert shown("<details>\n<summary>More</summary>\n\nText.\n\n</details>") == ["More", "Text."]

    def test_admonitions_keep_title_and_text(self) -> None:
        source = ":::tip[A *title*]\n\nText.\n\n:::\n\n:::note Other title\nMore.\n:::\n\n:::info\n\nLast.\n\n:::"
        assert shown(source) == ["A title", "Text.", "Other title", "More.", "Last."]

    def test_admonitions_nest_with_more_colons(self) -> None:
        assert shown("::::info\n\nA\n\n:::tip[T]\n\nB\n\n:::\n\nC\n\n::::") == ["A", "T", "B", "C"]

    def test_a_lone_fence_of_colons_is_text(self) -> None:
        assert shown("a\n\n:::\n") == ["a", ":::"]

    def test_mkdocs_admonitions_stay_text(self) -> None:
        assert shown("!!! note\n", mdx=False) == ["!!! note"]

    def test_an_mdx_code_block_is_content(self) -> None:
        source = "```mdx-code-block\nimport A from 'a';\n\n<A>\n\n**Text**.\n\n</A>\n```\n\nAfter."
        assert shown(source) == ["Text.", "After."]


class TestInlineText:
    def test_marks_are_dropped_and_text_kept(self) -> None:
        source = '*a* **b** ~~c~~ `d  e` [f](g "h") ![i *j*](k) <https://l.m> [n][o] \\* &lt; &nbsp;p\n\n[o]: q'
        assert shown(source) == ["a b c d e f i j https://l.m n * < p"]

    def test_line_breaks_become_spaces(self) -> None:
        assert shown("a\nb  \nc\\\nd<br/>e") == ["a b c d e"]

    def test_footnote_references_go_and_definitions_stay(self) -> None:
        assert shown("A claim.[^1] And [^2].\n\n[^1]: The proof.\n") == ["A claim. And [^2].", "The proof."]

    def test_inline_maths_keeps_its_dollars_and_is_no_markdown(self) -> None:
        assert shown("Let $a_1 * b_2 * {c}$ be.") == ["Let $a_1 * b_2 * {c}$ be."]

    def test_prices_are_no_maths(self) -> None:
        assert shown("From $5 to *$6* or $7.") == ["From $5 to $6 or $7."]

    def test_emoji_shortcodes_stay(self) -> None:
        assert shown(":rocket: go") == [":rocket: go"]

    def test_invisible_characters_are_dropped_and_offsets_stay_right(self) -> None:
        source = "a\u200bb\u202ec\U000e0041d\ufe0f e\u00adf"
        (block,) = blocks_of(parse_mdx(source, mdx=False))
        assert block.content.text == "abcd ef"
        assert block.content.source_range(3, 4) == (6, 7)
        assert source[slice(*block.content.source_range(1, 3))] == "b\u202ec"

    def test_an_entity_cannot_smuggle_an_invisible_character_in(self) -> None:
        assert shown("a&#x200b;b&#xE0041;c") == ["abc"]


class TestTitles:
    def test_a_page_that_opens_with_a_deeper_heading_is_called_by_it(self) -> None:
        page = parse_mdx("<!-- old -->\n\n## Shared State\n\nText.\n\n### Mutexes\n\nMore.\n", mdx=False)
        assert page.title == "Shared State"
        assert [(one.anchor, one.path) for one in page.sections] == [
            ("shared-state", ("Shared State",)),
            ("mutexes", ("Shared State", "Mutexes")),
        ]

    def test_a_heading_after_text_is_not_the_title(self) -> None:
        assert parse_mdx("Robots move.\n\n## Prerequisites\n\nText.", mdx=False).title is None


class TestBlocks:
    def test_code_is_kept_to_the_letter(self) -> None:
        source = '```js title="a.js" {1}\nlet a  = 1;\n\n\tif (a) {}\n```\n'
        assert kinds(source) == [("paragraph", "a.js"), ("code", "let a  = 1;\n\n\tif (a) {}")]

    def test_indented_code_exists_in_markdown_only(self) -> None:
        assert kinds("a\n\n    *b*\n", mdx=False) == [("paragraph", "a"), ("code", "*b*")]
        assert kinds("a\n\n    *b*\n", mdx=True) == [("paragraph", "a"), ("paragraph", "b")]

    def test_code_in_a_quote_or_list_has_no_prefix(self) -> None:
        assert kinds("> ```\n> a\n>  b\n> ```") == [("code", "a\n b")]
        assert kinds("- x\n\n  ```\n  a\n   b\n  ```\n- y") == [("list", "- x"), ("code", "a\n b"), ("list", "- y")]

    def test_a_table_is_one_line_a_row(self) -> None:
        source = "| A | *B* |\n|---|:-:|\n| a \\| b | `c` |\n| d |\n"
        assert kinds(source) == [("table", "A | B\na | b | c\nd | ")]

    def test_the_cells_of_a_table_know_their_places(self) -> None:
        source = "| A | B |\n|---|---|\n| a \\| b | c |\n"
        (block,) = blocks_of(parse_mdx(source, mdx=False))
        start = block.content.text.index("b | c")
        assert source[slice(*block.content.source_range(start, start + 1))] == "b"
        assert source[slice(*block.content.source_range(start + 4, start + 5))] == "c"

    def test_a_list_is_one_block_with_its_markers(self) -> None:
        source = "- one\n  more\n- two\n  1. deep\n  2. deeper\n\n     para\n* other"
        assert kinds(source) == [
            ("list", "- one more\n- two\n  1. deep\n  2. deeper\n    para"),
            ("list", "* other"),
        ]

    def test_items_on_one_line_keep_their_own_markers(self) -> None:
        assert shown("- 1. - a") == ["    - a"]

    def test_display_maths_is_a_block_of_tex(self) -> None:
        assert kinds("$$\n\\frac{a}{b}\n$$\n\n$$x_1$$\n\ntext $$y$$ text") == [
            ("formula", "\\frac{a}{b}"),
            ("formula", "x_1"),
            ("paragraph", "text $$y$$ text"),
        ]

    def test_quotes_lose_their_marks(self) -> None:
        assert shown("> a\n> b > c\nlazy\n\n> > d") == ["a b > c lazy", "d"]

    def test_an_html_table_is_one_line_a_row(self) -> None:
        head, row = "<tr><th>A</th><th>B</th></tr>", "<tr>\n<td>1&nbsp;<sup>2</sup></td><td>x<br>y</td>\n</tr>"
        source = f"<table>\n{head}\n{row}\n</table>"
        assert kinds(source, mdx=False) == [("table", "A | B\n1 ² | x y")]

    def test_an_html_table_may_have_blank_and_indented_lines(self) -> None:
        source = "<table>\n<tr><td>A</td></tr>\n\n      <tr>\n        <td>B</td>\n      </tr>\n\n</table>\n\n    code"
        assert kinds(source, mdx=False) == [("table", "A\nB"), ("code", "code")]

    def test_a_table_of_jsx_is_a_table_too(self) -> None:
        source = "<table>\n  <tr>\n    <td>a</td>\n    <td>**b**</td>\n  </tr>\n</table>"
        assert kinds(source) == [("table", "a | b")]

    def test_raw_html_shows_its_text(self) -> None:
        source = (
            '<figure id="a"><img alt="A cell" src="x"><figcaption>A <em>cell</em> &amp; more.</figcaption></figure>'
        )
        assert shown(source, mdx=False) == ["A cell", "A cell & more."]

    def test_broken_attributes_are_read_as_browsers_do(self) -> None:
        source = '<iframe title="What "Rigid" Means" src=x></iframe>\nText.'
        assert shown(source, mdx=False) == ["Text."]

    def test_html_lists_are_lists(self) -> None:
        assert kinds("<ul><li>a</li><li>b</li></ul>", mdx=False) == [("list", "  a\n  b")]

    def test_preformatted_html_is_code(self) -> None:
        assert kinds("<pre>a\n  b &lt;</pre>", mdx=False) == [("code", "a\n  b <")]


class TestMarkdownIsLenient:
    @pytest.mark.parametrize(
        "source",
        ["a {b", "a < b", "a <b", "<Box>", "a {b} c", "</div>", "<!-- a", "{/* a", "<a b='", "x <5 y", "{'a'}"],
    )
    def test_nothing_is_refused(self, source: str) -> None:
        parse_mdx(source, mdx=False)

    def test_braces_are_text(self) -> None:
        assert shown("{'a'} and {b}", mdx=False) == ["{'a'} and {b}"]


class TestMdxIsStrict:
    def test_a_tag_that_holds_nothing_need_not_be_closed(self) -> None:
        source = (
            '<figure>\n<img src="a.png" alt="A robot.">\n<figcaption>It walks.<br>Fast.</figcaption>\n</figure>\n'
        )
        assert shown(source) == ["A robot.", "It walks. Fast."]

    @pytest.mark.parametrize(
        ("source", "line"),
        [
            ("a\n\n<Box>\n\ntext\n", 3),
            ("a\n\ntext <b>bold\n", 3),
            ("a\n\ntext {b\n", 3),
            ("a\n\n{\n\nb\n", 3),
            ("---\nx: 1\n---\n\n<Box a={1\n", 5),
            ("<A>\n\n</B>\n", 3),
            ("a\n\n</A>\n", 3),
            ("export const a = {\n", 1),
        ],
    )
    def test_what_is_unclosed_is_named_with_its_line(self, source: str, line: int) -> None:
        with pytest.raises(MalformedPage) as caught:
            parse_mdx(source, mdx=True)
        assert caught.value.line == line
        assert f"line {line}" in str(caught.value)

    def test_a_less_than_sign_before_a_space_is_text(self) -> None:
        assert shown("a < b") == ["a < b"]

    @pytest.mark.parametrize("source", ["{" * 5000, "> " * 5000 + "a", "- " * 5000 + "a", "<a b={" * 5000])
    def test_what_is_nested_too_deeply_is_refused(self, source: str) -> None:
        with pytest.raises(MalformedPage):
            parse_mdx(source, mdx=True)


class TestSections:
    def test_headings_open_sections_with_paths(self) -> None:
        source = "# Page\n\nIntro.\n\n## One\n\nA.\n\n### Deep\n\nB.\n\n## Two\n"
        assert [(part.title, part.level, part.anchor, part.path) for part in sections(source)] == [
            ("Page", 1, "", ("Page",)),
            ("One", 2, "one", ("Page", "One")),
            ("Deep", 3, "deep", ("Page", "One", "Deep")),
            ("Two", 2, "two", ("Page", "Two")),
        ]

    def test_text_before_the_first_heading_belongs_to_the_page(self) -> None:
        first, second = sections("---\ntitle: Page\n---\nIntro.\n\n## One\n")
        assert (first.title, first.anchor, first.level, first.path) == ("Page", "", 0, ("Page",))
        assert first.heading is None
        assert second.path == ("Page", "One")

    def test_a_page_without_any_title(self) -> None:
        page = parse_mdx("Text.", mdx=False)
        assert page.title is None
        assert page.sections[0].path == ()

    def test_the_first_h1_gives_the_title_and_front_matter_wins(self) -> None:
        assert parse_mdx("# A *b*", mdx=True).title == "A b"
        assert parse_mdx("---\ntitle: T\n---\n# A", mdx=True).title == "T"

    def test_anchors_are_those_of_docusaurus(self) -> None:
        titles = ("A & B: `c_d`!", "Same", "Same", "Same 1", "Zwei Füße", "[Link](x) 🚀 go", "Own {#my-id}")
        source = "# T\n" + "".join(f"## {title}\n" for title in (*titles, "New {/* #new */}"))
        anchors = [part.anchor for part in sections(source)]
        assert anchors == ["", "a--b-c_d", "same", "same-1", "same-1-1", "zwei-füße", "link--go", "my-id", "new"]
        assert [part.title for part in sections(source)][-2:] == ["Own", "New"]

    def test_setext_headings_count_too(self) -> None:
        assert [(part.title, part.level) for part in sections("A\nb\n===\n\nC\n---\n")] == [("A b", 1), ("C", 2)]

    def test_a_heading_in_a_quote_or_list_opens_no_section(self) -> None:
        parts = sections("# T\n\n> ## Same\n\n- ## Item\n\n## Same\n")
        assert [part.anchor for part in parts] == ["", "same-1"]
        assert [block.content.text for block in parts[0].blocks] == ["Same", "- Item"]

    def test_headings_know_their_places(self) -> None:
        source = "> x\n\n##  A **b** ##\n"
        heading = sections(source)[1].heading
        assert heading is not None
        assert source[slice(*heading.source_range(2, 3))] == "b"

    def test_the_mark_of_an_alert_is_hidden_in_mdx_too(self) -> None:
        (section,) = sections("> [!TIP]\n> Mind the gap.\n")
        assert [block.content.text for block in section.blocks] == ["Mind the gap."]

    @pytest.mark.parametrize("closing", ["{#my-id}", "{ #my-id }", "{: #my-id}", "[[my-id]]"])
    def test_a_closing_id_keeps_the_offsets(self, closing: str) -> None:
        heading = sections(f"## Own title   {closing}\n")[0].heading
        assert heading is not None
        assert heading.text == "Own title"
        assert heading.source_range(0, 9) == (3, 12)


class TestOffsets:
    def test_windows_line_ends_count(self) -> None:
        source = "# T\r\n\r\na\r\nb **c**\r\n\r\n```\r\nx\r\ny\r\n```\r\n"
        prose, code = blocks_of(parse_mdx(source, mdx=True))
        assert prose.content.text == "a b c"
        assert source[slice(*prose.content.source_range(0, 5))] == "a\r\nb **c"
        assert code.content.text == "x\ny"
        assert source[slice(*code.content.source_range(0, 3))] == "x\r\ny"

    def test_the_prefixes_of_containers_are_skipped(self) -> None:
        source = "> - a *b\n>   c* d\n"
        (block,) = blocks_of(parse_mdx(source, mdx=True))
        assert block.kind is NodeKind.LIST
        assert block.content.text == "- a b c d"
        assert source[slice(*block.content.source_range(6, 9))] == "c* d"

    def test_tabs_that_stand_for_an_indent_do_not_shift_code(self) -> None:
        source = "- a\n\n\t\tcode\n"
        code = blocks_of(parse_mdx(source, mdx=False))[-1]
        start = code.content.text.index("code")
        assert source[slice(*code.content.source_range(start, start + 4))] == "code"

"""Books made with mdBook: contents, titles, URLs and listings from other files."""

from pathlib import Path

import pytest

from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.mdbook import read_contents
from citebook.ingestion.mdbook_includes import Includes
from citebook.ingestion.mdx import parse_mdx
from citebook.ingestion.page_reading import read_page
from citebook.ingestion.source_page import BookSource
from tests.fakes import WordEmbedder
from tests.unit.ingestion.test_mdx import blocks_of

SUMMARY = """# Summary

[Introduction](README.md)

- [Getting Started](start.md)
  - [The `match` Flow](start/match.md)
  - [Not written yet]()

# Deeper

- [Odd \\[names\\]](<odd name.md>)
"""
LISTING = """use std::io;

fn main() {
    // ANCHOR: here
    let x = 5;
    // ANCHOR: inner
    let y = 6;
    // ANCHOR_END: inner
    // ANCHOR_END: here
}
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    files = {
        "book.toml": '[book]\ntitle = "Robots"\nlanguage = "en"\n',
        "src/SUMMARY.md": SUMMARY,
        "src/README.md": "Welcome.\n",
        "src/start.md": "## Starting\n\nText.\n",
        "src/start/match.md": "Text.\n",
        "src/odd name.md": "Text.\n",
        "src/forgotten.md": "Text.\n",
        "listings/main.rs": LISTING,
        "README.md": "For those who build the book.\n",
    }
    for name, text in files.items():
        path = tmp_path / "book" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "book"


def facts(source: BookSource) -> list[tuple[str, str | None, str | None]]:
    return [(page.url, page.title, page.category) for page in source.pages]


def test_the_contents_say_which_pages_there_are_and_their_order_titles_and_parts(book: Path) -> None:
    source = find_pages(book, base_url="/book")
    assert facts(source) == [
        ("/book/index.html", "Introduction", None),
        ("/book/start.html", "Getting Started", None),
        ("/book/start/match.html", "The match Flow", "Getting Started"),
        ("/book/odd%20name.html", "Odd [names]", "Deeper"),
    ]
    assert source.warnings == ("src/forgotten.md: the contents in SUMMARY.md do not list it, so it is left out",)


def test_the_folder_of_pages_alone_is_the_same_book(book: Path) -> None:
    assert facts(find_pages(book / "src", base_url="/book")) == facts(find_pages(book, base_url="/book"))


def test_a_page_that_is_only_called_summary_is_a_page(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "SUMMARY"):
        (tmp_path / f"{name}.md").write_text("All in all, see [a](a.md).\n")
    assert len(find_pages(tmp_path).pages) == 4


def test_contents_of_the_rust_book_have_parts_with_smaller_headings() -> None:
    text = (
        "# The Book\n\n[Foreword](foreword.md)\n\n## Getting started\n\n- [One](a.md)\n\n## Types\n\n- [Two](b.md)\n"
    )
    assert [entry.part for entry in read_contents(text).values()] == [None, "Getting started", "Types"]


def shown(book: Path, code: str, info: str = "rust") -> str:
    includes = Includes(book / "src" / "start.md", book)
    page = parse_mdx(f"```{info}\n{code}\n```\n", mdx=False, includes=includes)
    return "\n".join(block.content.text for block in blocks_of(page))


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("", LISTING.rstrip("\n")),
        (":here", "    let x = 5;\n    let y = 6;"),
        (":inner", "    let y = 6;"),
        (":1", "use std::io;"),
        (":2:3", "\nfn main() {"),
        ("::1", "use std::io;"),
        (":10:", "}"),
    ],
)
@pytest.mark.parametrize("directive", ["include", "rustdoc_include"])
def test_a_listing_is_taken_from_its_file(book: Path, directive: str, part: str, code: str) -> None:
    assert shown(book, f"{{{{#{directive} ../listings/main.rs{part}}}}}") == code


def test_the_code_that_is_included_stands_for_its_directive(book: Path) -> None:
    source = "Text.\n\n```rust\nlet a = 1;\n{{#include ../listings/main.rs:inner}}\nlet b = 2;\n```\n"
    page = parse_mdx(source, mdx=False, includes=Includes(book / "src" / "start.md", book))
    content = blocks_of(page)[1].content
    assert content.text == "let a = 1;\n    let y = 6;\nlet b = 2;"
    start, end = content.source_range(content.text.index("let y"), content.text.index("6;") + 2)
    assert source[start:end] == "{{#include ../listings/main.rs:inner}}"
    start, end = content.source_range(content.text.index("let b"), len(content.text))
    assert source[start:end] == "let b = 2;"


def test_hidden_lines_of_rust_are_left_out(book: Path) -> None:
    code = "# use std::io;\n#[derive(Debug)]\n#\nlet a = 1;\n## not hidden\n    # let b = 2;"
    assert shown(book, code, "rust,ignore") == "#[derive(Debug)]\nlet a = 1;\n# not hidden"
    assert shown(book, code, "python") == code


def test_rust_with_attributes_is_rust() -> None:
    (block,) = blocks_of(parse_mdx("```rust,ignore\nlet a = 1;\n```\n", mdx=False))
    assert block.leaves[0].language == "rust"


def test_without_an_mdbook_nothing_is_included_or_hidden() -> None:
    code = "# use std::io;\n{{#include a.rs}}"
    page = parse_mdx(f"```rust\n{code}\n```\n", mdx=False)
    assert [block.content.text for block in blocks_of(page)] == [code]


@pytest.mark.parametrize(
    "path", ["../listings/none.rs", "../../secret.txt", "/etc/hostname", "../listings", "\0", ""]
)
def test_what_is_not_in_the_book_is_not_included_and_that_is_said(book: Path, path: str) -> None:
    (book.parent / "secret.txt").write_text("password")
    (book / "src" / "start.md").write_text(f"Text.\n\n```rust\n{{{{#include {path}}}}}\n```\n")
    page = next(page for page in find_pages(book).pages if page.source_file == "src/start.md")
    read = read_page(page, ChunkingRules(), WordEmbedder().count_tokens)
    assert [chunk.text for chunk in read.chunks] == ["Text."]
    assert read.warnings == ["a file that it includes is missing"]


def test_a_page_changes_with_the_listing_that_it_includes(book: Path) -> None:
    (book / "src" / "start.md").write_text("```rust\n{{#include ../listings/main.rs}}\n```\n")
    before = find_pages(book).pages[1]
    (book / "listings" / "main.rs").write_text("fn other() {}\n")
    after = find_pages(book).pages[1]
    assert before.sha256 == after.sha256
    assert before.fingerprint != after.fingerprint


def test_directives_in_text_show_nothing(book: Path) -> None:
    includes = Includes(book / "src" / "start.md", book)
    page = parse_mdx("{{#title A page}}\n\nText {{#include ../a.md}} here.\n", mdx=False, includes=includes)
    assert [block.content.text for block in blocks_of(page)] == ["Text here."]
    assert page.warnings == ("a part of a page that it includes is not read",)


def test_a_page_knows_all_chapters_that_it_belongs_to() -> None:
    text = "# Summary\n\n[Preface](p.md)\n\n# Part One\n\n- [A](a.md)\n  - [B](b.md)\n    - [C](c.md)\n- [D](d.md)\n"
    above = {path: entry.above for path, entry in read_contents(text).items()}
    assert above == {
        "p.md": (),
        "a.md": ("Part One",),
        "b.md": ("Part One", "A"),
        "c.md": ("Part One", "A", "B"),
        "d.md": ("Part One",),
    }


def test_a_page_that_another_includes_whole_is_read_as_a_part_of_it(book: Path) -> None:
    (book / "src" / "start.md").write_text("## Keys\n\nThe keys are:\n\n{{#include ./parts/keys.md}}\n")
    (book / "src" / "parts").mkdir()
    (book / "src" / "parts" / "keys.md").write_text("| Key | Does |\n| - | - |\n| `:earlier` | goes back in time |\n")
    source = find_pages(book, base_url="/book")
    part = next(page for page in source.pages if page.partial_of)
    assert (part.source_file, part.partial_of, part.url, part.title) == (
        "src/parts/keys.md",
        "src/start.md",
        "/book/start.html",
        "Getting Started",
    )
    assert source.warnings == ("src/forgotten.md: the contents in SUMMARY.md do not list it, so it is left out",)


def test_a_page_that_is_only_shown_in_code_is_no_part(book: Path) -> None:
    (book / "src" / "start.md").write_text("```md\n{{#include forgotten.md}}\n```\n")
    assert not any(page.partial_of for page in find_pages(book, base_url="/book").pages)

"""Which pages a book has, in which order, and where they are on the site."""

import os
import time
from pathlib import Path

import pytest

from citebook.domain.book import Part
from citebook.domain.errors import BookIsEmpty, BookNotFound
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.source_page import BookSource, SourcePage


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def front(**values: object) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in values.items()) + "---\nText.\n"


def page_of(book: BookSource, source_file: str) -> SourcePage:
    return next(page for page in book.pages if page.source_file == source_file)


def order_of(book: BookSource) -> list[str]:
    return [page.source_file for page in book.pages]


class TestWhatIsAPage:
    def test_markdown_mdx_and_pdf_in_all_folders(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A", "b/c.mdx": "B", "b/d/e.pdf": "%PDF", "f.txt": "no", "G.MD": "yes"})
        assert set(order_of(find_pages(tmp_path))) == {"a.md", "b/c.mdx", "b/d/e.pdf", "G.MD"}

    def test_hidden_folders_translations_drafts_and_unlisted_pages_are_skipped(self, tmp_path: Path) -> None:
        files = {
            ".git/a.md": "A",
            "node_modules/b.md": "B",
            "lesson/translations/a.de.md": "Auf Deutsch",
            "c.md": front(draft="true"),
            "d.md": front(unlisted="true"),
        }
        write(tmp_path, {**files, "e.md": front(draft="false")})
        assert order_of(find_pages(tmp_path)) == ["e.md"]

    def test_a_book_that_numbers_no_modules_is_divided_by_its_outermost_parts(self, tmp_path: Path) -> None:
        write(tmp_path, {"intro.md": "I", "arms/a.md": "A", "arms/deep/b.md": "B", "legs/c.md": "C"})
        modules = {page.source_file: page.module for page in find_pages(tmp_path).pages}
        assert modules == {"intro.md": None, "arms/a.md": 1, "arms/deep/b.md": 1, "legs/c.md": 2}

    def test_a_book_of_one_part_has_no_modules(self, tmp_path: Path) -> None:
        write(tmp_path, {"intro.md": "I", "arms/a.md": "A"})
        assert [page.module for page in find_pages(tmp_path).pages] == [None, None]

    def test_a_plain_text_in_the_folder_is_no_page(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A", "requirements.txt": "numpy"})
        assert order_of(find_pages(tmp_path)) == ["a.md"]

    def test_a_single_file_is_a_book(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A", "b.md": "B"})
        assert order_of(find_pages(tmp_path / "a.md")) == ["a.md"]

    def test_a_site_is_read_from_its_docs_and_versions(self, tmp_path: Path) -> None:
        files = {"docusaurus.config.ts": "", "README.md": "no", "blog/a.md": "no", "docs/b.md": "B"}
        write(tmp_path, {**files, "versioned_docs/version-1.0/b.md": "old"})
        book = find_pages(tmp_path)
        assert {page.source_file: page.url for page in book.pages} == {
            "docs/b.md": "/docs/b",
            "versioned_docs/version-1.0/b.md": "/docs/1.0/b",
        }
        assert {page.chapter_id for page in book.pages} == {"b", "1.0/b"}

    def test_the_newest_listed_version_lives_at_the_base(self, tmp_path: Path) -> None:
        files = {"docusaurus.config.js": "", "versions.json": '["2.0", "1.0"]', "docs/b.md": "B"}
        write(tmp_path, {**files, "versioned_docs/version-2.0/b.md": "B", "versioned_docs/version-1.0/b.md": "B"})
        assert {page.url for page in find_pages(tmp_path).pages} == {"/docs/next/b", "/docs/b", "/docs/1.0/b"}

    def test_a_missing_book_and_an_empty_one(self, tmp_path: Path) -> None:
        with pytest.raises(BookNotFound, match="does not exist"):
            find_pages(tmp_path / "nowhere")
        with pytest.raises(BookIsEmpty):
            find_pages(tmp_path)
        write(tmp_path, {"a.txt": "A"})
        with pytest.raises(BookNotFound, match="no page"):
            find_pages(tmp_path / "a.txt")


class TestOneBadFile:
    def test_is_listed_and_the_others_are_found(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A", "broken.md": "---\n[\n---\n", "c/_category_.json": "{", "c/d.md": "D"})
        (tmp_path / "latin.md").write_bytes(b"ok\ncaf\xe9")
        book = find_pages(tmp_path)
        assert order_of(book) == ["a.md", "c/d.md"]
        reasons = {error.path: error.reason for error in book.unreadable}
        assert set(reasons) == {"broken.md", "latin.md", "c/_category_.json"}
        assert "line 2 is not UTF-8" in reasons["latin.md"]

    def test_links_out_of_the_book_are_refused(self, tmp_path: Path) -> None:
        write(tmp_path, {"secret.md": "S", "out/x.md": "X", "book/a.md": "A", "book/sub/b.md": "B"})
        book = tmp_path / "book"
        (book / "link.md").symlink_to(tmp_path / "secret.md")
        (book / "folder").symlink_to(tmp_path / "out")
        (book / "dead.md").symlink_to(book / "gone.md")
        (book / "inside.md").symlink_to(book / "a.md")
        (book / "sub" / "loop").symlink_to(book)
        found = find_pages(book)
        assert sorted(order_of(found)) == ["a.md", "inside.md", "sub/b.md"]
        assert sorted(error.path for error in found.unreadable) == ["dead.md", "folder", "link.md"]

    def test_a_file_that_is_too_large_is_refused(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A"})
        with (tmp_path / "huge.md").open("wb") as file:
            file.truncate(20_000_001)
        (error,) = find_pages(tmp_path).unreadable
        assert "larger than 20 MB" in error.reason

    def test_a_pipe_does_not_hold_us_up(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A"})
        os.mkfifo(tmp_path / "pipe.md")
        (error,) = find_pages(tmp_path).unreadable
        assert "not a regular file" in error.reason


class TestOrder:
    def test_positions_then_number_prefixes_then_names(self, tmp_path: Path) -> None:
        files = {
            "02-b.md": "B",
            "zebra.md": front(sidebar_position=1),
            "apple.md": "A",
            "mid/index.md": "I",
            "mid/2-y.md": "Y",
            "mid/1-x.md": "X",
            "mid/_category_.json": '{"label": "The middle", "position": 1.5}',
        }
        assert order_of(find_pages(write(tmp_path, files))) == [
            "zebra.md",
            "mid/index.md",
            "mid/1-x.md",
            "mid/2-y.md",
            "02-b.md",
            "apple.md",
        ]

    def test_pages_count_from_zero(self, tmp_path: Path) -> None:
        assert [page.order for page in find_pages(write(tmp_path, {"a.md": "", "b.md": ""})).pages] == [0, 1]


class TestUrls:
    @pytest.mark.parametrize(
        ("path", "values", "url"),
        [
            ("intro.md", {}, "/docs/intro"),
            ("01-basics/02-setup.md", {}, "/docs/basics/setup"),
            ("1. Basics/01_setup.md", {}, "/docs/Basics/setup"),
            ("2024-05-news.md", {}, "/docs/2024-05-news"),
            ("8.0-release.md", {}, "/docs/8.0-release"),
            ("index.md", {}, "/docs/"),
            ("basics/README.md", {}, "/docs/basics/"),
            ("basics/basics.md", {}, "/docs/basics/"),
            ("basics/a.md", {"slug": "/"}, "/docs/"),
            ("basics/a.md", {"slug": "/x/y"}, "/docs/x/y"),
            ("basics/a.md", {"slug": "other"}, "/docs/basics/other"),
            ("basics/a.md", {"slug": "../other"}, "/docs/other"),
            ("basics/a.md", {"slug": "/../../../etc"}, "/docs/etc"),
            ("basics/a.md", {"slug": "//evil.example/x"}, "/docs/evil.example/x"),
            ("basics/a.md", {"id": "my-id"}, "/docs/basics/my-id"),
            ("basics/a.md", {"id": "my/id"}, "/docs/basics/a"),
            ("a b.md", {}, "/docs/a%20b"),
            ("01-basics/02-guide.pdf", {}, "/docs/01-basics/02-guide.pdf"),
        ],
    )
    def test_are_those_of_docusaurus(self, tmp_path: Path, path: str, values: dict[str, object], url: str) -> None:
        write(tmp_path, {path: front(**values)})
        assert find_pages(tmp_path).pages[0].url == url

    def test_stand_under_the_base_that_is_given(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "A"})
        assert find_pages(tmp_path, base_url="/").pages[0].url == "/a"
        assert find_pages(tmp_path, base_url="https://x.y/book/").pages[0].url == "https://x.y/book/a"


class TestFacts:
    @pytest.mark.parametrize(
        ("path", "chapter"),
        [
            ("01-basics/02-setup.md", "basics/setup"),
            ("basics/index.md", "basics"),
            ("README.md", "README"),
            ("a.pdf", "a"),
        ],
    )
    def test_chapter_ids(self, tmp_path: Path, path: str, chapter: str) -> None:
        assert find_pages(write(tmp_path, {path: "x"})).pages[0].chapter_id == chapter

    def test_chapters_that_would_clash_keep_their_raw_paths(self, tmp_path: Path) -> None:
        book = find_pages(write(tmp_path, {"01-a.md": "", "02-a.md": "", "b.md": "", "b.pdf": "", "c.md": ""}))
        chapters = {page.source_file: page.chapter_id for page in book.pages}
        assert chapters == {"01-a.md": "01-a", "02-a.md": "02-a", "b.md": "b.md", "b.pdf": "b.pdf", "c.md": "c"}

    @pytest.mark.parametrize(
        ("path", "values", "module"),
        [
            ("a.md", {"module": 3}, 3),
            ("module-2-ros/a.md", {}, 2),
            ("module02/deep/a.md", {}, 2),
            ("02-module-7/a.md", {}, 7),
            ("part-3-control/a.md", {}, 3),
            ("Unit 4/a.md", {}, 4),
            ("00-module-0-introduction/a.md", {}, None),
            ("module-2/a.md", {"module": 5}, 5),
            ("02-basics/a.md", {}, None),
            ("modular/a.md", {}, None),
        ],
    )
    def test_module(self, tmp_path: Path, path: str, values: dict[str, object], module: int | None) -> None:
        assert find_pages(write(tmp_path, {path: front(**values)})).pages[0].module == module

    def test_difficulty_and_tags(self, tmp_path: Path) -> None:
        tags = "[ros, {label: AI, permalink: /ai}, ros, 5]"
        write(
            tmp_path,
            {"a.md": front(difficulty="Advanced", tags=tags), "b.md": front(difficulty="hard", tags="[[x]]")},
        )
        first, second = find_pages(tmp_path).pages
        assert (first.difficulty, first.tags, first.warnings) == ("advanced", ("ros", "ai", "5"), ())
        assert (second.difficulty, second.tags) == (None, ())
        assert len(second.warnings) == 2

    def test_title_name_and_category(self, tmp_path: Path) -> None:
        files = {"01-big-ideas/02-first_steps.md": front(title="First"), "x/index.md": "X"}
        write(tmp_path, {**files, "x/_category_.yml": "label: The X"})
        book = find_pages(tmp_path)
        page, index = page_of(book, "01-big-ideas/02-first_steps.md"), page_of(book, "x/index.md")
        assert (page.title, page.name, page.category) == ("First", "First steps", "big-ideas")
        assert (index.title, index.name, index.category) == (None, "X", "The X")
        assert page.filename == "02-first_steps.md"

    def test_the_parts_that_a_page_stands_in(self, tmp_path: Path) -> None:
        files = {
            "module-2-simulation/03-gazebo/a.md": front(sidebar_position=4, description="About Gazebo."),
            "module-2-simulation/_category_.json": '{"label": "Module 2: Simulation", "position": 2}',
        }
        page = find_pages(write(tmp_path, files)).pages[0]
        assert page.parts == (
            Part(name="Module 2: Simulation", folder="module-2-simulation", number=2),
            Part(name="gazebo", folder="03-gazebo", number=3),
        )
        assert (page.number, page.description) == (4, "About Gazebo.")


class TestPartials:
    def test_stand_behind_the_first_page_that_shows_them(self, tmp_path: Path) -> None:
        files = {
            "module-1/a.mdx": "```\nimport P from './_p.mdx'\n```\n",
            "module-1/b.mdx": "import P from './_p.mdx'\n\n<P />\n",
            "module-1/c.mdx": "import P from './_p.mdx'\n\n<P />\n",
            "module-1/_p.mdx": "import Q from '../_shared/q.mdx'\n\nText.\n",
            "_shared/q.mdx": "Deep.\n",
            "_shared/unused.mdx": "Nobody shows it.\n",
        }
        book = find_pages(write(tmp_path, files))
        shared = "_shared/q.mdx"
        assert order_of(book) == ["module-1/a.mdx", "module-1/b.mdx", "module-1/_p.mdx", shared, "module-1/c.mdx"]
        partial = page_of(book, shared)
        assert (partial.url, partial.module, partial.partial_of) == ("/docs/module-1/b", 1, "module-1/b.mdx")
        assert partial.chapter_id == "_shared/q"

    def test_an_import_cannot_reach_out_of_the_book(self, tmp_path: Path) -> None:
        write(tmp_path, {"_out.mdx": "secret", "book/a.mdx": "import P from '../_out.mdx'\n"})
        assert order_of(find_pages(tmp_path / "book")) == ["a.mdx"]


class TestChange:
    def test_the_fingerprint_follows_text_and_place(self, tmp_path: Path) -> None:
        write(tmp_path, {"a/b.md": "Text."})
        first = find_pages(tmp_path).pages[0]
        assert find_pages(tmp_path).pages[0].fingerprint == first.fingerprint
        write(tmp_path, {"a/_category_.json": '{"label": "New"}'})
        relabelled = find_pages(tmp_path).pages[0]
        assert (relabelled.sha256, relabelled.fingerprint != first.fingerprint) == (first.sha256, True)
        write(tmp_path, {"a/_category_.json": '{"label": "New", "position": 3}'})
        assert find_pages(tmp_path).pages[0].fingerprint not in (first.fingerprint, relabelled.fingerprint)
        write(tmp_path, {"a/b.md": "Other text."})
        assert find_pages(tmp_path).pages[0].sha256 != first.sha256

    def test_line_ends_are_read_as_they_are(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"a\r\nb\n")
        assert find_pages(tmp_path).pages[0].read_text() == "a\r\nb\n"

    def test_a_book_of_300_files_is_checked_in_no_time(self, tmp_path: Path) -> None:
        write(
            tmp_path, {f"m{number % 10}/p{number}.md": front(title=number) + "Word. " * 2000 for number in range(300)}
        )
        for _ in range(5):
            start = time.process_time()
            assert len(find_pages(tmp_path).pages) == 300
            seconds = time.process_time() - start
            if seconds < 0.5:  # else a busy machine may have spoilt it
                break
        assert seconds < 0.5


def test_translations_of_a_site_are_books_of_their_own(tmp_path: Path) -> None:
    german = tmp_path / "i18n" / "de" / "docusaurus-plugin-content-docs" / "current"
    for folder in (tmp_path / "docs", german):
        folder.mkdir(parents=True)
        (folder / "arm.md").write_text("# Arm\n\nText.\n")
    assert [page.source_file for page in find_pages(tmp_path).pages] == ["docs/arm.md"]
    assert [page.source_file for page in find_pages(german).pages] == ["arm.md"]

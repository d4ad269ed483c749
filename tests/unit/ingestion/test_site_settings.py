"""What the settings of a site say of its book."""

from pathlib import Path

import pytest

from citebook.ingestion.book_source import find_pages
from citebook.ingestion.site_settings import SiteSettings, read_docusaurus, read_mdbook

SETTINGS = """
import { themes } from 'prism-react-renderer';
const banner = { title: 'Not this' }; // title: 'nor this'

const config: Config = {
  title: 'Physical AI \\u0026 Friends',
  tagline: 'It\\'s about robots',
  url: 'https://book.example.org',
  baseUrl: '/course/',
  presets: [
    ['classic', ({ docs: { sidebarPath: require.resolve('./sidebars.js'), DOCS }, blog: { routeBasePath: '/' } })],
  ],
  themeConfig: { navbar: { title: 'Nor that' }, docs: { sidebar: { hideable: true } } },
};
export default config;
"""


def settings_with(options: str) -> str:
    return SETTINGS.replace("DOCS", options)


@pytest.mark.parametrize(
    ("options", "folder", "path"),
    [
        ("", "docs", "/course/docs"),
        ("routeBasePath: '/'", "docs", "/course"),
        ("path: 'chapters', routeBasePath: 'read'", "chapters", "/course/read"),
    ],
)
def test_docusaurus_says_the_title_and_where_the_pages_are(options: str, folder: str, path: str) -> None:
    assert read_docusaurus(settings_with(options)) == SiteSettings("Physical AI & Friends", folder, path)


def test_the_pages_of_the_plugin_without_a_name_are_the_book() -> None:
    plugins = """plugins: [
      ['@docusaurus/plugin-content-docs', { id: 'team', path: 'team', routeBasePath: 'team' }],
      ['@docusaurus/plugin-content-docs', { path: 'book', routeBasePath: 'read' }],
    ]"""
    found = read_docusaurus(f"module.exports = {{ title: 'Robots', baseUrl: '/', {plugins} }}")
    assert found == SiteSettings("Robots", "book", "/read")


@pytest.mark.parametrize(
    "script",
    [
        "export default function make() { return { title: 'Robots', baseUrl: '/' }; }",
        "export default withAnalytics({ title: `Robots`, baseUrl: process.env.BASE ?? '/' });",
        'module.exports = { "title": "Robots", "url": siteUrl, "baseUrl": "/" };',
    ],
)
def test_the_settings_may_stand_in_other_code(script: str) -> None:
    assert read_docusaurus(script) == SiteSettings("Robots", "docs", "/docs")


@pytest.mark.parametrize(
    "script", ["", "module.exports = make();", "{ title: `${name} book`, baseUrl }", "{title:", "'", "{" * 9_999]
)
def test_what_only_the_program_knows_is_not_said(script: str) -> None:
    assert read_docusaurus(script).title is None


def test_mdbook_says_its_title_and_where_it_is() -> None:
    found = read_mdbook('[book]\ntitle = "The Book"\n[output.html]\nsite-url = "/the-book/"\n')
    assert found == SiteSettings("The Book", "src", "/the-book")


@pytest.mark.parametrize("settings", ["", "title = 1", "[book", "[other]\na = 1"])
def test_other_files_of_that_name_say_nothing(settings: str) -> None:
    assert read_mdbook(settings) is None


def test_pages_are_found_and_linked_as_the_site_shows_them(tmp_path: Path) -> None:
    (tmp_path / "docusaurus.config.ts").write_text(settings_with("path: 'chapters', routeBasePath: 'read'"))
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "gears.md").write_text("# Gears\n\nThey turn.\n")
    (tmp_path / "README.md").write_text("Not a page of the site.\n")
    for root in (tmp_path, tmp_path / "chapters"):
        book = find_pages(root)
        assert book.title == "Physical AI & Friends"
        assert [page.url for page in book.pages] == ["/course/read/gears"]
    assert find_pages(tmp_path, base_url="/own").pages[0].url == "/own/gears"


def test_another_folder_of_a_site_has_its_title_and_not_its_address(tmp_path: Path) -> None:
    (tmp_path / "docusaurus.config.js").write_text(settings_with(""))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "gears.md").write_text("They turn.\n")
    book = find_pages(tmp_path / "notes")
    assert (book.title, book.pages[0].url) == ("Physical AI & Friends", "/docs/gears")


@pytest.mark.parametrize("folder", ["../elsewhere", "/", "missing", "."])
def test_pages_outside_of_the_site_are_not_read(tmp_path: Path, folder: str) -> None:
    site = tmp_path / "site"
    for page in (site / "own.md", tmp_path / "elsewhere" / "page.md"):
        page.parent.mkdir(exist_ok=True)
        page.write_text("Text.\n")
    (site / "docusaurus.config.js").write_text(settings_with(f"path: '{folder}'"))
    assert [page.source_file for page in find_pages(site).pages] == ["own.md"]

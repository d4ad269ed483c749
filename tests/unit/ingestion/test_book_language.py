"""The language that a book says it is in."""

from pathlib import Path

import pytest

from citebook.ingestion.book_language import find_language

DOCUSAURUS = """
// i18n: { defaultLocale: 'fr' } was here once
/* defaultLocale: "it" */
const config = {
  url: 'https://book.example.org',
  i18n: { defaultLocale: 'de', locales: ['de', 'en'] },
};
export default config;
"""


def site(root: Path, name: str, settings: str) -> Path:
    """The folder of pages of a site with these settings."""
    docs = root / "docs"
    docs.mkdir()
    (root / name).write_text(settings, encoding="utf-8")
    return docs


@pytest.mark.parametrize("ending", ["js", "ts", "mjs"])
def test_docusaurus_says_it_in_its_settings(tmp_path: Path, ending: str) -> None:
    assert find_language(site(tmp_path, f"docusaurus.config.{ending}", DOCUSAURUS)) == "de"


@pytest.mark.parametrize(
    "locale", ['defaultLocale: "pt-BR"', "'defaultLocale': 'pt'", "defaultLocale : `pt`", "defaultLocale:'PT_pt'"]
)
def test_a_country_and_the_spelling_do_not_matter(tmp_path: Path, locale: str) -> None:
    assert find_language(site(tmp_path, "docusaurus.config.js", f"i18n: {{ {locale} }}")) == "pt"


def test_mdbook_says_it_in_its_settings(tmp_path: Path) -> None:
    assert find_language(site(tmp_path, "book.toml", '[book]\ntitle = "Das Buch"\nlanguage = "de"\n')) == "de"


def test_a_part_of_the_pages_is_in_the_language_of_all(tmp_path: Path) -> None:
    part = site(tmp_path, "docusaurus.config.js", DOCUSAURUS) / "course"
    part.mkdir()
    assert find_language(part) == "de"


def test_a_translation_is_in_the_language_of_its_folder(tmp_path: Path) -> None:
    site(tmp_path, "docusaurus.config.js", DOCUSAURUS)
    translated = tmp_path / "i18n" / "fr" / "docusaurus-plugin-content-docs" / "current"
    translated.mkdir(parents=True)
    assert find_language(translated) == "fr"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("docusaurus.config.js", "i18n: { defaultLocale: process.env.LOCALE }"),
        ("docusaurus.config.js", "i18n: { defaultLocale: 'english' }"),
        ("docusaurus.config.js", ""),
        ("book.toml", "[book"),
        ("book.toml", 'book = "none"'),
        ("book.toml", "[book]\nlanguage = 3"),
        ("book.toml", "[book]\nlanguage = '../de'"),
        ("README.md", "defaultLocale: 'de'"),
    ],
)
def test_where_nothing_can_be_read_it_is_english(tmp_path: Path, name: str, settings: str) -> None:
    assert find_language(site(tmp_path, name, settings)) == "en"


def test_settings_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    docs = site(tmp_path, "book.toml", "")
    (tmp_path / "docusaurus.config.js").write_bytes(b"\xff\xfe\x00")
    assert find_language(docs) == "en"

"""The order that sites of other tools write out in YAML."""

from pathlib import Path

from citebook.ingestion.book_source import find_pages
from citebook.ingestion.sidebars import Sidebar
from citebook.ingestion.site_settings import read_jupyter_book as settings_of_jupyter_book
from citebook.ingestion.site_settings import read_mkdocs
from citebook.ingestion.written_contents import read_jupyter_book, read_nav, read_toctree

MKDOCS = """
site_name: "Motion"  # of robots
nav:
  - index.md
  - Getting moving:
    - Torque: motors/torque.md
    # - motors/left-out.md
    - motors/gears.md
  - Elsewhere: https://example.org
markdown_extensions:
  - toc:
      slugify: !!python/name:pymdownx.slugs.uslugify
"""
TOCTREE = """
- title: Unit 0. Welcome
  sections:
  - local: unit0/introduction
    title: Welcome
- title: Unit 1. Agents
  sections:
  - local: unit1/tools
    title: Tools
"""
JUPYTER_BOOK = """
format: jb-book
root: intro
parts:
- caption: Motors
  chapters:
  - file: motors/torque
    sections:
    - file: motors/gears.md
  - url: https://example.org
"""
MYST = """
project:
  title: Motion
  toc:
    - file: intro.md
    - title: Motors
      children:
        - file: motors/torque.md
"""


def documents(sidebar: Sidebar) -> list[tuple[str, str | None]]:
    return [(name, listed.category) for name, listed in sidebar.documents.items()]


def test_nav_of_mkdocs_is_read_beside_settings_that_name_python_objects() -> None:
    part = "Getting moving"
    assert documents(read_nav(MKDOCS)) == [("index", None), ("motors/torque", part), ("motors/gears", part)]


def test_the_contents_of_hugging_face_are_read() -> None:
    assert documents(read_toctree(TOCTREE)) == [
        ("unit0/introduction", "Unit 0. Welcome"),
        ("unit1/tools", "Unit 1. Agents"),
    ]


def test_settings_without_nav_order_nothing() -> None:
    assert documents(read_nav("site_name: Motion\n")) == []


def test_mkdocs_names_the_book() -> None:
    settings = read_mkdocs("theme: material\nsite_name: 'Motion of robots'\n")
    assert settings is not None
    assert settings.title == "Motion of robots"


def test_pages_stand_in_the_written_order_under_the_written_labels(tmp_path: Path) -> None:
    for name in ("unit0/introduction.mdx", "unit1/tools.mdx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("# A title\n\nSome text.\n")
    (tmp_path / "_toctree.yml").write_text(TOCTREE)
    pages = find_pages(tmp_path).pages
    assert [(page.source_file, page.category) for page in pages] == [
        ("unit0/introduction.mdx", "Unit 0. Welcome"),
        ("unit1/tools.mdx", "Unit 1. Agents"),
    ]


def test_a_file_that_is_no_yaml_orders_nothing(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\nText.\n")
    (tmp_path / "_toctree.yml").write_text("- title: [unclosed\n")
    assert [page.source_file for page in find_pages(tmp_path).pages] == ["page.md"]


def test_the_contents_of_a_jupyter_book_are_read_in_both_forms() -> None:
    first = [("intro", None), ("motors/torque", "Motors")]
    assert documents(read_jupyter_book(JUPYTER_BOOK)) == [*first, ("motors/gears", "Motors")]
    assert documents(read_jupyter_book(MYST)) == first


def test_a_jupyter_book_says_its_title_in_either_file() -> None:
    titles = [settings_of_jupyter_book(text) for text in (MYST, "title: Motion\nauthor: A", "author: A", "title: [")]
    assert [settings.title if settings else None for settings in titles] == ["Motion", "Motion", None, None]

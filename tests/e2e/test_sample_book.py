"""The book that is shipped with the program."""

import re

from citebook.ingestion.book_source import find_pages
from tests.conftest import SAMPLE_BOOK

_FORM_OF_THE_SEED = re.compile(r"module-\d+(-[a-z0-9-]+)?/chapter-\d+(-[a-z0-9-]+)?")


def test_every_chapter_id_has_the_form_of_the_seed() -> None:
    ids = [page.chapter_id for page in find_pages(SAMPLE_BOOK / "docs").pages]
    assert len(ids) == 20
    assert [name for name in ids if not _FORM_OF_THE_SEED.fullmatch(name)] == []

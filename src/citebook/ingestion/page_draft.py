"""Files of a book on their way to become pages: decoded, with their front matter."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from citebook.domain.errors import PageUnreadable
from citebook.ingestion.book_files import CATEGORY_NAMES, BookFile, BookFiles
from citebook.ingestion.front_matter import read_front_matter
from citebook.ingestion.source_text import MalformedPage


@dataclass(slots=True)
class Draft:
    """A file on its way to become a page."""

    file: BookFile
    front_matter: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def is_partial(self) -> bool:
        return any(part.startswith("_") for part in self.file.route_path.parts)

    @property
    def is_published(self) -> bool:
        return self.front_matter.get("draft") is not True and self.front_matter.get("unlisted") is not True


def decoded_text(source_file: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PageUnreadable(source_file, f"line {line} is not UTF-8: save the file as UTF-8") from error


def read_drafts(book: BookFiles) -> Iterable[Draft]:
    for file in book.files:
        if file.path.name in CATEGORY_NAMES:
            continue
        draft = Draft(file)
        try:
            if file.suffix != ".pdf":
                draft.text = decoded_text(file.source_file, file.data)
            if file.suffix in (".md", ".mdx"):
                draft.front_matter, _ = read_front_matter(draft.text)
        except PageUnreadable as error:
            book.unreadable.append(error)
            continue
        except MalformedPage as error:
            book.unreadable.append(PageUnreadable(file.source_file, str(error)))
            continue
        yield draft

"""The order of pages in the sidebar of Docusaurus."""

from pathlib import PurePosixPath
from typing import Any

from citebook.domain.errors import PageUnreadable
from citebook.ingestion import doc_routes
from citebook.ingestion.book_files import CATEGORY_NAMES, BookFiles
from citebook.ingestion.front_matter import read_yaml
from citebook.ingestion.page_draft import Draft, decoded_text
from citebook.ingestion.source_text import MalformedPage

Categories = dict[str, dict[str, Any]]


def read_categories(book: BookFiles) -> Categories:
    """What `_category_` files say, by folder."""
    categories: Categories = {}
    for file in book.files:
        if file.path.name not in CATEGORY_NAMES:
            continue
        try:
            value = read_yaml(decoded_text(file.source_file, file.data))  # JSON is YAML too
        except PageUnreadable as error:
            book.unreadable.append(error)
            continue
        except MalformedPage as error:
            book.unreadable.append(PageUnreadable(file.source_file, str(error)))
            continue
        categories[folder_key(file.version, file.route_path.parent)] = value
    return categories


def folder_key(version: str | None, folder: PurePosixPath) -> str:
    return f"{version or ''}:{folder.as_posix()}"


_SortKey = tuple[float, bool, str]


def sidebar_key(draft: Draft, categories: Categories) -> tuple[str, list[_SortKey]]:
    """Each folder on the way and then the file: by its position, then by its name; an index comes first."""
    path = draft.file.route_path
    keys: list[_SortKey] = []
    for folder in reversed(path.parents[:-1]):
        category = categories.get(folder_key(draft.file.version, folder), {})
        position = _number(category.get("position"))
        prefix, _ = doc_routes.split_number_prefix(folder.name)
        keys.append((_first(position, prefix), True, folder.name))
    if path.parent.parts and doc_routes.is_folder_index(path):
        keys.append((float("-inf"), False, ""))
    else:
        position = _number(draft.front_matter.get("sidebar_position"))
        prefix, _ = doc_routes.split_number_prefix(path.stem)
        keys.append((_first(position, prefix), False, path.name))
    return draft.file.version or "", keys


def place_in_sidebar(position: Any, name: str) -> int | None:
    """The position that is given, or else the number in front of the name; no number where it is not whole."""
    number = _number(position)
    if number is None:
        return doc_routes.split_number_prefix(name)[0]
    return int(number) if number.is_integer() else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _first(position: float | None, prefix: int | None) -> float:
    found = position if position is not None and position == position else prefix
    return float("inf") if found is None else float(found)

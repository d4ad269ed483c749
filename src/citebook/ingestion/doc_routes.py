"""Where Docusaurus puts a document: ids, slugs and URLs made of its path."""

import re
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

_NUMBER_PREFIX = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)$", re.DOTALL)
_VERSION_OR_DATE = re.compile(r"\d+[-_.]\d+")
_SAFE_IN_URL = "/~!$&'()*+,;=:@"


def split_number_prefix(name: str) -> tuple[int | None, str]:
    """`02-topics` is `topics` in second place; `2.1-release` and `2024-05-news` have no such prefix."""
    match = None if _VERSION_OR_DATE.match(name) else _NUMBER_PREFIX.match(name)
    if not match or len(match[1]) > 9:
        return None, name
    return int(match[1]), match[2]


def strip_number_prefixes(path: PurePosixPath) -> PurePosixPath:
    return PurePosixPath(*(split_number_prefix(part)[1] for part in path.parts))


def is_folder_index(path: PurePosixPath) -> bool:
    """Whether a document stands for its folder: index, README, or named like the folder."""
    name = path.stem.lower()
    return name in ("index", "readme") or (path.parent.name != "" and name == path.parent.name.lower())


def chapter_id(path: PurePosixPath) -> str:
    """The path without number prefixes and extension; an index stands for its folder."""
    plain = strip_number_prefixes(path.with_suffix(""))
    if path.stem.lower() in ("index", "readme") and path.parent.parts:
        plain = plain.parent
    return plain.as_posix()


def doc_url(base_url: str, path: PurePosixPath, *, slug: str | None, doc_id: str | None) -> str:
    """The URL of a document whose path is counted from the docs folder."""
    folder = "/" + "".join(f"{part}/" for part in strip_number_prefixes(path.parent).parts)
    if slug:
        slug = unquote(slug)  # authors may write a slug as it stands in the URL
        route = slug if slug.startswith("/") else folder + slug
    elif is_folder_index(path):
        route = folder
    else:
        route = folder + (doc_id or split_number_prefix(path.stem)[1])
    return _joined(base_url, route)


def file_url(base_url: str, path: PurePosixPath) -> str:
    """The URL of a file that is served as it is."""
    return _joined(base_url, path.as_posix())


def _joined(base_url: str, route: str) -> str:
    """A URL that stays under the base, whatever the route says."""
    parts: list[str] = []
    for part in route.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    end = "/" if route.endswith(("/", "/.", "/..")) else ""
    tail = "/".join(parts) + end if parts else ""
    return base_url.rstrip("/") + "/" + quote(tail, safe=_SAFE_IN_URL)

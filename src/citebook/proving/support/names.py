"""Names, identifiers and links of a claim that its source does not have."""

from collections.abc import Iterator, Sequence

from citebook.language.claim_words import Claims
from citebook.proving.support.checked_text import EDGES, CheckedText, fold, parts, root

_MOSTLY_CAPITALS = 0.7
_MAX_SHORTENED = 6


def missing_names(claim: CheckedText, source: CheckedText) -> list[str]:
    """Capitalised words inside a sentence, and identifiers such as `/cmd_vel`, TF2 or CamelCase."""
    capitals = sum(piece[0].isupper() for piece in claim.pieces)
    is_title = capitals > _MOSTLY_CAPITALS * len(claim.pieces)
    explained = _spelled_out(claim, source)
    shortened = _shortened(source.pieces)
    begins = True
    missing = []
    for index, (piece, ends) in enumerate(_with_ends(claim.text)):
        is_name = _is_identifier(piece, claim.language.claims) or (piece[0].isupper() and not begins and not is_title)
        begins = ends
        if is_name and index not in explained and not _is_known(piece, source, shortened):
            missing.append(piece)
    return missing


def _with_ends(text: str) -> Iterator[tuple[str, bool]]:
    """Each piece, and whether a sentence may end behind it."""
    for raw in text.split():
        if piece := raw.strip(EDGES):
            yield piece, raw.rstrip("\"'”’)*").endswith((".", "!", "?", ":"))


def _is_identifier(piece: str, lists: Claims) -> bool:
    if piece.isalpha():
        return any(character.isupper() for character in piece[1:])
    if "_" in piece or "::" in piece or piece[0] in "/@$~\\":
        return any(character.isalnum() for character in piece) and not piece[1:2].isdigit()
    if not any(character.isalpha() for character in piece):
        return False
    if any(character.isdigit() for character in piece):
        return piece[0].isalpha() or not _is_measure(piece, lists)
    return any(character.isupper() for part in parts(piece) for character in part[1:])


def _is_measure(piece: str, lists: Claims) -> bool:
    """A number with its unit or its ending, such as 5kg, 4th or 1990s; 3D is a name."""
    letters = piece.lstrip("0123456789.,")
    small = letters.lower()
    is_unit = letters in lists.units or small in lists.units or small in lists.magnitudes
    return is_unit or letters in lists.number_endings or not letters.isalpha()


def _is_known(piece: str, source: CheckedText, shortened: set[str]) -> bool:
    language = source.language
    folded = fold(piece, language)
    if folded in source.piece_set or folded in language.stop_words or root(folded, language) in source.root_set:
        return True
    if folded.removesuffix("s") in source.piece_set or f"{folded}s" in source.piece_set:
        return True  # the stemmer leaves CNNs as it is
    if piece.isupper() and folded in shortened:
        return True
    own = parts(folded)
    return len(own) > 1 and all(part in source.piece_set or root(part, language) in source.root_set for part in own)


def _spelled_out(claim: CheckedText, source: CheckedText) -> set[int]:
    """Places of words in a row that the source has in short only: Robot Operating System for ROS."""
    places: set[int] = set()
    for first, run in _capitalised_runs(claim.pieces):
        if any(short in source.piece_set for short in _initials(run)):
            places.update(range(first, first + len(run)))
    return places


def _shortened(pieces: Sequence[str]) -> set[str]:
    return {short for _, run in _capitalised_runs(pieces) for short in _initials(run)}


def _capitalised_runs(pieces: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Words in a row that begin with a capital, and where each row begins."""
    run: list[str] = []
    for index, piece in enumerate([*pieces, "."]):
        if piece[0].isupper():
            run.append(piece)
        elif run:
            yield index - len(run), run
            run = []


def _initials(run: Sequence[str]) -> Iterator[str]:
    if 1 < len(run) <= _MAX_SHORTENED:
        initials = "".join(word[0] for word in run).lower()
        yield initials
        if len(initials) > 2:
            yield initials[1:]  # the first word may have its capital from the sentence


def has_foreign_link(claim: CheckedText, source: CheckedText) -> bool:
    """Whether the claim leads somewhere that the source does not lead."""
    theirs = frozenset(source.pieces)
    return any(_is_link(piece) and piece not in theirs for piece in claim.pieces)


def _is_link(piece: str) -> bool:
    lower = piece.lower()
    if "://" in piece or "](" in piece or lower.startswith(("www.", "mailto:", "javascript:", "data:", "//")):
        return True
    name, at, host = piece.partition("@")
    if at:
        return bool(name) and "." in host
    labels = lower.partition("/")[0].split(".")
    return len(labels) > 1 and labels[-1].isalpha() and all(len(label) > 1 for label in labels)

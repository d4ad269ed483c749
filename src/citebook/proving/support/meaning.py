"""Where a claim turns the meaning of its quote round: denied, opposite, or with the roles swapped."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from citebook.language.languages import language_of
from citebook.proving.support.checked_text import CheckedText, root

_SCOPE = 3
"""So many words behind a negation are denied, unless punctuation or a new clause ends it sooner."""
_SHORTEST_STEM = 4
_ENGLISH = language_of("en")
_CLAIMS = _ENGLISH.claims


def denials(claim: CheckedText, quoted: CheckedText) -> int:
    """How many words the claim denies and the quote says, or the other way round."""
    ours, theirs = _signs(claim.tokens), _signs(quoted.tokens)
    shared = ours.keys() & theirs.keys()
    denied = {stem for stem, signs in ours.items() if False in signs}
    if any(False in theirs[stem] for stem in shared & denied):
        return 0  # both deny something, in other words: "found no" for "did not find any"
    if any(opposites_of(stem) & quoted.root_set for stem in denied):
        return 0  # "not allowed" for "forbidden"
    return sum(not ours[stem] & theirs[stem] for stem in shared)


def _signs(tokens: Sequence[str]) -> dict[str, set[bool]]:
    """For each stem, whether it is said, denied, or both."""
    signs: dict[str, set[bool]] = {}
    denied = 0
    for index, token in enumerate(tokens):
        if not token[0].isalnum() or token in _CLAIMS.scope_ends:
            denied = 0
        elif token in _CLAIMS.negations and not _CLAIMS.not_denied.intersection(tokens[index + 1 : index + 2]):
            denied = _SCOPE
        elif token not in _ENGLISH.stop_words:
            signs.setdefault(root(token), set()).add(denied == 0)
            denied = max(0, denied - 1)
    return signs


def opposites(claim: CheckedText, quoted: CheckedText, source: CheckedText) -> int:
    """How many words of the claim the source does not have, while the quote has their opposites."""
    theirs = quoted.root_set - claim.root_set
    strangers = (word for word in claim.words if root(word) not in source.root_set)
    return sum(_is_turned_round(word, theirs, source.root_set) for word in strangers)


def _is_turned_round(word: str, theirs: frozenset[str], source: frozenset[str]) -> bool:
    for alike, opposed in _sides_of(root(word)):
        if opposed & theirs and not alike & source:
            return True
    return any(form in theirs for form in _other_forms(word))


def opposites_of(stem: str) -> frozenset[str]:
    return frozenset().union(*(opposed for _, opposed in _sides_of(stem)))


def _other_forms(word: str) -> Iterator[str]:
    """The word with or without what makes it its opposite: unstable, careless."""
    if len(word) < _SHORTEST_STEM:
        return
    for prefix in _CLAIMS.opposite_prefixes:
        yield root(prefix + word)
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            yield root(word.removeprefix(prefix))
    for one, other in _CLAIMS.opposite_endings:
        if word.endswith(one):
            yield root(word.removesuffix(one) + other)
        elif word.endswith(other):
            yield root(word.removesuffix(other) + one)


def _sides_of(stem: str) -> Sequence[tuple[frozenset[str], frozenset[str]]]:
    """For each pair of sides that the word belongs to: those that mean the same, and their opposites."""
    return _all_sides().get(stem, ())


@cache
def _all_sides() -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for pair in _CLAIMS.opposites:
        one, other = (frozenset(map(root, side)) for side in pair)
        for alike, opposed in ((one, other), (other, one)):
            for stem in alike:
                found.setdefault(stem, []).append((alike, opposed))
    return found


def swaps(claim: CheckedText, quoted: CheckedText) -> int:
    """How many relations are reversed: who did what to whom, what is more than what, from where to where."""
    if bool(_CLAIMS.passive_agent & claim.root_set) != bool(_CLAIMS.passive_agent & quoted.root_set):
        return 0  # one of them may be passive
    shared = claim.root_set & quoted.root_set
    theirs = _sides(quoted, shared)
    return sum(theirs.get(middle) == (right, left) for middle, (left, right) in _sides(claim, shared).items())


def _sides(reading: CheckedText, shared: frozenset[str]) -> dict[str, tuple[str, str]]:
    """For each word that stands there once, the shared words on its two sides."""
    row = [
        word
        for word in reading.roots
        if word in shared and (word not in _ENGLISH.stop_words or word in _CLAIMS.relations)
    ]
    counts = Counter(row)
    return {
        middle: (left, right)
        for left, middle, right in zip(row, row[1:], row[2:], strict=False)
        if counts[middle] == 1 and left != right and middle not in _CLAIMS.symmetric
    }

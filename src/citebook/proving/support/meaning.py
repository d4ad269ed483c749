"""Where a claim turns the meaning of its quote round: denied or opposite."""

from collections.abc import Iterator, Sequence
from functools import cache

from citebook.language.claim_words import Claims
from citebook.language.languages import Language
from citebook.proving.support.checked_text import CheckedText, root

_SCOPE = 3
"""So many words behind a negation are denied, unless punctuation or a new clause ends it sooner."""
_SHORTEST_STEM = 4


def denials(claim: CheckedText, quoted: CheckedText) -> int:
    """How many words the claim denies and the quote says, or the other way round."""
    ours, theirs = _signs(claim), _signs(quoted)
    shared = ours.keys() & theirs.keys()
    denied = {stem for stem, signs in ours.items() if False in signs}
    if any(False in theirs[stem] for stem in shared & denied):
        return 0  # both deny something, in other words: "found no" for "did not find any"
    if any(opposites_of(stem, claim.language) & quoted.root_set for stem in denied):
        return 0  # "not allowed" for "forbidden"
    return sum(not ours[stem] & theirs[stem] for stem in shared)


def _signs(reading: CheckedText) -> dict[str, set[bool]]:
    """For each stem, whether it is said, denied, or both."""
    tokens, language = reading.tokens, reading.language
    lists = language.claims
    signs: dict[str, set[bool]] = {}
    denied = 0
    for index, token in enumerate(tokens):
        if not token[0].isalnum() or token in lists.scope_ends:
            denied = 0
        elif token in lists.negations and not lists.not_denied.intersection(tokens[index + 1 : index + 2]):
            denied = _SCOPE
        elif token not in language.stop_words:
            signs.setdefault(root(token, language), set()).add(denied == 0)
            denied = max(0, denied - 1)
    return signs


def opposites(claim: CheckedText, quoted: CheckedText, source: CheckedText) -> int:
    """How many words of the claim the source does not have, while the quote has their opposites."""
    theirs = quoted.root_set - claim.root_set
    strangers = (word for word in claim.words if root(word, claim.language) not in source.root_set)
    return sum(_is_turned_round(word, theirs, source) for word in strangers)


def _is_turned_round(word: str, theirs: frozenset[str], source: CheckedText) -> bool:
    language = source.language
    for alike, opposed in _sides_of(root(word, language), language):
        if opposed & theirs and not alike & source.root_set:
            return True
    return any(root(form, language) in theirs for form in _other_forms(word, language.claims))


def opposites_of(stem: str, language: Language) -> frozenset[str]:
    return frozenset().union(*(opposed for _, opposed in _sides_of(stem, language)))


def _other_forms(word: str, lists: Claims) -> Iterator[str]:
    """The word with or without what makes it its opposite: unstable, careless."""
    if len(word) < _SHORTEST_STEM:
        return
    for prefix in lists.opposite_prefixes:
        yield prefix + word
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            yield word.removeprefix(prefix)
    for one, other in lists.opposite_endings:
        if word.endswith(one):
            yield word.removesuffix(one) + other
        elif word.endswith(other):
            yield word.removesuffix(other) + one


def _sides_of(stem: str, language: Language) -> Sequence[tuple[frozenset[str], frozenset[str]]]:
    """For each pair of sides that the word belongs to: those that mean the same, and their opposites."""
    return _all_sides(language).get(stem, ())


@cache
def _all_sides(language: Language) -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for pair in language.claims.opposites:
        one, other = (frozenset(root(word, language) for word in side) for side in pair)
        for alike, opposed in ((one, other), (other, one)):
            for stem in alike:
                found.setdefault(stem, []).append((alike, opposed))
    return found

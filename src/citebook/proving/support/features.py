"""What is measured of a claim and the words that it quotes, on scales of about 0 to 1."""

from dataclasses import dataclass
from itertools import pairwise

from citebook.proving.support.checked_text import CheckedText
from citebook.proving.support.meaning import denials, opposites
from citebook.proving.support.names import has_foreign_link, missing_names
from citebook.proving.support.numbers import is_number, missing_numbers


@dataclass(frozen=True, slots=True)
class ClaimChecks:
    features: dict[str, float]
    faults: tuple[str, ...]
    """What alone is reason enough not to believe the claim."""


def compare(claim: CheckedText, quoted: CheckedText, source: CheckedText, *, in_place: bool) -> ClaimChecks:
    """`source` is the quote with what stands around it; `in_place` says whether it has each word in its place."""
    lists, stop_words = claim.language.claims, claim.language.stop_words
    content = [word for word in claim.roots if word not in stop_words and not is_number(word, lists)]
    known = [word in source.root_set for word in content]
    pairs = list(pairwise(claim.roots))
    their_pairs = set(pairwise(quoted.roots))
    words = set(claim.words)
    counts = {
        "missing_numbers": missing_numbers(claim.text, source.text, lists),
        "missing_names": len(missing_names(claim, source)),
        "denials": denials(claim, quoted),
        "opposites": opposites(claim, quoted, source),
    }
    features = {
        "coverage": _share(sum(known), len(known)),
        "all_covered": float(all(known)),
        "pairs": _share(sum(pair in their_pairs for pair in pairs), len(pairs)),
        "own_voice": float(bool((words & lists.own_voice) - quoted.root_set)),
        "quantifiers": min(1.0, len((words & lists.quantifiers) - quoted.root_set) / 2),
    } | {name: min(1.0, count / 2) for name, count in counts.items()}
    faults = {
        "out_of_place": not in_place,
        "question": claim.text.rstrip().endswith("?"),
        "foreign_link": has_foreign_link(claim, source),
        "hidden_characters": not " ".join(claim.text.split()).isprintable(),
    }
    return ClaimChecks(features, tuple(name for name, found in faults.items() if found))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

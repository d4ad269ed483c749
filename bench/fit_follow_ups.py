"""Fits the weights of follow-ups to human rewrites: `python -m bench.fit_follow_ups --data DATA`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from bench.fitting import Numbers, evenly, file_of, is_held_out, parser_of, search_by_coordinates, show, write_weights
from bench.follow_ups import measure_rewrites, read_rows
from citebook.language.languages import language_of
from citebook.writing.follow_ups import FollowUpWeights, shipped_weights, stand_alone

_REWRITES = "conversation/rewrites.jsonl"
_HELD_OUT_OF_100 = 30
_PRICE = 0.02
"""What one word too many costs, against the share of the added words that is recovered."""
_TRIED = {
    "older": (0.4, 0.5, 0.6, 0.7, 0.8),
    "first": (0.3, 0.5, 0.7, 0.9),
    "answered": (0.4, 0.6, 0.8, 1.0),
    "answered_before": (0.2, 0.3, 0.4, 0.6),
    "named": (1.5, 2.0, 2.5, 3.0, 4.0),
    "least_weight": (0.25, 0.5, 0.75, 1.0),
}

Rows = Sequence[dict[str, Any]]


def conversation_of(row: dict[str, Any]) -> str:
    """Turns of one conversation stay on one side; the history begins with what they share."""
    return str(row["history"][0]) if row["history"] else str(row["id"])


def figures(rows: Rows, weights: FollowUpWeights) -> dict[str, float]:
    rewrite = partial(stand_alone, language=language_of("en"), weights=weights)
    recovered, others, changed = measure_rewrites(rows, rewrite)
    return {"added words recovered": recovered, "other words added": others, "changed though it stood alone": changed}


def worth(rows: Rows, numbers: Numbers) -> float:
    found = figures(rows, FollowUpWeights.model_validate(numbers))
    return found["added words recovered"] - _PRICE * found["other words added"]


def main() -> None:
    options = parser_of(__doc__, "citebook/writing").parse_args()
    rows = evenly(read_rows(file_of(options.data, _REWRITES)), options.limit)
    held_out = [row for row in rows if is_held_out(conversation_of(row), _HELD_OUT_OF_100)]
    for_fit = [row for row in rows if not is_held_out(conversation_of(row), _HELD_OUT_OF_100)]
    before = shipped_weights().weights
    after = FollowUpWeights.model_validate(
        search_by_coordinates(before.model_dump(), _TRIED, partial(worth, for_fit))
    )
    found = figures(held_out, after)
    show(f"{len(held_out):,} follow-ups that were not fitted to", figures(held_out, before), found)
    print(after.model_dump_json())
    write_weights(
        options,
        after,
        module="bench.fit_follow_ups",
        fitted_to=f"the share of the words that rewriters add and that is recovered, less {_PRICE} for each other "
        f"word; one number at a time, on {100 - _HELD_OUT_OF_100} % of the conversations",
        by_hand="most_words_added, for the search in the sample book; the values that are tried; see decision 0026",
        data=[_REWRITES],
        figures=found,
        figures_on=f"{len(held_out):,} follow-ups of other conversations; the values before were chosen on these too",
    )


if __name__ == "__main__":
    main()

"""Which calibration holds, and which only guesses."""

from datetime import UTC, datetime

from citebook.confidence.choosing import choose, weights_in_use
from citebook.confidence.model import shipped_calibrations
from citebook.domain.calibration import AS_IT_IS, Calibration
from citebook.domain.set_up import SetUp

SHIPPED = shipped_calibrations().calibrations[0]
assert SHIPPED.set_up is not None
DEFAULT = SHIPPED.set_up
OTHER = DEFAULT.model_copy(update={"search": DEFAULT.search.model_copy(update={"top_k": 8})})


def own(set_up: SetUp | None) -> Calibration:
    return Calibration(
        embedder=DEFAULT.embedder,
        generator=DEFAULT.generator,
        curve=AS_IT_IS,
        risks=(),
        questions=60,
        made_at=datetime(2026, 11, 16, tzinfo=UTC),
        set_up=set_up,
    )


def test_the_book_s_own_comes_first() -> None:
    chosen = choose(DEFAULT, own(DEFAULT))
    assert chosen.is_own
    assert chosen.holds


def test_the_shipped_one_holds_where_the_book_s_own_does_not() -> None:
    chosen = choose(DEFAULT, own(OTHER))
    assert chosen.calibration == SHIPPED
    assert chosen.holds


def test_where_none_holds_the_book_s_own_is_the_best_guess() -> None:
    chosen = choose(OTHER, own(DEFAULT))
    assert chosen.is_own
    assert chosen.differences == ("top_k is 8, measured with 5",)


def test_where_there_is_no_other_the_shipped_one_is_the_guess() -> None:
    chosen = choose(OTHER, None)
    assert chosen.calibration == SHIPPED
    assert not chosen.holds


def test_all_weights_that_answers_depend_on_are_part_of_it() -> None:
    assert weights_in_use().keys() == {"searching", "reading", "units", "proving", "confidence"}

"""Tables of numbers, and where they come from."""

import hashlib

import pytest
from pydantic import ValidationError

from citebook.domain.value import Value
from citebook.domain.weights import Fitted, Origin, hash_of


class Numbers(Value):
    a: float
    b: float


ORIGIN = {
    "command": "python -m bench.fit_support --data DATA",
    "made_on": "2026-11-16",
    "fitted_to": "x",
    "by_hand": "nothing",
    "data": [{"file": "x.jsonl", "sha256": "0" * 64, "rows": 1}],
    "figures": {"AUC": 0.8},
    "figures_on": "x",
    "weights_sha256": "0" * 64,
}


def test_the_hash_is_of_the_numbers_alone() -> None:
    expected = hashlib.sha256(b'{"a":1.0,"b":2.5}').hexdigest()
    assert hash_of(Numbers(b=2.5, a=1)) == expected
    assert Fitted[Numbers].model_validate({"origin": ORIGIN, "weights": {"a": 1, "b": 2.5}}).sha256 == expected


@pytest.mark.parametrize("missing", ORIGIN)
def test_an_origin_tells_everything(missing: str) -> None:
    with pytest.raises(ValidationError):
        Origin.model_validate({name: value for name, value in ORIGIN.items() if name != missing})


def test_a_number_that_nobody_knows_is_rejected() -> None:
    with pytest.raises(ValidationError):
        Fitted[Numbers].model_validate({"origin": ORIGIN, "weights": {"a": 1, "b": 2, "c": 3}})

"""More than two thousand made-up requests: none is a fault of ours, none is answered otherwise than documented."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.generated_cases import CASES, OPERATIONS, Caller, calling, check


@pytest.fixture(scope="module")
def caller(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with calling(shutil.copytree(ingested, tmp_path_factory.mktemp("generated") / "own")) as caller:
        yield caller


def test_there_are_enough_of_them() -> None:
    taking = [operation for operation in OPERATIONS.values() if operation.body or list(operation.iter_parameters())]
    assert len(OPERATIONS) == 25
    assert CASES * len(taking) >= 2000


@pytest.mark.parametrize("label", OPERATIONS)
def test_no_request_breaks_the_service(label: str, caller: Caller) -> None:
    operation = OPERATIONS[label]
    takes_something = operation.body or list(operation.iter_parameters())
    assert check(label, caller) >= (CASES if takes_something else 1)

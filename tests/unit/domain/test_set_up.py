"""What confidence depends on, and how two set-ups differ."""

import pytest

from citebook.domain.set_up import SearchSetUp, SetUp

SEARCH = SearchSetUp(dense_weight=0.85, top_k=5, reranker="none", recipe="4/512/0.2/512")
MEASURED = SetUp(embedder="granite", generator="extractive", search=SEARCH, weights={"reading": "0" * 64})


def test_a_set_up_does_not_differ_from_itself() -> None:
    assert MEASURED.differences(MEASURED) == ()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"embedder": "other"}, "the embedder is other, measured with granite"),
        ({"generator": "other"}, "the generator is other, measured with extractive"),
        ({"search": SEARCH.model_copy(update={"dense_weight": 0.5})}, "DENSE_WEIGHT is 0.5, measured with 0.85"),
        ({"search": SEARCH.model_copy(update={"top_k": 8})}, "top_k is 8, measured with 5"),
        ({"search": SEARCH.model_copy(update={"reranker": "cohere"})}, "the reranker is cohere, measured with none"),
        (
            {"search": SEARCH.model_copy(update={"recipe": "5/512/0.2/512"})},
            "the index's recipe (version/chunk tokens/overlap/model's tokens) is 5/512/0.2/512, measured with "
            "4/512/0.2/512",
        ),
        ({"weights": {"reading": "1" * 64}}, "the weights of reading are others than those measured with"),
        ({"weights": {}}, "the weights of reading are others than those measured with"),
    ],
)
def test_what_differs_is_said_in_words(change: dict[str, object], told: str) -> None:
    assert MEASURED.model_copy(update=change).differences(MEASURED) == (told,)


def test_every_part_that_differs_is_said() -> None:
    other = MEASURED.model_copy(update={"embedder": "other", "generator": "other"})
    assert len(other.differences(MEASURED)) == 2

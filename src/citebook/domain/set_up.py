"""What answers and their confidence depend on, beside the question and the book."""

from collections.abc import Iterator

from citebook.domain.book import Sha256
from citebook.domain.value import Value

NO_RERANKER = "none"


class SearchSetUp(Value):
    """How passages are found."""

    dense_weight: float
    top_k: int
    reranker: str
    """Its name, and how many passages it reads and keeps."""
    recipe: str
    """That of the edition: how its pages were read and cut into chunks."""


class SetUp(Value):
    """A curve that was measured with one set-up says nothing certain about another."""

    embedder: str
    generator: str
    search: SearchSetUp
    weights: dict[str, Sha256]
    """The hash of each room's weights, and of the rules where a language model writes."""

    def differences(self, measured: "SetUp") -> tuple[str, ...]:
        """In which parts this set-up is another than the one that was measured, in words."""
        return tuple(self._differences(measured))

    def _differences(self, measured: "SetUp") -> Iterator[str]:
        ours, theirs = self._parts(), measured._parts()
        for name, value in ours.items():
            if theirs[name] != value:
                yield f"{name} is {value}, measured with {theirs[name]}"
        for room in sorted(self.weights.keys() | measured.weights.keys()):
            if self.weights.get(room) != measured.weights.get(room):
                yield f"the weights of {room} are others than those measured with"

    def _parts(self) -> dict[str, object]:
        return {
            "the embedder": self.embedder,
            "the generator": self.generator,
            "DENSE_WEIGHT": self.search.dense_weight,
            "top_k": self.search.top_k,
            "the reranker": self.search.reranker,
            "the index's recipe (version/chunk tokens/overlap/model's tokens)": self.search.recipe,
        }

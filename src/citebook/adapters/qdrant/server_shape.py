"""How a Qdrant server keeps a book, and how it is asked there."""

from dataclasses import dataclass
from typing import Any, Literal

from qdrant_client import models

from citebook.adapters.qdrant import points


@dataclass(frozen=True, slots=True)
class ServerShape:
    """Where something is None, the server's own way."""

    shards: int | None = None
    replication_factor: int = 1
    write_consistency_factor: int = 1
    read_consistency: Literal["majority", "quorum", "all"] | None = None
    vectors_on_disk: bool = False
    payload_on_disk: bool = True
    quantization: Literal["none", "int8", "binary"] = "none"
    oversampling: float = 2.0
    hnsw_m: int | None = None
    hnsw_ef_construct: int | None = None
    hnsw_ef: int | None = None

    def of_chunks(self, dimension: int) -> dict[str, Any]:
        """The collection of an edition, as `create_collection` takes it.

        How rare a term is, questions say: each shard of a server would count its own chunks only.
        """
        return {
            **self._copies(),
            "shard_number": self.shards,
            "on_disk_payload": self.payload_on_disk,
            "vectors_config": {
                points.UNITS: models.VectorParams(
                    size=dimension,
                    distance=models.Distance.COSINE,
                    multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
                    datatype=models.Datatype.FLOAT16,
                    on_disk=self.vectors_on_disk,
                )
            },
            "sparse_vectors_config": {points.SPARSE: models.SparseVectorParams()},
            "hnsw_config": models.HnswConfigDiff(m=self.hnsw_m, ef_construct=self.hnsw_ef_construct),
            "quantization_config": self._quantization_config(),
        }

    def of_descriptions(self) -> dict[str, Any]:
        """A collection without vectors. It has one shard, so that one node puts its writes in order."""
        return {**self._copies(), "shard_number": 1, "vectors_config": {}}

    def _copies(self) -> dict[str, Any]:
        return {
            "replication_factor": self.replication_factor,
            "write_consistency_factor": self.write_consistency_factor,
        }

    def _quantization_config(self) -> models.ScalarQuantization | models.BinaryQuantization | None:
        if self.quantization == "int8":
            return models.ScalarQuantization(
                scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            )
        if self.quantization == "binary":
            return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
        return None

    def of_vector_search(self) -> models.SearchParams | None:
        """What was found by quantized vectors is scored by the whole ones: confidence rests on these scores."""
        if self.quantization == "none":
            return models.SearchParams(hnsw_ef=self.hnsw_ef) if self.hnsw_ef else None
        rescoring = models.QuantizationSearchParams(rescore=True, oversampling=self.oversampling)
        return models.SearchParams(hnsw_ef=self.hnsw_ef, quantization=rescoring)

    @property
    def consistency(self) -> models.ReadConsistencyType | None:
        return models.ReadConsistencyType(self.read_consistency) if self.read_consistency else None

"""Settings of the index: where it is, and how a Qdrant server or cluster keeps it."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints
from pydantic_settings import BaseSettings


def _is_no_list_of_editions(name: str) -> str:
    if name.endswith("--editions"):
        raise ValueError("must not end in --editions: a server keeps a book's editions under such a name")
    return name


CollectionName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"),
    AfterValidator(_is_no_list_of_editions),
]


NodeUrls = Annotated[str, StringConstraints(pattern=r"^https?://[^\s,]+(\s*,\s*https?://[^\s,]+)*$")]


class QdrantSettings(BaseSettings):
    """What comes after the collection's name matters on a server only, and shapes editions from the next one on."""

    qdrant_url: NodeUrls | None = Field(
        default=None,
        description="Qdrant server, or nodes of a cluster separated by commas; not set: the embedded engine.",
    )
    qdrant_api_key: SecretStr | None = Field(default=None, description="Key for the Qdrant server.")
    qdrant_collection: CollectionName = Field(
        default="physical-ai-textbook-v1",
        description="Name under which the book is searched; editions are swapped behind it.",
    )
    qdrant_grpc_port: int | None = Field(
        default=None, ge=1, le=65_535, description="Port for gRPC; where this is not set, REST is spoken."
    )
    qdrant_request_seconds: int = Field(
        default=10, ge=1, le=600, description="Time for one request of an ingest. Readers wait for less."
    )
    qdrant_shards: int | None = Field(
        default=None, ge=1, le=1000, description="Shards of an edition; not set: as the server says."
    )
    qdrant_replication_factor: int = Field(default=1, ge=1, le=100, description="Copies of each shard.")
    qdrant_write_consistency_factor: int = Field(
        default=1, ge=1, le=100, description="Copies that must confirm what an ingest writes."
    )
    qdrant_read_consistency: Literal["majority", "quorum", "all"] | None = Field(
        default=None, description="Copies that must agree on what is read; not set: one is enough."
    )
    qdrant_vectors_on_disk: bool = Field(default=False, description="Whether vectors stay on disk.")
    qdrant_payload_on_disk: bool = Field(default=True, description="Whether texts stay on disk.")
    qdrant_quantization: Literal["none", "int8", "binary"] = Field(
        default="none",
        description="Form of the vectors that are searched first; the best are scored by the whole ones.",
    )
    qdrant_oversampling: float = Field(
        default=2.0, ge=1, le=100, description="How many times more of these are scored by the whole vectors."
    )
    qdrant_hnsw_m: int | None = Field(
        default=None, ge=4, le=256, description="Edges of a node of the HNSW graph; not set: as the server says."
    )
    qdrant_hnsw_ef_construct: int | None = Field(
        default=None, ge=4, le=10_000, description="Candidates while the graph is built; not set: as the server says."
    )
    qdrant_hnsw_ef: int | None = Field(
        default=None, ge=4, le=10_000, description="Candidates while it is searched; not set: as the server says."
    )

"""The few things asked of a Qdrant server by more than one part of its adapter."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grpc import RpcError, StatusCode  # type: ignore[import-untyped]
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException

from citebook.domain.errors import VectorStoreUnavailable, VectorStoreUnreachable

PAGE = 256
_NO_ANSWER = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED)


async def scroll(
    client: AsyncQdrantClient,
    collection: str,
    wanted: models.Filter | None,
    payload: bool | list[str],
    vector: bool | list[str],
    consistency: models.ReadConsistencyType | None = None,
) -> AsyncIterator[Any]:
    offset: Any = None
    while True:
        with server_errors():
            records, offset = await client.scroll(
                collection,
                scroll_filter=wanted,
                limit=PAGE,
                offset=offset,
                with_payload=payload,
                with_vectors=vector,
                consistency=consistency,
            )
        for record in records:
            yield record
        if offset is None:
            return


def any_of(field: str, values: Sequence[str]) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))])


@contextmanager
def server_errors() -> Iterator[None]:
    try:
        yield
    except (ResponseHandlingException, OSError) as error:  # there was no answer, or none that could be read
        raise VectorStoreUnreachable(f"The Qdrant server cannot be reached: {error}") from error
    except RpcError as error:
        if error.code() in _NO_ANSWER:
            raise VectorStoreUnreachable(f"The Qdrant server cannot be reached: {error.details()}") from error
        raise VectorStoreUnavailable(f"The Qdrant server failed: {error.details()}") from error
    except (QdrantException, ApiException) as error:
        raise VectorStoreUnavailable(f"The Qdrant server failed: {error}") from error

"""Archives in any store that speaks S3, by obstore. Keys and endpoint come from the usual AWS_… variables."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from citebook.domain.errors import DependencyError, InvalidSettings
from citebook.extras import brought_by

with brought_by("s3"):
    import obstore
    from obstore.exceptions import BaseError, NotFoundError
    from obstore.store import S3Store


class S3Archive:
    def __init__(self, url: str) -> None:
        """Takes `s3://bucket/prefix`."""
        parts = urlsplit(url)
        if parts.scheme != "s3" or not parts.netloc:
            raise InvalidSettings("AUDIT_ARCHIVE must be a folder or s3://bucket/prefix")
        self._where = f"s3://{parts.netloc}{parts.path}"
        with self._failures():
            self._store = S3Store(parts.netloc, prefix=parts.path.strip("/") or None)

    async def put(self, name: str, source: Path) -> None:
        with self._failures():
            await obstore.put_async(self._store, name, source)

    async def get(self, name: str, target: Path) -> bool:
        with self._failures():
            try:
                found = await obstore.get_async(self._store, name)
            except (NotFoundError, FileNotFoundError):
                return False
            with target.open("wb") as file:
                async for part in found.stream():
                    file.write(part)
        return True

    async def delete(self, name: str) -> None:
        with self._failures(), suppress(NotFoundError, FileNotFoundError):
            await obstore.delete_async(self._store, name)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            first_line = str(error).splitlines()[0]
            raise DependencyError(f"The archive at {self._where} failed: {first_line}") from error

"""What machines with one Qdrant server and one database have in common beside them: uploads and calibrations."""

import logging
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citebook.domain.errors import DependencyError
from citebook.settings import Settings

if TYPE_CHECKING:
    from citebook.adapters.sql.database import Database
    from citebook.adapters.sql.job_leases import SqlJobLeases
    from citebook.adapters.sql.shared_folder import SqlSharedFolder

log = logging.getLogger(__name__)


def has_other_machines(settings: Settings) -> bool:
    """Whether a book may be served by several machines: its index and its records are elsewhere."""
    return settings.qdrant_url is not None and settings.database_url is not None


class Sharing:
    """Through the database. Each machine has copies in its data folder."""

    def __init__(self, settings: Settings, database: "Database") -> None:
        self._settings, self._database = settings, database

    @cached_property
    def leases(self) -> "SqlJobLeases":
        from citebook.adapters.sql.job_leases import SqlJobLeases

        return SqlJobLeases(self._database)

    @property
    def book(self) -> str:
        return self._settings.qdrant_collection

    def uploads(self, copy: Path) -> "SqlSharedFolder":
        return self._common(f"uploads/{self.book}", copy)

    async def fetch_uploads(self) -> Path | None:
        """A copy for an author's ingest, apart from the one that a server of this machine may be at work on.

        None where the database is away: uploaded chapters then stay as they are in the book.
        """
        copy = self._settings.citebook_data_dir / "uploads-of-all" / self.book
        try:
            await self.uploads(copy).pull()
        except DependencyError as error:
            log.warning("uploaded chapters stay as they are: %s", error)
            return None
        return copy

    async def fetch_calibrations(self) -> None:
        """Those of all books. Where the database is away, a server starts with those that it had last."""
        for collection in (self.book, *self._settings.books.values()):
            try:
                await self._calibrations(collection).pull()
            except DependencyError as error:
                log.warning("the calibration of %s is the one that this machine had last: %s", collection, error)

    async def give_calibrations(self) -> None:
        """Those of this book, to all."""
        await self._calibrations(self.book).push()

    def _calibrations(self, collection: str) -> "SqlSharedFolder":
        name = f"calibrations/{collection}"
        return self._common(name, self._settings.citebook_data_dir / name)

    def _common(self, name: str, copy: Path) -> "SqlSharedFolder":
        from citebook.adapters.sql.shared_folder import SqlSharedFolder

        return SqlSharedFolder(self._database, name, copy)

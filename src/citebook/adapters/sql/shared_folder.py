"""A folder that several machines share through their database. Each of them has a copy on its disk."""

import asyncio
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import shared_files
from citebook.whole_files import write_whole

_MARK = ".shared"
"""A file that says that a folder has been a copy of the common one: what is in it alone is no news then."""
_SHARED_WITH_A_DOT = ".jobs"

Listing = dict[str, str]
"""SHA-256 by path."""


class SqlSharedFolder:
    """`SharedFolder` as rows. Names that begin with a dot are a machine's own, but for those of upload jobs."""

    def __init__(self, database: Database, name: str, copy: Path) -> None:
        self._database, self._name, self._copy = database, name, copy
        self._is_own = shared_files.c.folder == name
        self._pulled: Listing = {}
        """What all had when we looked last: what they have got since is not ours to remove."""
        self._digests: dict[Path, tuple[tuple[int, int], str]] = {}
        """Of the copy's files, with the time and size at which they were read."""

    @uninterrupted
    async def read(self, path: str) -> bytes | None:
        query = select(shared_files.c.content).where(self._is_own, shared_files.c.path == path)
        async with self._database.transaction("read") as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    @uninterrupted
    async def add(self, files: Mapping[str, bytes]) -> None:
        async with self._database.transaction("write") as connection:
            await self._keep(connection, files)

    @uninterrupted
    async def pull(self) -> None:
        common, own = await self._listed(), await asyncio.to_thread(self._own)
        if own and not (self._copy / _MARK).exists():
            await self._give(own.keys() - common.keys())
            common = await self._listed()
        if not common and not own:
            self._pulled = {}
            return
        differing = [path for path, digest in common.items() if own.get(path) != digest]
        for path in differing:
            content = await self.read(path)
            if content is not None:
                await asyncio.to_thread(self._write, path, content)
        await asyncio.to_thread(self._remove, own.keys() - common.keys())
        await asyncio.to_thread(write_whole, self._copy / _MARK, b"")
        self._pulled = common

    @uninterrupted
    async def push(self, under: str = "") -> None:
        own, before = _under(under, await asyncio.to_thread(self._own)), _under(under, self._pulled)
        changed = [path for path, digest in own.items() if before.get(path) != digest]
        files = {path: await asyncio.to_thread((self._copy / path).read_bytes) for path in changed}
        async with self._database.transaction("write") as connection:
            await self._keep(connection, files)
            gone = shared_files.c.path.in_(before.keys() - own.keys())
            await connection.execute(delete(shared_files).where(self._is_own, gone))
        others = {path: digest for path, digest in self._pulled.items() if path not in before}
        self._pulled = others | own

    async def _give(self, paths: set[str]) -> None:
        files = {path: await asyncio.to_thread((self._copy / path).read_bytes) for path in sorted(paths)}
        async with self._database.transaction("write") as connection:
            await self._keep(connection, files)

    async def _listed(self) -> Listing:
        query = select(shared_files.c.path, shared_files.c.sha256).where(self._is_own)
        async with self._database.transaction("read") as connection:
            return {row.path: row.sha256 for row in await connection.execute(query)}

    async def _keep(self, connection: AsyncConnection, files: Mapping[str, bytes]) -> None:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        for path, content in files.items():
            row = {"folder": self._name, "path": path, "sha256": _digest(content), "content": content}
            keeping = insert(shared_files).values(**row, changed_at=datetime.now(UTC))
            await connection.execute(keeping.on_conflict_do_update(index_elements=["folder", "path"], set_=row))

    def _own(self) -> Listing:
        """What this machine's copy has to share."""
        files = (path for path in self._copy.rglob("*") if path.is_file())
        named = ((path, path.relative_to(self._copy)) for path in files)
        return {name.as_posix(): self._digest_of(path) for path, name in named if _is_shared(name)}

    def _digest_of(self, path: Path) -> str:
        found = path.stat()
        state = (found.st_mtime_ns, found.st_size)
        if self._digests.get(path, (None,))[0] != state:
            self._digests[path] = state, _digest(path.read_bytes())
        return self._digests[path][1]

    def _write(self, path: str, content: bytes) -> None:
        target = self._copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)

    def _remove(self, paths: set[str]) -> None:
        for path in paths:
            (self._copy / path).unlink(missing_ok=True)
        folders = sorted((path for path in self._copy.rglob("*") if path.is_dir()), reverse=True)
        for folder in folders:  # the deepest first
            if not any(folder.iterdir()):
                folder.rmdir()


def _is_shared(name: Path) -> bool:
    return all(not part.startswith(".") or part == _SHARED_WITH_A_DOT for part in name.parts)


def _under(start: str, listing: Listing) -> Listing:
    return {path: digest for path, digest in listing.items() if path.startswith(start)}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

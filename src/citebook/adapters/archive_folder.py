"""Archives in a folder."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citebook.domain.errors import DependencyError
from citebook.whole_files import whole_file


class FolderArchive:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, source: Path) -> None:
        with _file_failures(self._folder):
            await asyncio.to_thread(self._put, name, source)

    def _put(self, name: str, source: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with source.open("rb") as read, whole_file(self._folder / name) as written:
            shutil.copyfileobj(read, written)

    async def get(self, name: str, target: Path) -> bool:
        with _file_failures(self._folder):
            try:
                await asyncio.to_thread(shutil.copyfile, self._folder / name, target)
            except FileNotFoundError:
                return False
        return True

    async def delete(self, name: str) -> None:
        with _file_failures(self._folder):
            await asyncio.to_thread((self._folder / name).unlink, missing_ok=True)


@contextmanager
def _file_failures(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DependencyError(f"The archive in {folder} failed: {error.strerror or error}") from error

"""Editions of a book as folders, and which of them answers.

    ROOT/CURRENT              the name of the edition that answers
    ROOT/<edition>/           edition.json, vocabulary.tsv, words.tsv, outline.json, pages.json and the engine's files
    ROOT/<edition>.building/  an edition in the making
    ROOT/ingest.lock

An edition never changes once it is published, so any number of processes may read it. A new one is swapped in by
replacing CURRENT; the one before is kept for readers who are still at work in it.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import qdrant_edge as engine
from filelock import FileLock, Timeout

from citebook.adapters.qdrant.engine import engine_errors, scroll
from citebook.adapters.qdrant.outline import read_outline
from citebook.adapters.qdrant.points import SPARSE, UNITS, found_chunk, intact_chunks, is_intact, unit_vectors
from citebook.adapters.qdrant.vocabulary import Vocabulary
from citebook.domain.book import Chunk, Edition
from citebook.domain.errors import IngestInProgress, InvalidSettings, NoSpaceLeft, VectorStoreUnavailable
from citebook.domain.evidence import FoundChunk
from citebook.domain.outline import Outline
from citebook.domain.wording import Wording
from citebook.ports import Vector, Vectors
from citebook.whole_files import flush_folder, flush_tree, make_folder, write_whole

_BUILDING = ".building"
_SPARE_BYTES = 64 * 1024 * 1024
_ATTEMPTS = 5
_CHUNKS_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class OpenEdition:
    edition: Edition
    shard: engine.EdgeShard
    vocabulary: Vocabulary
    wording: Wording
    pages: dict[str, str]
    """The file of each chunk, by its key."""
    read_chunks: dict[str, tuple[Chunk, Vectors]] = field(default_factory=dict)
    """Chunks that were looked at lately: an edition never changes, and good passages are found again and again."""

    def chunks(self, keys: Sequence[str], vector: Vector | None = None) -> dict[str, FoundChunk]:
        """The chunks of these keys; what does not prove to be the ingested text is left out."""
        known = {key: found for key in keys if (found := self.read_chunks.get(key))}
        if unread := [key for key in keys if key not in known]:
            known |= self._read(unread)
        return {key: found_chunk(*known[key], vector) for key in keys if key in known}

    def _read(self, keys: list[str]) -> dict[str, tuple[Chunk, Vectors]]:
        with engine_errors():
            records = self.shard.retrieve(list(keys), with_payload=True, with_vector=[UNITS])
        vectors = {str(record.id): unit_vectors(record) for record in records}
        read = {key: (chunk, vectors[key]) for key, chunk in intact_chunks(records)}
        if len(self.read_chunks) + len(read) > _CHUNKS_KEPT:
            self.read_chunks.clear()
        self.read_chunks.update(read)
        return read

    def is_whole(self) -> bool:
        """Whether each chunk is there as it was ingested, with its vectors."""
        intact, occurrences = set(), 0
        for record in scroll(self.shard, None, True, True):
            if is_intact(record.payload) and any(record.vector.get(UNITS, ())):
                intact.add(str(record.id))
            occurrences += len(record.vector[SPARSE].indices) if SPARSE in record.vector else 0
        return intact == self.pages.keys() and occurrences == sum(term.chunks for term in self.vocabulary)


class EditionFolders:
    def __init__(self, root: Path) -> None:
        self.root = root

    def current_name(self) -> str | None:
        try:
            return (self.root / "CURRENT").read_text().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, name: str) -> Edition:
        try:
            return self._read(name)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from error

    def _read(self, name: str) -> Edition:
        return Edition.model_validate_json((self.root / name / "edition.json").read_bytes())

    def _unusable(self, error: Exception) -> VectorStoreUnavailable:
        return VectorStoreUnavailable(
            f"The index in {self.root} cannot be opened: {error}. Check that its disk has space. A damaged index is "
            "made anew by: citebook ingest PATH. Where that says the same, delete that folder first."
        )

    def read_outline(self, name: str) -> Outline:
        file = self.root / name / "outline.json"
        try:
            return read_outline(file.read_bytes() if file.exists() else b"", name)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from error

    def open(self, name: str) -> OpenEdition:
        """An edition that is not the current one any more; the one before it is kept."""
        try:
            return self._open(name)
        except (OSError, ValueError) as error:
            raise self._unusable(error) from error

    def open_current(self) -> OpenEdition:
        """Two quick publications may remove the edition that was current a moment ago: then look again."""
        for _ in range(_ATTEMPTS):
            try:
                return self._open(self.current_name() or "")
            except (OSError, ValueError, VectorStoreUnavailable) as error:
                failure = error
        raise self._unusable(failure) from failure

    def _open(self, name: str) -> OpenEdition:
        folder = self.root / name
        edition = self._read(name)
        edition.check_searchable()
        shard = _load(folder / "shard")
        vocabulary = Vocabulary((folder / "vocabulary.tsv").read_bytes(), edition.chunk_count)
        pages = json.loads((folder / "pages.json").read_bytes())
        by_key = {key: page for page, keys in pages.items() for key in keys}
        return OpenEdition(edition, shard, vocabulary, _wording(folder, edition.language), by_key)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One ingest of a book at a time; what a killed one left behind is cleared away."""
        lock = FileLock(self.root / "ingest.lock", blocking=False)
        try:
            make_folder(self.root)
            lock.acquire()
        except Timeout:
            raise IngestInProgress(
                "An ingest of this book is already in progress. Wait for it to end, then run this again."
            ) from None
        except OSError as error:
            raise InvalidSettings(
                f"{self.root} cannot be written to ({error.strerror}). Name another place with --data-dir."
            ) from error
        try:
            for folder in self.root.glob(f"*{_BUILDING}"):
                shutil.rmtree(folder, ignore_errors=True)
            yield
        finally:
            lock.release()

    def new(self, name: str) -> Path:
        folder = self.root / f"{name}{_BUILDING}"
        (folder / "shard").mkdir(parents=True)
        return folder

    def publish(
        self, folder: Path, edition: Edition, lists: Mapping[str, bytes], pages: Mapping[str, Sequence[str]]
    ) -> None:
        """Once this returns, not even a power cut undoes it or leaves half of it. Lists are by their files' names."""
        for name, content in lists.items():
            (folder / name).write_bytes(content)
        (folder / "pages.json").write_text(json.dumps(pages))
        (folder / "edition.json").write_text(edition.model_dump_json(), encoding="utf-8")
        flush_tree(folder)
        folder.rename(self.root / edition.name)
        flush_folder(self.root)
        kept = {edition.name, self.current_name()}
        write_whole(self.root / "CURRENT", edition.name)
        for other in self.root.iterdir():
            if other.is_dir() and other.name not in kept:
                shutil.rmtree(other, ignore_errors=True)

    def check_space(self, needed: int) -> None:
        """The engine writes through memory maps, where a full disk would kill the process: so ask before."""
        free = shutil.disk_usage(self.root).free
        if free < needed + _SPARE_BYTES:
            raise NoSpaceLeft(
                f"The disk that holds {self.root} has {free // 2**20} MB left, too little for a new edition of the "
                "index. Free some space, or name another place with --data-dir. The old edition answers on."
            )


def _wording(folder: Path, language: str) -> Wording:
    file = folder / "words.tsv"
    return Wording(folder.name, file.read_bytes() if file.exists() else b"", language)


def _load(folder: Path) -> engine.EdgeShard:
    """The engine writes its configuration anew whenever it opens a shard; where it cannot, it does so elsewhere."""
    try:
        with engine_errors():
            return engine.EdgeShard.load(str(folder))
    except VectorStoreUnavailable:
        with tempfile.TemporaryDirectory(prefix="citebook-") as elsewhere, engine_errors():
            shutil.copy(folder / "edge_config.json", elsewhere)
            (Path(elsewhere) / "segments").symlink_to(folder.resolve() / "segments")
            return engine.EdgeShard.load(elsewhere)

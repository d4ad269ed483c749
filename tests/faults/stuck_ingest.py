"""`python -m tests.faults.stuck_ingest MARKER BOOK DATA`: an ingest that stays in the middle of embedding for ever.

It embeds one file, writes it into the new edition, makes the file MARKER, and never comes back from the second.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from citebook.ingestion import indexing
from citebook.ports import Vectors
from citebook.root import wiring
from citebook.root.citebook import Citebook
from citebook.settings import read_settings
from tests.fakes import WordEmbedder


class StuckEmbedder(WordEmbedder):
    def __init__(self, marker: Path) -> None:
        super().__init__()
        self._marker = marker

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.embedded:
            self._marker.touch()
            await asyncio.Event().wait()
        return await super().embed_passages(texts)


async def ingest(book: Path, data: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=data)) as citebook:
        await citebook.ingest.run(book, progress=lambda _report: None)


if __name__ == "__main__":
    marker, book, data = map(Path, sys.argv[1:])
    indexing.CHUNKS_AT_ONCE = 1
    wiring.embedder_of = lambda *_given: StuckEmbedder(marker)
    asyncio.run(ingest(book, data))

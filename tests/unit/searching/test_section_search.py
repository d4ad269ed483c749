"""What a search for sections reads, and when."""

from citebook.domain.outline import Outline
from citebook.searching.section_search import SectionSearch
from tests.fakes import WORKERS, ListIndex, make_chunk


class CountingIndex(ListIndex):
    """Knows how often its outline was read."""

    outlines_read = 0

    async def outline(self) -> Outline:
        self.outlines_read += 1
        return await super().outline()


async def test_a_search_that_was_prepared_reads_no_outline() -> None:
    index = CountingIndex(chunks=[make_chunk("Gears turn.")])
    search = SectionSearch(index, WORKERS)
    await search.prepare()
    assert index.outlines_read == 1
    await search.find("gea", 3)
    assert index.outlines_read == 1

"""A book in another language than English, from its files to an answer."""

from pathlib import Path

import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.answer import Answer, Outcome
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters, Policy, Question
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest
from citebook.pacing.turns import Turns
from citebook.root.wiring import agent_of
from citebook.searching.ranking import Weights
from citebook.settings import read_settings
from tests.fakes import WORKERS, WordEmbedder

EVERYTHING = Policy(refuse_below=0, warn_below=0)
PAGES = {
    "getriebe.md": "# Getriebe\n\nEin Wellgetriebe hat kein Spiel. Es hat z.B. drei Teile. Planetengetriebe sind "
    "billiger.\n",
    "regelung.md": "# Regelung\n\nEine Regelung vergleicht den Sollwert mit dem Istwert. Häuser werden gekühlt.\n",
}


class Shelf:
    """A German book, and what is needed to ingest and to ask it."""

    def __init__(self, root: Path) -> None:
        self.docs, self.index, self.embedder = root / "docs", EmbeddedQdrant(root / "index", WORKERS), WordEmbedder()
        self._settings = read_settings(citebook_data_dir=root / "data")
        self.docs.mkdir()
        (root / "docusaurus.config.js").write_text("export default { i18n: { defaultLocale: 'de' } };")
        for name, text in PAGES.items():
            (self.docs / name).write_text(text, encoding="utf-8")

    async def ingest(self, language: str | None = None) -> str:
        """The language of the edition that it makes."""
        rules = ChunkingRules(max_tokens=self.embedder.stamp.max_tokens)
        await Ingest(self.index, self.embedder, rules, "/docs", language=language).run(
            self.docs, progress=lambda _report: None
        )
        return (await self.index.edition()).language

    async def answer(self, text: str) -> Answer:
        agent = agent_of(self._settings, self.embedder, self.index, WORKERS, Turns(4))
        return (await agent.answer(Question(text=text, policy=EVERYTHING))).answer

    async def found_by_words(self, text: str) -> QueryResult:
        search = QdrantRetrievalAgent(self.embedder, self.index, Weights(), WORKERS)
        return await search.retrieve(text, Filters(), 1, by_words_only=True)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


async def test_a_german_book_is_found_by_german_stems(shelf: Shelf) -> None:
    assert await shelf.ingest() == "de"
    found = await shelf.found_by_words("das gekühlte Haus")
    assert found.language == "de"
    assert found.missing_terms == frozenset()
    assert found.retrieved_chunks[0].chunk.place.source_file == "regelung.md"


async def test_a_german_question_is_answered_with_whole_german_sentences(shelf: Shelf) -> None:
    await shelf.ingest()
    answer = await shelf.answer("Was ist ein Wellgetriebe und wie viele Teile hat es?")
    assert answer.outcome is Outcome.ANSWERED
    assert any("drei Teile" in claim.text for claim in answer.claims)
    assert all(claim.text.endswith(("Spiel.", "Teile.", "billiger.")) for claim in answer.claims)
    assert not answer.calibrated


async def test_the_setting_counts_more_than_what_the_book_says(shelf: Shelf) -> None:
    assert await shelf.ingest("en") == "en"
    reply = await shelf.answer("Was ist ein Wellgetriebe?")
    assert reply.text == "This book is in English. Please ask your question in English."


async def test_a_change_of_language_reads_the_book_again(shelf: Shelf) -> None:
    await shelf.ingest("en")
    assert await shelf.ingest() == "de"
    assert (await shelf.found_by_words("das gekühlte Haus")).missing_terms == frozenset()

"""A book in another language than English, from its files to an answer."""

from pathlib import Path

from citebook.domain.answer import Outcome
from citebook.domain.question import Filters, Policy, Question
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

EVERYTHING = Policy(refuse_below=0, warn_below=0)
PAGES = {
    "getriebe.md": "# Getriebe\n\nEin Wellgetriebe hat kein Spiel. Es besteht z.B. aus drei Teilen. Planetengetriebe "
    "sind billiger und haben etwas Spiel.\n",
    "regelung.md": "# Regelung\n\nEine Regelung vergleicht den Sollwert mit dem Istwert. Die Häuser der Messfühler "
    "werden gekühlt.\n",
}


def write_german_book(root: Path) -> Path:
    docs = root / "docs"
    docs.mkdir()
    (root / "docusaurus.config.js").write_text("export default { i18n: { defaultLocale: 'de' } };")
    for name, text in PAGES.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


async def test_a_german_book_is_searched_by_german_stems(tmp_path: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=tmp_path / "data")) as citebook:
        await citebook.ingest.run(write_german_book(tmp_path), progress=lambda _report: None)
        assert (await citebook.index().edition()).language == "de"
        by_words = await citebook.retrieval().retrieve("gekühltes Haus", Filters(), 1, by_words_only=True)
        assert by_words.language == "de"
        assert by_words.retrieved_chunks[0].chunk.place.source_file == "regelung.md"


async def test_a_german_question_is_answered_with_whole_german_sentences(tmp_path: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=tmp_path / "data")) as citebook:
        await citebook.ingest.run(write_german_book(tmp_path), progress=lambda _report: None)
        agent = (await citebook.ready_book()).agent
        ended = await agent.answer(Question(text="Hat ein Wellgetriebe Spiel?", policy=EVERYTHING))
        assert ended.answer.outcome is Outcome.ANSWERED
        assert "Ein Wellgetriebe hat kein Spiel." in ended.answer.text
        assert not ended.answer.calibrated


async def test_a_change_of_language_reads_the_book_again(tmp_path: Path) -> None:
    docs = write_german_book(tmp_path)
    data = tmp_path / "data"
    async with Citebook(read_settings(citebook_data_dir=data)) as citebook:
        await citebook.ingest.run(docs, progress=lambda _report: None)
    async with Citebook(read_settings(citebook_data_dir=data, book_language="en")) as citebook:
        await citebook.ingest.run(docs, progress=lambda _report: None)
        assert (await citebook.index().edition()).language == "en"

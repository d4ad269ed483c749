"""Where in the book something is told."""

from citebook.domain.book import Chunk
from citebook.outlining.finding import Found, find_sections
from tests.fakes import ENGLISH, chunks_of_page, evidence_of


def page_of(source: str, file: str = "page.md") -> Chunk:
    (chunk,) = chunks_of_page(source)
    return chunk.model_copy(update={"place": chunk.place.model_copy(update={"source_file": file})})


def found(topic: str, *chunks: Chunk, most: int = 5) -> Found | None:
    return find_sections(topic, evidence_of(*chunks, question=topic), ENGLISH, most)


MACROS = page_of("## Macros\n\nWe have used some of them. A macro writes code. What is a macro?", "macros.md")
TRAITS = page_of("## Traits\n\nA trait is no macro, but a promise.", "traits.md")
TESTS = page_of("## Tests\n\nTests run.", "tests.md")


def test_a_section_that_is_called_so_comes_first_with_a_line_that_tells() -> None:
    told = found("macros", TRAITS, MACROS)
    assert told is not None
    assert [claim.text for claim in told.claims] == ["A macro writes code.", "A trait is no macro, but a promise."]
    assert all(claim.headed for claim in told.claims)


def test_sections_that_have_little_of_the_topic_are_left_out() -> None:
    told = found("macros", MACROS, TESTS)
    assert told is not None
    assert [claim.chunk_id for claim in told.claims] == [MACROS.id]


def test_a_heading_with_much_of_the_topic_is_enough() -> None:
    section = page_of("## Multi-robot launch\n\nThis file does it.", "launch.md")
    told = found("launching several robots at the same time", section)
    assert told is not None
    assert [claim.chunk_id for claim in told.claims] == [section.id]


def test_a_topic_that_the_book_does_not_have_is_nowhere() -> None:
    assert found("photosynthesis", MACROS, TRAITS, TESTS) is None
    assert found("macros") is None


def test_exercises_are_no_place_to_learn() -> None:
    assert found("macros", page_of("## Exercises\n\nWrite a macro.")) is None


def test_no_page_takes_all_places() -> None:
    chunks = chunks_of_page("\n\n".join(f"## Macros {number}\n\nMacro {number} writes code." for number in range(4)))
    told = found("macros", *chunks)
    assert told is not None
    assert len(told.claims) == 2
    assert found("macros", *chunks, most=1) == told._replace(claims=told.claims[:1])


def test_each_page_of_a_source_that_has_pages_is_a_place() -> None:
    (chunk,) = chunks_of_page("## Macros\n\nA macro writes code.")
    pages = [
        chunk.model_copy(update={"id": f"{page:064x}", "page_start": page, "page_end": page}) for page in range(4)
    ]
    told = found("macros", *pages)
    assert told is not None
    assert [claim.chunk_id for claim in told.claims] == [page.id for page in pages]

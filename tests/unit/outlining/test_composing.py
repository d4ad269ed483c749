"""What the guide says of a book and its parts."""

from citebook.domain.book import Part
from citebook.domain.outline import Outline, OutlinePage, OutlineSection, Place
from citebook.outlining.asking import AboutBook, AboutPart, AboutTopic, BookQuestion, ListOf, Where
from citebook.outlining.composing import Composed, Composer
from citebook.outlining.structure import BookStructure
from tests.fakes import ENGLISH


def place(name: str, first: int = 0, last: int = 0) -> Place:
    return Place(name, first, last)


def page(file: str, title: str, *parts: Part, sections: tuple[OutlineSection, ...] = (), **more: str) -> OutlinePage:
    opening = OutlineSection(title, 0, opening=place(title))
    return OutlinePage(file, file, title, parts, sections=(opening, *sections), **more)  # type: ignore[arg-type]


def composed(asked: BookQuestion, *pages: OutlinePage) -> Composed | None:
    return Composer(BookStructure(Outline("first", pages), ENGLISH), ENGLISH).compose(asked)


MODULE_1 = Part(name="Module 1: Bodies", folder="module-1-bodies", number=1)
MODULE_2 = Part(name="Module 2: Minds", folder="module-2-minds", number=2)
BOOK = (
    page("intro.md", "About this book", sections=(OutlineSection("Who this book is for", 1, place("audience")),)),
    page("module-1-bodies/chapter-1-legs.md", "Legs", MODULE_1, description="Walking and balance."),
    page("module-1-bodies/chapter-2-hands.md", "Hands", MODULE_1),
    page("module-2-minds/chapter-1-eyes.md", "Eyes", MODULE_2),
)


def test_the_book_is_introduced_by_its_parts_and_its_opening_page() -> None:
    said = composed(AboutBook(), *BOOK)
    assert said is not None
    assert said.introduction == "The book has 2 modules: Module 1: Bodies; Module 2: Minds."
    assert said.places == (place("About this book"),)


def test_parts_that_say_what_they_tell_are_quoted_with_the_book() -> None:
    announced = OutlineSection("Legs", 0, opening=place("Legs"), announcement=place("Here we walk"))
    legs = OutlinePage("legs", "module-1-bodies/chapter-1-legs.md", "Legs", (MODULE_1,), sections=(announced,))
    said = composed(AboutBook(), BOOK[0], legs, BOOK[3])
    assert said is not None
    assert said.places == (place("About this book"), place("Here we walk"))


def test_what_stands_before_the_first_part_is_no_part() -> None:
    before = Part(name="Introduction", folder="00-introduction", number=0)
    parts = [Part(name=name, folder=name.lower(), number=number) for number, name in enumerate(("Legs", "Eyes"), 1)]
    said = composed(
        ListOf("part"), page("0.md", "About", before), *(page(f"{part.folder}.md", part.name, part) for part in parts)
    )
    assert said is not None
    assert said.introduction == "The book has 2 parts: Legs; Eyes."


def test_of_pages_that_share_a_title_none_opens_the_book_or_is_named() -> None:
    openings = [page(f"{number}.md", "Introduction") for number in range(3)]
    said = composed(AboutBook(), *openings, page("a.md", "What Is Memory?"), page("b.md", "Sleep"))
    assert said is not None
    assert said.introduction == "The book has 5 pages: What Is Memory?; Sleep."
    assert said.places == (place("What Is Memory?"),)


def test_a_page_that_the_book_does_not_number_is_told_without_a_number() -> None:
    said = composed(AboutTopic("sleep"), page("a.md", "What Is Memory?"), page("b.md", "Sleep"))
    assert said is not None
    assert said.introduction == "Sleep:"


def test_a_book_of_pages_with_one_folder_among_them_is_told_by_its_pages() -> None:
    alone = [page(f"{title}.md", title) for title in ("Legs", "Hands", "Eyes")]
    said = composed(AboutBook(), *alone, page("more/ears.md", "Ears", Part(name="more", folder="more")))
    assert said is not None
    assert said.introduction == "The book has 4 pages: Legs; Hands; Eyes; Ears."


def test_a_bonus_unit_is_not_the_unit_of_its_number() -> None:
    unit, bonus = Part(name="Unit 2. Tools"), Part(name="Bonus Unit 2. Evaluation")
    said = composed(AboutPart("unit", 2, 2), page("a.md", "Tools", unit), page("b.md", "Traces", bonus))
    assert said is not None
    assert said.places == (place("Tools"),)


def test_an_overview_of_a_topic_does_not_open_the_book() -> None:
    said = composed(AboutBook(), page("01-plants.md", "Overview of Photosynthesis"), page("00-preface.md", "Preface"))
    assert said is not None
    assert said.places == (place("Preface"),)


def test_a_guide_that_no_chapter_is_called_after_is_the_book() -> None:
    about_migrating = page("migrating.md", "Migration")
    assert composed(AboutTopic("robotics", or_book=True), *BOOK) == composed(AboutBook(), *BOOK)
    said = composed(AboutTopic("migration", or_book=True), *BOOK, about_migrating)
    assert said is not None
    assert said.places == (place("Migration"),)


def test_a_word_in_many_titles_is_the_name_of_the_book() -> None:
    pages = [page(f"{number}.md", f"Robotics {number}") for number in range(3)]
    assert composed(AboutTopic("robotics", or_book=True), *pages) == composed(AboutBook(), *pages)


def test_whom_the_book_is_for_is_told_where_that_is_asked() -> None:
    said = composed(AboutBook(asks_audience=True), *BOOK)
    assert said is not None
    assert place("audience") in said.places


def test_chapters_are_counted_in_their_modules() -> None:
    said = composed(ListOf("chapter"), *BOOK)
    assert said == Composed("The book has 3 chapters in 2 modules: Legs; Hands; Eyes.", (place("About this book"),))


def test_what_each_is_about_is_told_where_that_is_asked() -> None:
    said = composed(ListOf("module", tells_of_each=True), *BOOK)
    assert said is not None
    assert said.places[:2] == (place("Legs"), place("Eyes"))


def test_what_cannot_be_counted_is_not() -> None:
    weeks = [page(f"week-{number}.md", f"W{number}") for number in (1, 3, 4)]
    assert composed(ListOf("week"), *weeks) is None


def test_of_many_pages_without_a_number_none_is_the_third_chapter() -> None:
    pages = [page(f"m{number}.md", f"Page {chr(65 + number)}") for number in range(45)]
    assert composed(AboutPart("chapter", 3, 3), *pages[:20]) is not None
    assert composed(AboutPart("chapter", 3, 3), *pages) is None


def test_a_module_is_told_by_its_chapters() -> None:
    said = composed(AboutPart("module", 1, 1), *BOOK)
    assert said == Composed("Module 1: Bodies (2 chapters): Legs; Hands.", (place("Legs"), place("Hands")))


def test_a_chapter_of_several_numbers_is_all_of_them() -> None:
    said = composed(AboutPart("chapter", 1, 1), *BOOK)
    assert said is not None
    assert said.introduction == "Chapter 1 (2 chapters): Legs; Eyes."


def test_a_chapter_of_one_page_is_told_by_its_sections() -> None:
    sections = (
        OutlineSection("Knees", 1, place("knees", 2, 6)),
        OutlineSection("Exercises", 1),
        OutlineSection("Summary", 1, place("sum"), is_summary=True),
    )
    legs = page("chapter-4-legs.md", "Legs", sections=sections)
    said = composed(AboutPart("chapter", 4, 4), legs)
    assert said == Composed("Chapter 4: Legs (1 section): Knees.", (place("Legs"), place("knees", 2, 3)))
    summed_up = composed(AboutPart("chapter", 4, 4, wants_summary=True), legs)
    assert summed_up is not None
    assert summed_up.places[0] == place("sum")


def test_folders_without_a_word_for_what_they_are_are_chapters_by_their_numbers() -> None:
    cells = Part(name="Cells", folder="04-cells", number=4)
    pages = [page("04-cells/01-cells.md", "Cells", cells), page("04-cells/02-walls.md", "Walls", cells)]
    said = composed(AboutPart("chapter", 4, 4), *pages)
    assert said is not None
    assert said.introduction == "Chapter 4: Cells (2 sections): Cells; Walls."
    assert composed(AboutPart("chapter", 5, 5), *pages) is None


def test_files_may_abbreviate_the_word() -> None:
    pages = [page("ch04-00-ownership.md", "Ownership"), page("ch04-01-moves.md", "Moves")]
    said = composed(AboutPart("chapter", 4, 4), *pages)
    assert said is not None
    assert said.introduction == "Chapter 4: Ownership (2 sections): Ownership; Moves."


def test_a_page_of_exercises_on_several_chapters_is_none_of_them() -> None:
    solutions = tuple(OutlineSection(f"Chapter {number}", 1, opening=place("solved")) for number in (3, 4))
    exercises = OutlinePage("m1.md", "m1.md", "Review Exercises", sections=solutions)
    titled = page("m2.md", "Review Exercises (Ch 3-13)")
    legs = page("m3.md", "Chapter 2: Legs")
    assert composed(AboutPart("chapter", 3, 3), exercises, titled, legs) is None


def test_of_parts_with_one_number_that_of_the_named_tutorial_is_told() -> None:
    tutorials = Part(name="Tutorials", folder="tutorials")
    pages = [
        page(f"tutorials/{name}/part-6-{what}.md", f"Redux {name.title()}, Part 6: {what.title()}", tutorials)
        for name, what in (("essentials", "speed"), ("fundamentals", "waiting"))
    ]
    said = composed(AboutPart("part", 6, 6, within="fundamentals"), *pages)
    assert said is not None
    assert said.introduction.startswith("Redux Fundamentals, Part 6: Waiting")


def test_numbered_folders_are_sections_where_nothing_else_is_called_so() -> None:
    cloud, rest = Part(name="Cloud", folder="5-cloud", number=5), Part(name="Examples", folder="examples")
    pages = [
        page("5-cloud/README.md", "Cloud", cloud),
        page("6-wild/README.md", "Wild", cloud),
        page("e.md", "E", rest),
    ]
    said = composed(AboutPart("section", 5, 5), *pages, page("4/a.md", "A", Part(name="Life", folder="4", number=4)))
    assert said is not None
    assert said.introduction.startswith("Section 5: Cloud")


def test_weeks_are_pages_of_that_number() -> None:
    pages = [page(f"week-{week}-lesson-{lesson}.md", f"{week}/{lesson}") for week in (1, 2, 10) for lesson in (1, 2)]
    said = composed(AboutPart("week", 1, 2), *pages)
    assert said is not None
    assert said.introduction == "Week 1, Week 2 (4 pages): 1/1; 1/2; 2/1; 2/2."


def test_a_chapter_is_found_by_its_topic() -> None:
    said = composed(AboutTopic("hands"), *BOOK)
    assert said is not None
    assert said.places == (place("Hands"),)
    described = composed(AboutTopic("walking"), *BOOK)
    assert described is not None
    assert described.places == (place("Legs"),)
    assert composed(AboutTopic("photosynthesis"), *BOOK) is None
    assert composed(AboutTopic("hands clapping"), *BOOK) is None


def test_what_goes_on_is_quoted_as_one() -> None:
    opening = OutlineSection("Legs", 0, opening=place("x", 1, 2), announcement=place("x", 3, 3))
    legs = OutlinePage("a", "chapter-1.md", "Legs", sections=(opening,))
    said = composed(AboutPart("chapter", 1, 1), legs)
    assert said is not None
    assert said.places == (place("x", 1, 3),)


def test_a_book_without_an_outline_tells_nothing() -> None:
    assert composed(AboutBook()) is None
    assert composed(Where("legs"), *BOOK) is None


def test_very_many_titles_are_cut_short() -> None:
    pages = [page(f"{number}.md", f"Page number {number}") for number in range(100)]
    said = composed(AboutBook(), *pages)
    assert said is not None
    assert said.introduction.endswith("Page number 19; and 80 more.")

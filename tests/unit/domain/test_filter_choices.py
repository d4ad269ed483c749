"""What a book can be searched by, and what it has not."""

import pytest

from citebook.domain.book import Chapter, Part
from citebook.domain.filter_choices import FilterChoices
from citebook.domain.question import Filters


def chapter(**facts: object) -> Chapter:
    return Chapter.model_validate({"id": "a", "title": "A", "sections": (), "url": "/a", **facts})


CHOICES = FilterChoices.of(
    [
        chapter(),
        chapter(module=2, parts=(Part(name="Module 2: Simulation"), Part(name="Gazebo")), tags=("gazebo", "ros")),
        chapter(module=2, parts=(Part(name="Other"),), difficulty="advanced", tags=("ros",)),
        chapter(module=3, category="Control", difficulty="beginner"),
    ]
)


def test_choices_stand_in_the_order_of_the_book_each_once() -> None:
    assert CHOICES.modules == {2: "Module 2: Simulation", 3: "Control"}
    assert CHOICES.difficulties == ("advanced", "beginner")
    assert CHOICES.tags == ("gazebo", "ros")


@pytest.mark.parametrize(
    ("title", "number"),
    [("Module 2: Simulation", 2), ("simulation", 2), (" CONTROL ", 3), ("module-2:-simulation", 2)],
)
def test_a_module_is_found_by_its_title(title: str, number: int) -> None:
    assert CHOICES.numbered(Filters(part=title, difficulty="advanced")) == Filters(
        module=number, difficulty="advanced"
    )


@pytest.mark.parametrize("name", ["03-part-3-walking", "part-3-walking", "Part-3-Walking", "On Two Legs"])
def test_or_by_the_name_of_its_folder(name: str) -> None:
    choices = FilterChoices.of([chapter(module=3, parts=(Part(name="On two legs", folder="03-part-3-walking"),))])
    assert choices.numbered(Filters(part=name)) == Filters(module=3)


@pytest.mark.parametrize("title", ["Gazebo", "Module", "", "2"])
def test_other_titles_stay_what_they_are(title: str) -> None:
    filters = Filters(part=title)
    assert CHOICES.numbered(filters) == filters


@pytest.mark.parametrize("filters", [Filters(), Filters(module=3), Filters(tags=("radar", "ROS"))])
def test_a_book_lacks_nothing_that_it_has(filters: Filters) -> None:
    assert CHOICES.lacking(filters) == []


def test_what_it_lacks_is_told_with_what_it_has() -> None:
    assert CHOICES.lacking(Filters(module=7, difficulty="intermediate", tags=("radar",))) == [
        ("module: 7", "module: 2 (Module 2: Simulation), 3 (Control)"),
        ("difficulty: intermediate", "difficulty: advanced, beginner"),
        ("tags: radar", "tags: gazebo, ros"),
    ]


def test_a_book_without_any_has_none_to_tell() -> None:
    assert FilterChoices.of([chapter()]).lacking(Filters(part="Control")) == [("module: Control", "")]

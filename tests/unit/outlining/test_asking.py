"""Which questions ask about the book itself."""

import pytest

from citebook.language.languages import language_of
from citebook.outlining.asking import AboutBook, AboutPart, AboutTopic, BookQuestion, ListOf, Where, recognise
from tests.fakes import ENGLISH


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is this book about?", AboutBook()),
        ("What is Nest and what does this documentation cover?", AboutBook()),
        ("what are these docs about", AboutBook()),
        ("What is this book about and who is it for?", AboutBook(asks_audience=True)),
        ("What is this chapter about?", AboutBook()),
        ("what is this documentation about, in short?", AboutBook()),
        ("What is this documentation about, and what parts does it have?", AboutBook()),
        ("Give me an overview of the course.", AboutBook()),
        ("Can you give me the gist of what these docs cover?", AboutBook()),
        ("what main topics are in the whole textbook", AboutBook()),
        ("What does the Vite guide cover overall?", AboutTopic("vite", or_book=True)),
        ("What does chapter 22 cover?", AboutPart("chapter", 22, 22)),
        (
            "what is part 6 of the essentials tutorial about?",
            AboutPart("part", 6, 6, within="essentials"),
        ),
        ("what is section 5 of this course about?", AboutPart("section", 5, 5)),
        ("what's in module 4?", AboutPart("module", 4, 4)),
        ("What happens in weeks 8 to 10?", AboutPart("week", 8, 10)),
        ("What is the third chapter about?", AboutPart("chapter", 3, 3)),
        ("Summarise chapter 10", AboutPart("chapter", 10, 10, wants_summary=True)),
        ("What does the chapter on sensors cover?", AboutTopic("sensors")),
        ("Summarise the part on sensors for me, please.", AboutTopic("sensors", wants_summary=True)),
        ("Summarise the safety rules", AboutTopic("safety rules", wants_summary=True)),
        ("give me a short overview of gait control", AboutTopic("gait control")),
        ("Can you give me a short overview of what module 4 covers?", AboutPart("module", 4, 4)),
        ("What is the motion planning section about?", AboutTopic("motion planning")),
        ("what will I learn in the chapter on walking", AboutTopic("walking")),
        ("What do we learn in the walking unit?", AboutTopic("walking")),
        ("what's covered in bonus unit 2", AboutTopic("bonus unit 2")),
        ("Tell me about the chapter on sensors.", AboutTopic("sensors")),
        ("what topics does the ROS 2 module cover", AboutTopic("ROS 2")),
        ("Summarize the chapter about Nav2.", AboutTopic("Nav2", wants_summary=True)),
        ("What is covered in the troubleshooting page?", AboutTopic("troubleshooting")),
        ("What does the tutorials section teach?", AboutTopic("tutorials")),
        (
            "Give me a short summary of what the tutorials section teaches",
            AboutTopic("tutorials", wants_summary=True),
        ),
        ("How many chapters does the book have?", ListOf("chapter")),
        ("how many modules does it have and what is each one about", ListOf("module", tells_of_each=True)),
        ("Which chapters are there?", ListOf("chapter")),
        ("List all modules", ListOf("module")),
        ("Which topics does this book cover?", ListOf(None, tells_of_each=True)),
        ("Where do I learn about macros?", Where("macros")),
        ("Where in the docs can I find the order of guards?", Where("the order of guards")),
        ("Where in this book do I read about frames and TF2?", Where("frames and TF2")),
        ("Where can I read about Mendel and his peas?", Where("Mendel and his peas")),
        ("Where is inverse kinematics explained?", Where("inverse kinematics")),
        ("Where in the lessons are arrow functions explained?", Where("arrow functions")),
        ("Which section shows how to load a model?", Where("load a model")),
        ("Where do you explain how to record topics to a bag?", Where("how to record topics to a bag")),
        ("Which chapter explains motion planning with RRT?", Where("motion planning with RRT")),
        ("which lesson is about launch files", Where("launch files")),
        ("Which lessons explain singularities?", Where("singularities")),
        ("What page discusses passive compliance?", Where("passive compliance")),
        ("On which page is passive compliance discussed?", Where("passive compliance")),
        ("What page is SLAM on?", Where("SLAM")),
        ("what page number is the harmonic drive on?", Where("the harmonic drive")),
        ("On which page can I find the harmonic drive?", Where("the harmonic drive")),
        ("What page does the book talk about odometry?", Where("odometry")),
        ("Which part of the book covers SLAM?", Where("SLAM")),
        ("What chapter is SLAM in?", Where("SLAM")),
        ("Which chapter has the definition of torque?", Where("torque")),
        ("Show me the section about loop closure", Where("loop closure")),
        ("page about loop closure", Where("loop closure")),
        ("Is there a table of all the operators somewhere?", Where("all the operators")),
        ("Where can I find the milestones of the project?", Where("the milestones of the project")),
    ],
)
def test_questions_about_the_book_are_recognised(question: str, asked: BookQuestion) -> None:
    assert recognise(question, ENGLISH) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Where is the mitochondrion found?",
        "Where does glycolysis take place?",
        "Where is the emergency stop located?",
        "Where can you find sponges?",
        "What is a chapter?",
        "What page table is used by the MMU?",
        "What page replacement algorithm is optimal?",
        "Which page is evicted by LRU?",
        "On what page fault does the kernel panic?",
        "Which section of the small intestine absorbs iron?",
        "What page size does x86 use?",
        "What is module resolution?",
        "How many chambers does the heart have?",
        "How many weeks is the course and which projects do I have to hand in?",
        "What is the unit of torque?",
        "Which part of the cell makes energy?",
        "Which part has a planetary gear?",
        "What is part 2 of the enzyme?",
        "What does the controller cover?",
        "What does the controller explain in its log?",
        "What is covered in the warranty?",
        "What does the book say about torque?",
        "Which topics does the docs plugin publish?",
        "How do I structure a text file?",
        "Is there a difference between topics and services?",
        "?",
        "",
        "What is this book about? " * 20,
    ],
)
def test_questions_about_what_the_book_says_are_not(question: str) -> None:
    assert recognise(question, ENGLISH) is None


def test_a_language_without_such_words_has_no_such_questions() -> None:
    assert recognise("What is this book about?", language_of("fi")) is None

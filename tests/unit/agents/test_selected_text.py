"""Questions about a text that the reader selected."""

from citebook.domain.answer import Outcome
from citebook.domain.question import Question
from tests.fakes import make_chunk
from tests.unit.agents.test_orchestrator import UNSURE, Desk

GEARS = make_chunk("A harmonic drive is a gear. It has almost no backlash. Robots use it in joints.", "gears.mdx")
BELTS = make_chunk("A toothed belt is cheap and quiet. It stretches under load.", "belts.mdx")


def desk(**parts: object) -> Desk:
    return Desk(chunks=(BELTS, GEARS), writes=False, **parts)  # type: ignore[arg-type]


async def test_explaining_the_passage_alone_gives_its_key_sentence_however_unsure() -> None:
    question = Question(text="Explain this", selected_text="Bananas are yellow. Ripe ones.", only_selected_text=True)
    answer = await desk(confidence=UNSURE, refuse_below=0.5).answer(question)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.claims[0].text.startswith("Bananas are yellow.")
    assert answer.introduction is not None
    assert "language model" in answer.introduction


async def test_the_passage_alone_answers_where_it_has_a_word_of_the_question() -> None:
    asked = Question(text="How cheap is a belt?", selected_text=BELTS.text, only_selected_text=True)
    answer = await desk(confidence=UNSURE, refuse_below=0.5).answer(asked)
    assert answer.text.startswith("A toothed belt is cheap and quiet.")


async def test_the_passage_alone_refuses_where_it_has_nothing_of_the_question() -> None:
    asked = Question(text="What salary can I expect?", selected_text=BELTS.text, only_selected_text=True)
    answer = await desk(confidence=UNSURE).answer(asked)
    assert answer.outcome is Outcome.REFUSED
    assert answer.text.startswith("The selected text does not answer this.")


async def test_a_selection_of_the_book_is_explained_by_what_stands_around_it() -> None:
    answer = await desk().answer(Question(text="what does this mean?", selected_text="It has almost no backlash."))
    assert "Robots use it in joints." in answer.text
    assert "belt" not in answer.text


async def test_a_selection_that_holds_the_answer_is_all_that_is_quoted() -> None:
    answer = await desk().answer(Question(text="Is a toothed belt cheap?", selected_text=BELTS.text))
    assert {citation.source_file for citation in answer.citations} == {"belts.mdx"}


async def test_a_question_that_the_selection_has_nothing_of_is_searched_alone() -> None:
    made = desk()
    answer = await made.answer(Question(text="Which gear has no backlash?", selected_text=BELTS.text))
    assert len(made.index.searches) == 2
    assert {citation.source_file for citation in answer.citations} == {"gears.mdx"}

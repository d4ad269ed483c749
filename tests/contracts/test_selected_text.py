"""Selected text, from the wire: the passage answers, is explained and summed up, and seldom refused."""

import pytest

from tests.contracts.service import ASKING, Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("name", ["ask-selected", "academic-restricted"])
@pytest.mark.parametrize("text", ["Explain this", "What does this mean?", "Summarise this, please."])
async def test_a_passage_is_never_too_little_to_be_explained(roomy: Service, name: str, text: str) -> None:
    response = await ASKING[name].ask(roomy, text)
    assert response.status_code == 200
    assert "harmonic drive is a gear" in response.json()["answer"]


async def test_a_passage_without_a_word_of_the_question_is_too_little(roomy: Service) -> None:
    response = await ASKING["academic-restricted"].ask(roomy, "What is the capital of France?")
    assert response.json()["error"]["code"] == "PASSAGE_INSUFFICIENT"


async def test_a_selection_of_the_book_is_explained_by_its_section(roomy: Service) -> None:
    selected = "It has almost no backlash."
    answer = (await ASKING["textbook"].ask(roomy, "explain this", selected_text=selected)).json()
    assert {source["filename"] for source in answer["sources"]} == {"gears.mdx"}
    assert "bends a thin steel cup" in answer["answer"]

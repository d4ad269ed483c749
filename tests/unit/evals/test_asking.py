"""Questions as their readers ask them."""

from unittest.mock import create_autospec

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Answer, Outcome
from citebook.domain.conversation import Exchange
from citebook.domain.events import AnswerCompleted
from citebook.domain.question import Policy, Question
from citebook.evals.asking import ask
from citebook.evals.questions import LabelledQuestion


def agent_that_says_what_it_was_asked() -> RAGChatAgent:
    """Its answer to a question is that question in capitals."""
    agent = create_autospec(RAGChatAgent, instance=True)

    async def answer(question: Question, *_more: object) -> AnswerCompleted:
        text = question.text.upper()
        return AnswerCompleted(
            answer=Answer(
                question_id=question.id, outcome=Outcome.REFUSED, text=text, confidence=0, model_used="nobody"
            )
        )

    agent.answer.side_effect = answer
    return agent  # type: ignore[no-any-return]


async def asked(**fields: object) -> list[Question]:
    """All that the agent was asked, in order."""
    agent = agent_that_says_what_it_was_asked()
    heard = await ask(agent, LabelledQuestion.model_validate(fields), Policy(top_k=3))
    assert heard.answer.text == str(fields["question"]).upper()
    return [call.args[0] for call in agent.answer.call_args_list]  # type: ignore[attr-defined]


async def test_earlier_questions_are_asked_first_in_one_conversation() -> None:
    first, second, last = await asked(question="and the third?", history=["the first?", "the second?"])
    one, two = (Exchange(question=text, answer=text.upper()) for text in ("the first?", "the second?"))
    assert (first.history, second.history, last.history) == ((), (one,), (one, two))


async def test_what_was_selected_goes_with_the_question_alone() -> None:
    before, last = await asked(question="why?", history=["what?"], selected="A passage.")
    assert (before.selected_text, last.selected_text) == (None, "A passage.")
    assert not last.only_selected_text


async def test_the_rules_hold_for_all_questions() -> None:
    assert [question.policy.top_k for question in await asked(question="b", history=["a"])] == [3, 3]

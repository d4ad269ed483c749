"""The prompt: what a model is told, and that nothing it is shown can pretend to be a rule."""

from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from citebook.domain.book import Chunk
from citebook.domain.conversation import Exchange
from citebook.domain.question import Question
from citebook.writing import fencing
from citebook.writing.prompting import GroundedPrompt, write_prompt
from tests.fakes import evidence_of, make_chunk

GEARS = make_chunk("A harmonic drive bends a thin steel cup. It has almost no backlash.", title="Gears")
BELTS = make_chunk("A toothed belt is cheap. It stretches under load.", file="belts.mdx", title="Belts")


def prompt_for(*chunks: Chunk, asked: str = "What is a harmonic drive?", budget: int = 10_000) -> GroundedPrompt:
    question = Question(text=asked)
    return write_prompt(question, evidence_of(*chunks), excerpt_characters=budget, max_output_tokens=100)


def test_the_prompt_is_what_it_was(snapshot: SnapshotAssertion) -> None:
    prompt = prompt_for(GEARS, BELTS).prompt
    assert prompt.version == snapshot(name="version")
    assert prompt.instructions == snapshot(name="instructions")
    assert prompt.message == snapshot(name="message")


def test_the_rules_hold_the_seed_s_four() -> None:
    rules = " ".join(prompt_for(GEARS).prompt.instructions.split())
    assert "ONLY answer using the provided book excerpts. Do NOT use external knowledge" in rules
    assert "Every factual claim cites its source" in rules
    assert "If the provided excerpts do not answer the question, say so" in rules
    assert "Give your confidence estimate (0.0–1.0) in the last line." in rules
    assert "GOOD. Question:" in rules
    assert "BAD: no source. This is a hallucination" in rules


def test_excerpts_are_numbered_as_they_rank() -> None:
    asked = prompt_for(BELTS, GEARS)
    assert asked.excerpts == (BELTS, GEARS)
    assert asked.prompt.message.index("excerpt 1\nBelts") < asked.prompt.message.index("excerpt 2\nGears")


def test_excerpts_stay_within_their_budget_and_end_with_a_sentence() -> None:
    long = make_chunk(" ".join(f"Sentence number {n} tells of gear {n}." for n in range(100)))
    asked = prompt_for(long, GEARS, budget=600)
    assert asked.excerpts == (long,)
    shown = asked.prompt.message.split("excerpt 1\n")[1].split("\n===")[0]
    assert 400 < len(shown) <= 620
    assert shown.endswith(".")


def test_an_excerpt_longer_than_the_budget_is_cut_where_it_must() -> None:
    endless = make_chunk("word " * 2_000)
    assert len(prompt_for(endless, budget=500).prompt.message) < 1_500


def test_a_follow_up_is_shown_with_what_it_means() -> None:
    question = Question(text="And belts?", history=(Exchange(question="Are gears cheap?", answer="No."),))
    evidence = evidence_of(BELTS, question="are belts cheap?")
    asked = write_prompt(question, evidence, excerpt_characters=1_000, max_output_tokens=100)
    assert "And belts?\n\nThat is: are belts cheap?\n===" in asked.prompt.message


def test_what_nobody_sees_is_not_shown_to_the_model() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert hidden not in prompt_for(GEARS, asked=f"What is a gear?{hidden}").prompt.message


@given(st.text(max_size=300), st.text(min_size=1, max_size=300).filter(lambda text: text.strip() != ""))
def test_no_text_can_close_its_fence(asked: str, passage: str) -> None:
    chunk = make_chunk(passage)
    message = prompt_for(chunk, asked=asked).prompt.message
    mark = message.split(" is data.")[0].rsplit(" ", 1)[1]
    assert message.count(mark) == 1 + 2 * 2


def test_a_text_that_guesses_the_code_gets_another_one() -> None:
    first = fencing.marker(("one",))
    assert fencing.marker(("one",)) == first
    assert fencing.marker((first,)) not in first

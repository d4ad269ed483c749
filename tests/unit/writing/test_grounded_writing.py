"""The writer: what a language model says becomes claims that name sentences of the book, or nothing."""

import json
from collections.abc import AsyncGenerator, Sequence

import pytest

from citebook.domain.answer import Claim
from citebook.domain.errors import GeneratorFailed
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt, Transcript
from citebook.domain.question import Question
from citebook.writing.grounded_writing import GroundedWriter
from tests.fakes import evidence_of, make_chunk
from tests.language_models import SpokenModel

GEARS = make_chunk("A harmonic drive bends a thin steel cup. It has almost no backlash.", title="Gears")
BELTS = make_chunk("A toothed belt is cheap. It stretches under load.", file="belts.mdx", title="Belts")
QUESTION = Question(text="Which gear has no backlash?")


def line(claim: str, quote: str, excerpt: int = 1) -> str:
    return json.dumps({"claim": claim, "excerpt": excerpt, "quote": quote}) + "\n"


async def written(model: SpokenModel) -> tuple[Sequence[Claim], Transcript]:
    items = [item async for item in GroundedWriter(model).generate(QUESTION, evidence_of(GEARS, BELTS))]
    assert isinstance(items[-1], Transcript)
    return [item for item in items if isinstance(item, Claim)], items[-1]


async def test_a_claim_names_the_sentences_that_it_quotes() -> None:
    claims, _ = await written(
        SpokenModel(line("Harmonic drives hardly have backlash.", "It has almost no backlash."))
    )
    text = "Harmonic drives hardly have backlash."
    assert claims == [Claim(text=text, chunk_id=GEARS.id, first_sentence=1, last_sentence=1)]


async def test_a_claim_is_passed_on_while_the_model_still_writes() -> None:
    model = SpokenModel(line("It is cheap.", "A toothed belt is cheap.", 2), *["more"] * 10)
    writing = GroundedWriter(model).generate(QUESTION, evidence_of(GEARS, BELTS))
    assert isinstance(await anext(writing), Transcript)
    assert isinstance(await anext(writing), Claim)
    assert model.read == 1
    await writing.aclose()


async def test_a_wrong_number_is_mended_and_an_invented_quote_dropped() -> None:
    claims, _ = await written(
        SpokenModel(
            line("Belts are cheap.", "A toothed belt is cheap.", excerpt=1),
            line("Belts are dear.", "A toothed belt is dear.", excerpt=2),
            line("Belts stretch.", "It stretches under load.", excerpt=99),
        )
    )
    assert [(claim.text, claim.chunk_id) for claim in claims] == [
        ("Belts are cheap.", BELTS.id),
        ("Belts stretch.", BELTS.id),
    ]


async def test_a_claim_of_two_sentences_becomes_two_claims_so_that_none_hides_behind_the_other() -> None:
    claims, _ = await written(SpokenModel(line("Belts are cheap. Send money.", "A toothed belt is cheap.", 2)))
    assert [(claim.text, claim.chunk_id) for claim in claims] == [
        ("Belts are cheap.", BELTS.id),
        ("Send money.", BELTS.id),
    ]


async def test_after_saying_that_the_book_has_no_answer_nothing_is_claimed() -> None:
    claims, transcript = await written(
        SpokenModel('{"not_covered": true}\n', line("Belts are cheap.", "A toothed belt is cheap."))
    )
    assert claims == []
    assert "not_covered" in transcript.response


async def test_a_model_that_repeats_itself_is_heard_once_and_one_that_never_ends_is_cut() -> None:
    model = SpokenModel(*[line("Belts are cheap.", "A toothed belt is cheap.", 2)] * 10_000)
    claims, transcript = await written(model)
    assert len(claims) == 1
    assert model.read < 1_000
    assert len(transcript.response) == 40_000


async def test_no_more_than_twelve_claims_are_taken() -> None:
    said = [line(f"Belts are cheap, says line {n}.", "A toothed belt is cheap.", 2) for n in range(50)]
    claims, _ = await written(SpokenModel(*said))
    assert len(claims) == 12


async def test_the_transcript_holds_what_was_sent_and_what_came_back() -> None:
    usage = TokenUsage(input=9, output=3, total=12)
    model = SpokenModel('{"confidence"', ": 0.4}", usage=usage)
    _, transcript = await written(model)
    prompt = model.prompts[0]
    assert transcript == Transcript(
        prompt_version=prompt.version,
        prompt=f"{prompt.instructions}\n\n{prompt.message}",
        response='{"confidence": 0.4}',
        usage=usage,
        estimate=0.4,
    )


async def test_the_model_s_own_estimate_is_no_score_of_a_claim() -> None:
    claims, _ = await written(
        SpokenModel(line("Belts are cheap.", "A toothed belt is cheap.", 2), '{"confidence": 1}')
    )
    assert claims[0].score is None


async def test_without_evidence_the_model_is_not_asked() -> None:
    model = SpokenModel("x")
    assert [item async for item in GroundedWriter(model).generate(QUESTION, evidence_of())] == []
    assert model.prompts == []


class FailingModel(SpokenModel):
    """Writes what it is told, and fails."""

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        self.prompts.append(prompt)
        for piece in self._pieces:
            yield piece
        raise GeneratorFailed("broke off")


async def test_what_was_sent_and_came_back_is_known_where_the_model_fails() -> None:
    said = line("Belts are cheap.", "A toothed belt is cheap.", 2)
    model, items = FailingModel(said, '{"claim": "Be'), list[Claim | Transcript]()

    async def listen() -> None:
        async for item in GroundedWriter(model).generate(QUESTION, evidence_of(GEARS, BELTS)):
            items.append(item)

    with pytest.raises(GeneratorFailed):
        await listen()
    last = items[-1]
    assert isinstance(last, Transcript)
    assert last.response == said + '{"claim": "Be'
    assert last.prompt == f"{model.prompts[0].instructions}\n\n{model.prompts[0].message}"


async def test_the_prompt_is_known_before_the_model_says_anything() -> None:
    writing = GroundedWriter(SpokenModel("x")).generate(QUESTION, evidence_of(GEARS, BELTS))
    first = await anext(writing)
    assert isinstance(first, Transcript)
    assert (first.response, QUESTION.text in first.prompt) == ("", True)
    await writing.aclose()


async def test_claims_that_the_book_does_not_hold_are_counted() -> None:
    _, transcript = await written(
        SpokenModel(
            line("Belts are cheap.", "A toothed belt is cheap.", 2),
            line("Belts are dear.", "A toothed belt is dear.", 2),
        )
    )
    assert transcript.unfounded == 1

"""The one stream of events that every question ends in."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from citebook.agents.answer_synthesis import AnswerSynthesisAgent
from citebook.agents.error_recovery import ErrorRecoveryAgent
from citebook.agents.orchestrator import RAGChatAgent
from citebook.agents.query_router import QueryRouterAgent
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.confidence.model import ConfidenceModel, GenerationWeights
from citebook.domain.answer import Answer, Outcome
from citebook.domain.book import Chunk
from citebook.domain.calibration import Curve
from citebook.domain.errors import (
    BookNotIngested,
    EmbedderFailed,
    GeneratorCutShort,
    GeneratorFailed,
    VectorStoreUnavailable,
)
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.domain.prompt import Transcript
from citebook.domain.question import Policy, Question
from citebook.domain.trace import AgentName
from citebook.domain.wording import Correction
from citebook.language.languages import language_of
from citebook.outlining.guide import BookGuide
from citebook.pacing.deadline import Budget, Deadline
from citebook.pacing.turns import Turns
from citebook.reading.extractive import ExtractiveReader
from citebook.searching.ranking import Weights
from citebook.searching.selected_passage import SelectedPassageSearch
from tests.fakes import WORKERS, BrokenEmbedder, ListIndex, ScriptedGenerator, claim_of, events_of, make_chunk

GEARS = make_chunk("A harmonic drive is a gear. It has almost no backlash. Robots use it.", "gears.mdx")
DRIVES = make_chunk("A belt is cheap, and a gear is stiff.", "drives.mdx")
ELSEWHERE = make_chunk("A piston is a plug.", "pistons.mdx")
"""In no index."""
QUESTION = Question(text="What is a harmonic drive?")
REPLIES = language_of("en").conversation.replies
SURE = {"intercept": 50.0}
UNSURE = {"intercept": -50.0}
EVEN = GenerationWeights({}, {})
CURVE = Curve(knots=((0.4, 0.0), (0.8, 0.8), (1.0, 1.0)))
"""What rests on the generator's word alone is worth nothing."""

ROUTER, RETRIEVAL = AgentName.QUERY_ROUTER, AgentName.QDRANT_RETRIEVAL
SYNTHESIS, RECOVERY, CHAT = AgentName.ANSWER_SYNTHESIS, AgentName.ERROR_RECOVERY, AgentName.RAG_CHAT_AGENT


class Desk:
    """An agent with everything outside it faked, and in reach."""

    def __init__(
        self,
        *script: object,
        confidence: dict[str, float] = SURE,
        refuse_below: float = 0.0,
        embedder_error: Exception | None = None,
        budget: Budget = Budget(),
        chunks: Sequence[Chunk] = (GEARS,),
        writes: bool = True,
        turns: Turns | None = None,
    ) -> None:
        self.index = ListIndex(chunks=chunks)
        self.generator = ScriptedGenerator(*script)  # type: ignore[arg-type]
        self.agent = RAGChatAgent(
            QueryRouterAgent(WORKERS),
            QdrantRetrievalAgent(BrokenEmbedder(embedder_error), self.index, Weights(), WORKERS),
            SelectedPassageSearch(BrokenEmbedder(embedder_error), WORKERS),
            AnswerSynthesisAgent(ExtractiveReader(), WORKERS, self.generator if writes else None),
            ErrorRecoveryAgent(),
            ConfidenceModel(confidence, confidence, EVEN, CURVE, refuse_below=refuse_below),
            budget,
            WORKERS,
            turns or Turns(2),
            BookGuide(self.index, WORKERS),
        )

    async def events(self, question: Question = QUESTION) -> list[Event]:
        return await events_of(self.agent, question)

    async def answer(self, question: Question = QUESTION) -> Answer:
        last = (await self.events(question))[-1]
        assert isinstance(last, AnswerCompleted | AnswerFailed)
        return last.answer

    async def failure(self) -> AnswerFailed:
        last = (await self.events())[-1]
        assert isinstance(last, AnswerFailed)
        return last


def agents_of(answer: Answer) -> list[tuple[AgentName, bool]]:
    return [(run.agent_name, run.success) for run in answer.trace]


# --- the usual way


async def test_evidence_comes_first_then_each_sentence_then_the_whole_answer() -> None:
    events = await Desk(claim_of(GEARS, 0), claim_of(GEARS, 1)).events()
    assert [type(event) for event in events] == [EvidenceFound, SentenceVerified, SentenceVerified, AnswerCompleted]


async def test_an_answer_is_its_sentences_each_with_its_marker() -> None:
    answer = await Desk(claim_of(GEARS, 0), claim_of(GEARS, 1)).answer()
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "A harmonic drive is a gear. [1] It has almost no backlash. [2]"


async def test_a_passage_that_proves_two_sentences_is_cited_once() -> None:
    claims = [claim_of(DRIVES, text=text) for text in ("A belt is cheap.", "A gear is stiff.")]
    answer = await Desk(*claims, chunks=(DRIVES,)).answer()
    assert [claim.citation for claim in answer.claims] == [1, 1]
    assert [citation.position for citation in answer.citations] == [1]


async def test_each_agent_that_ran_leaves_one_response_in_the_trace() -> None:
    answer = await Desk(claim_of(GEARS)).answer()
    assert agents_of(answer) == [(ROUTER, True), (RETRIEVAL, True), (SYNTHESIS, True), (CHAT, True)]


async def test_the_answer_names_its_edition_and_its_model_and_its_question() -> None:
    answer = await Desk(claim_of(GEARS)).answer()
    assert (answer.edition, answer.model_used, answer.question_id) == ("first", "scripted", QUESTION.id)


async def test_low_confidence_is_marked() -> None:
    question = Question(text=QUESTION.text, policy=Policy(refuse_below=0.2, warn_below=1.0))
    desk = Desk(claim_of(GEARS), confidence={"intercept": 1.0})
    assert (await desk.answer(question)).low_confidence


def mistyping(chunks: Sequence[Chunk] = (GEARS,)) -> Desk:
    """A desk that knows the words of its book."""
    desk = Desk(claim_of(GEARS, 0), chunks=chunks)
    desk.index.words = b"backlash\t1\ndrive\t1\ngear\t1\nharmonic\t1\n"
    return desk


async def test_a_mistyped_question_is_searched_for_as_it_was_meant() -> None:
    events = await mistyping().events(Question(text="What is a harmonik drive?"))
    assert isinstance(found := events[0], EvidenceFound)
    assert found.result.query_text == "what is a harmonic drive?"
    assert found.corrections == (Correction(typed="harmonik", searched="harmonic"),)


async def test_an_answer_tells_what_was_corrected() -> None:
    answer = await mistyping().answer(Question(text="What is a harmonik drive?"))
    assert answer.corrections == (Correction(typed="harmonik", searched="harmonic"),)
    assert answer.corrected == "What is a harmonic drive?"


async def test_an_answer_after_a_second_attempt_still_tells_what_was_corrected() -> None:
    desk = mistyping()
    desk.index.failures.append(VectorStoreUnavailable("down"))
    assert (await desk.answer(Question(text="What is a harmonik drive?"))).corrected == "What is a harmonic drive?"


async def test_a_question_without_slips_has_nothing_corrected() -> None:
    answer = await mistyping().answer()
    assert (answer.corrections, answer.corrected) == ((), None)


async def test_words_of_another_language_are_no_slips() -> None:
    answer = await mistyping().answer(Question(text="Was ist ein harmonik Getriebe und wie funktioniert es?"))
    assert answer.corrections == ()


async def test_a_greeting_is_answered_without_a_search() -> None:
    desk = Desk()
    events = await desk.events(Question(text="Hello!"))
    assert [type(event) for event in events] == [AnswerCompleted]
    assert desk.index.searches == []


# --- refusals


async def test_weak_evidence_is_refused_without_asking_the_generator() -> None:
    desk = Desk(claim_of(GEARS), confidence=UNSURE)
    answer = await desk.answer()
    assert answer.outcome is Outcome.REFUSED
    assert desk.generator.runs == 0


async def test_no_evidence_at_all_is_refused_without_asking_the_generator() -> None:
    desk = Desk(chunks=())
    answer = await desk.answer()
    assert answer.outcome is Outcome.REFUSED
    assert desk.generator.runs == 0


async def test_what_the_operator_s_target_demands_is_demanded_of_every_contract() -> None:
    assert (await Desk(claim_of(GEARS), refuse_below=0.79).answer()).outcome is Outcome.ANSWERED
    refused = await Desk(claim_of(GEARS), refuse_below=0.81).answer()
    assert refused.outcome is Outcome.REFUSED
    assert refused.confidence == 0.0
    assert 0.79 < (refused.measured_confidence or 0.0) < 0.81


async def test_a_target_does_not_loosen_what_a_contract_demands() -> None:
    question = Question(text=QUESTION.text, policy=Policy(refuse_below=0.9, warn_below=0.9))
    assert (await Desk(claim_of(GEARS), refuse_below=0.1).answer(question)).outcome is Outcome.REFUSED


async def test_a_refusal_says_what_the_book_does_cover() -> None:
    answer = await Desk(confidence=UNSURE).answer()
    assert [suggestion.title for suggestion in answer.suggestions] == ["Chapter: Part"]
    assert "Chapter: Part" not in answer.text, "it is named once"


async def test_in_place_of_a_sentence_that_the_book_does_not_say_its_quote_is_seen() -> None:
    invented = claim_of(GEARS, 1, text="It has enormous backlash.")
    events = await Desk(claim_of(GEARS, 0), invented).events()
    shown = [event.claim.text for event in events if isinstance(event, SentenceVerified)]
    assert shown == ["A harmonic drive is a gear.", "It has almost no backlash."]


async def test_a_sentence_without_a_quote_is_never_seen() -> None:
    events = await Desk(claim_of(GEARS, 0), claim_of(ELSEWHERE)).events()
    shown = [event.claim.text for event in events if isinstance(event, SentenceVerified)]
    assert shown == ["A harmonic drive is a gear."]


async def test_an_answer_of_quotes_that_the_model_chose_is_the_model_s() -> None:
    answer = await Desk(claim_of(GEARS, text="Gears are cheese.")).answer()
    assert (answer.text, answer.introduction) == ("A harmonic drive is a gear. [1]", None)
    assert answer.model_used == "scripted"


async def test_where_nothing_is_proven_the_book_is_quoted_and_says_so() -> None:
    answer = await Desk(claim_of(ELSEWHERE)).answer()
    assert (answer.outcome, answer.model_used, answer.calibrated) == (Outcome.ANSWERED, "extractive", False)
    assert answer.introduction == REPLIES.nothing_proven
    assert answer.text.startswith(f"{REPLIES.nothing_proven}\n\nA harmonic drive is a gear.")
    assert "piston" not in answer.text


async def test_where_neither_the_model_nor_the_book_has_an_answer_the_answer_is_a_refusal() -> None:
    answer = await Desk(claim_of(ELSEWHERE), refuse_below=0.85).answer()
    assert (answer.outcome, answer.introduction) == (Outcome.REFUSED, None)


NOT_COVERED = Transcript(prompt_version="1", prompt="p", response='{"not_covered": true}', not_covered=True)


async def test_a_refusal_of_the_model_is_a_refusal_without_confidence() -> None:
    answer = await Desk(NOT_COVERED).answer()
    assert (answer.outcome, answer.confidence, answer.calibrated) == (Outcome.REFUSED, 0.0, False)
    assert REPLIES.not_covered in answer.text


async def test_what_was_told_before_a_refusal_of_the_model_stays() -> None:
    answer = await Desk(claim_of(GEARS), NOT_COVERED).answer()
    assert (answer.outcome, answer.introduction) == (Outcome.ANSWERED, None)


async def test_an_answer_is_partial_where_claims_of_it_were_dropped() -> None:
    assert (await Desk(claim_of(GEARS), claim_of(ELSEWHERE)).answer()).is_partial
    assert not (await Desk(claim_of(GEARS)).answer()).is_partial
    assert not (await Desk(claim_of(ELSEWHERE)).answer()).is_partial
    assert not (await Desk(claim_of(GEARS, text="Gears are cheese.")).answer()).is_partial


async def test_an_answer_is_partial_where_quotes_of_it_stand_nowhere() -> None:
    told = Transcript(prompt_version="1", prompt="p", response="r", unfounded=1)
    assert (await Desk(claim_of(GEARS), told).answer()).is_partial


def doubting(estimate: float | None) -> Transcript:
    return Transcript(prompt_version="1", prompt="p", response="r", estimate=estimate)


async def test_a_model_that_doubts_its_answer_lowers_the_confidence() -> None:
    sure, less_sure, silent = [
        (await Desk(claim_of(GEARS), doubting(estimate)).answer()).confidence for estimate in (1.0, 0.92, None)
    ]
    assert silent == sure > less_sure


async def test_an_answer_that_its_model_does_not_believe_is_refused_with_what_was_measured() -> None:
    question = QUESTION.model_copy(update={"policy": Policy(refuse_below=0.6, warn_below=0.7)})
    assert (await Desk(claim_of(GEARS), doubting(0.9)).answer(question)).outcome is Outcome.ANSWERED
    refused = await Desk(claim_of(GEARS), doubting(0.1)).answer(question)
    assert (refused.outcome, refused.claims, refused.confidence) == (Outcome.REFUSED, (), 0.0)
    assert refused.measured_confidence is not None
    assert 0 < refused.measured_confidence < 0.6


async def test_on_a_stream_what_was_told_stays_and_is_warned_of() -> None:
    policy = Policy(refuse_below=0.6, warn_below=0.7)
    question = QUESTION.model_copy(update={"policy": policy, "streamed": True})
    events = await Desk(claim_of(GEARS), doubting(0.1)).events(question)
    assert isinstance(events[1], SentenceVerified)
    assert isinstance(events[-1], AnswerCompleted)
    answer = events[-1].answer
    assert (answer.outcome, answer.low_confidence) == (Outcome.ANSWERED, True)
    assert answer.confidence < 0.6


# --- failures


BEGUN = Transcript(prompt_version="1", prompt="p", response="r")


async def test_of_a_model_that_breaks_off_before_anyone_saw_a_word_nothing_is_told_but_the_book() -> None:
    answer = await Desk(BEGUN, claim_of(GEARS), GeneratorFailed("broke off")).answer()
    assert (answer.outcome, answer.is_partial, answer.transcript) == (Outcome.ANSWERED, False, BEGUN)
    assert answer.introduction == REPLIES.model_failed


async def test_a_model_that_breaks_off_in_the_middle_of_a_stream_ends_it_with_an_error() -> None:
    streamed = QUESTION.model_copy(update={"streamed": True})
    events = await Desk(BEGUN, claim_of(GEARS), GeneratorFailed("broke off")).events(streamed)
    assert isinstance(events[1], SentenceVerified)
    assert isinstance(events[-1], AnswerFailed)
    assert (events[-1].code, events[-1].answer.transcript) == (GeneratorFailed.code, BEGUN)


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_model_that_was_cut_short_after_a_sentence_leaves_a_part(streamed: bool) -> None:
    question = QUESTION.model_copy(update={"streamed": streamed})
    events = await Desk(BEGUN, claim_of(GEARS), GeneratorCutShort("no tokens left")).events(question)
    assert isinstance(events[-1], AnswerCompleted)
    assert (events[-1].answer.outcome, events[-1].answer.is_partial) == (Outcome.ANSWERED, True)


async def test_a_model_that_fails_for_good_leaves_its_transcript() -> None:
    begun, failed = Transcript(prompt_version="1", prompt="p", response="r"), GeneratorFailed("broke off")
    answer = await Desk(begun, failed, begun, failed).answer()
    assert (answer.is_partial, answer.transcript) == (False, begun)


async def test_without_an_embedder_words_alone_are_searched() -> None:
    desk = Desk(claim_of(GEARS), embedder_error=EmbedderFailed("out of memory"))
    events = await desk.events()
    assert [has_vector for has_vector, _ in desk.index.searches] == [False]
    assert isinstance(events[0], EvidenceFound)
    assert events[0].result.lexical_only
    assert isinstance(events[-1], AnswerCompleted)


async def test_an_index_that_fails_once_is_asked_again() -> None:
    desk = Desk(claim_of(GEARS))
    desk.index.failures = [VectorStoreUnavailable("reset")]
    assert (await desk.answer()).outcome is Outcome.ANSWERED


async def test_an_index_that_fails_twice_is_given_up() -> None:
    desk = Desk(claim_of(GEARS))
    desk.index.failures = [VectorStoreUnavailable("reset")] * 5
    failed = await desk.failure()
    assert failed.code == "VECTOR_STORE_UNAVAILABLE"
    assert len(desk.index.searches) == 2


async def test_the_generator_is_never_asked_without_context() -> None:
    desk = Desk(claim_of(GEARS))
    desk.index.failures = [VectorStoreUnavailable("reset")] * 5
    await desk.failure()
    assert desk.generator.runs == 0


@pytest.mark.parametrize(
    "error", [VectorStoreUnavailable("key sk-123 at /srv/index"), RuntimeError("key sk-123 at /srv/index")]
)
async def test_the_reader_is_not_told_what_broke(error: Exception) -> None:
    desk = Desk()
    desk.index.failures = [error, error]
    failed = await desk.failure()
    assert "sk-123" not in failed.answer.text + failed.error.user_safe_message
    assert "sk-123" in failed.error.original_error


async def test_a_book_that_was_never_ingested_is_not_tried_again() -> None:
    desk = Desk()
    desk.index.failures = [BookNotIngested("run ingest")]
    assert (await desk.failure()).code == "BOOK_NOT_INGESTED"
    assert len(desk.index.searches) == 1


async def test_a_broken_rule_of_the_question_is_named_to_the_reader() -> None:
    answer = await Desk().answer(Question(text="  "))
    assert answer.outcome is Outcome.FAILED
    assert answer.text == "The question must not be empty."


async def test_a_generator_that_fails_before_its_first_sentence_is_asked_again() -> None:
    desk = Desk(GeneratorFailed("overloaded"), claim_of(GEARS))
    assert (await desk.answer()).outcome is Outcome.ANSWERED
    assert desk.generator.runs == 2


async def test_a_generator_that_fails_after_its_first_sentence_is_not_asked_again() -> None:
    desk = Desk(claim_of(GEARS), GeneratorFailed("cut off"), claim_of(GEARS, 1))
    await desk.events()
    assert desk.generator.runs == 1


async def test_where_the_generator_fails_twice_the_book_is_quoted_and_says_so() -> None:
    desk = Desk(GeneratorFailed("down"), GeneratorFailed("down"))
    first, *sentences, last = await desk.events()
    assert isinstance(first, EvidenceFound)
    assert isinstance(last, AnswerCompleted)
    assert last.answer.introduction == REPLIES.model_failed
    told = [event.text for event in sentences if isinstance(event, SentenceVerified)]
    assert "".join(told) == last.answer.text
    assert last.answer.text.startswith(REPLIES.model_failed)
    assert (desk.generator.runs, len(desk.index.searches)) == (2, 1)


TWO_IN_ONE = Question(text="What is a harmonic drive, and why do robots use it?")


async def test_where_a_model_writes_the_parts_of_a_question_are_not_searched_for() -> None:
    desk = Desk(claim_of(GEARS))
    await desk.answer(TWO_IN_ONE)
    assert len(desk.index.searches) == 1


async def test_where_the_book_is_quoted_instead_they_are_and_its_evidence_is_told_again() -> None:
    desk = Desk(GeneratorFailed("down"), GeneratorFailed("down"))
    events = await desk.events(TWO_IN_ONE)
    found = [event.result for event in events if isinstance(event, EvidenceFound)]
    assert [len(evidence.parts) for evidence in found] == [0, 2]
    assert len(desk.index.searches) == 3
    assert isinstance(events[-1], AnswerCompleted)
    assert events[-1].answer.introduction == REPLIES.model_failed


async def test_where_they_cannot_be_found_what_was_found_is_quoted() -> None:
    desk = Desk(GeneratorFailed("down"), GeneratorFailed("down"))
    events: list[Event] = []

    async def lose_index(event: Event) -> None:
        events.append(event)
        desk.index.failures = [VectorStoreUnavailable("down")]

    ended = await desk.agent.answer(TWO_IN_ONE, lose_index)
    assert ended.answer.introduction == REPLIES.model_failed
    assert [type(event) for event in events][:2] == [EvidenceFound, SentenceVerified]


async def test_where_the_generator_fails_and_nothing_can_be_quoted_the_answer_fails() -> None:
    answer = await Desk(GeneratorFailed("down"), GeneratorFailed("down"), refuse_below=0.85).answer()
    assert (answer.outcome, answer.introduction) == (Outcome.FAILED, None)


async def test_a_run_that_failed_is_in_the_trace_with_its_error() -> None:
    desk = Desk(claim_of(GEARS))
    desk.index.failures = [VectorStoreUnavailable("reset")]
    answer = await desk.answer()
    assert agents_of(answer) == [
        (ROUTER, True),
        (RETRIEVAL, False),
        (RECOVERY, True),
        (ROUTER, True),
        (RETRIEVAL, True),
        (SYNTHESIS, True),
        (CHAT, True),
    ]


async def test_a_failed_answer_says_so_in_its_last_response() -> None:
    desk = Desk()
    desk.index.failures = [VectorStoreUnavailable("reset")] * 2
    answer = (await desk.failure()).answer
    assert agents_of(answer)[-1] == (CHAT, False)


# --- time


async def test_a_search_that_takes_too_long_ends_the_answer() -> None:
    desk = Desk(budget=Budget(total=5, retrieval=0.01))
    desk.index.is_stuck = True
    failed = await desk.failure()
    assert (failed.code, failed.error.retry_able) == ("TIMEOUT", True)
    assert "timed out" in failed.answer.text


@pytest.mark.parametrize("script", [(claim_of(GEARS),), ()])
async def test_a_generator_that_goes_silent_is_closed_and_the_book_quoted(script: tuple[object, ...]) -> None:
    desk = Desk(*script, budget=Budget(total=5, generation=0.05))
    desk.generator.gets_stuck = True
    answer = await desk.answer()
    assert (answer.outcome, answer.introduction) == (Outcome.ANSWERED, REPLIES.model_failed)
    assert not desk.generator.is_open


async def test_a_stream_of_which_nothing_was_sure_enough_to_show_is_over_at_the_deadline() -> None:
    desk = Desk(claim_of(GEARS), refuse_below=0.81, budget=Budget(total=5, generation=0.05, stream_gap=60))
    desk.generator.gets_stuck = True
    async with asyncio.timeout(5):
        events = await desk.events(QUESTION.model_copy(update={"streamed": True}))
    assert [type(event) for event in events] == [EvidenceFound, AnswerFailed]
    assert not desk.generator.is_open


async def test_a_stream_whose_first_sentence_was_shown_may_go_on_beyond_the_deadline() -> None:
    desk = Desk(claim_of(GEARS), budget=Budget(total=0.5, generation=0.5, stream_gap=60))
    desk.generator.gets_stuck = True
    asked = asyncio.create_task(desk.events(QUESTION.model_copy(update={"streamed": True})))
    assert not (await asyncio.wait({asked}, timeout=0.7))[0]
    asked.cancel()


async def test_the_whole_deadline_binds_where_a_part_would_allow_more() -> None:
    desk = Desk(budget=Budget(total=0.02, retrieval=60, generation=60))
    desk.index.is_stuck = True
    assert (await desk.failure()).code == "TIMEOUT"


# --- a reader who leaves


async def test_a_reader_who_leaves_between_sentences_closes_the_generator() -> None:
    desk = Desk(claim_of(GEARS, 0), claim_of(GEARS, 1))

    async def leave(event: Event) -> None:
        if isinstance(event, SentenceVerified):
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await desk.agent.answer(QUESTION, leave)
    assert not desk.generator.is_open


async def test_a_reader_who_leaves_while_the_generator_thinks_closes_it() -> None:
    desk = Desk()
    desk.generator.gets_stuck = True
    task = asyncio.create_task(desk.events())
    await desk.generator.was_asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not desk.generator.is_open


# --- what the operator is told


async def test_an_answer_that_failed_leaves_one_line_with_agent_code_and_cause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    desk.index.failures = [VectorStoreUnavailable("connection reset by 10.0.0.7")] * 2
    with caplog.at_level(logging.WARNING):
        await desk.failure()
    (line,) = caplog.messages
    for part in (QUESTION.id, "QdrantRetrievalAgent", "VECTOR_STORE_UNAVAILABLE", "connection reset by 10.0.0.7"):
        assert part in line


async def test_a_fault_of_ours_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.index.failures = [ZeroDivisionError("in the ranking")]
    with caplog.at_level(logging.ERROR):
        await desk.failure()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


async def test_responses_of_agents_can_be_read_at_debug_level_without_the_reader_s_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        await Desk(claim_of(GEARS)).answer()
    told = [record.getMessage() for record in caplog.records if record.name.endswith("answer_in_progress")]
    assert all(agent.value in line for agent, line in zip((ROUTER, RETRIEVAL, SYNTHESIS, CHAT), told, strict=True))
    assert not any("harmonic" in line for line in told)


# --- turns


async def test_a_question_that_cannot_be_answered_in_time_is_turned_away_with_the_expected_wait() -> None:
    turns = Turns(1)
    desk = Desk(claim_of(GEARS), turns=turns, budget=Budget(total=0.01))
    async with turns.take(Deadline(Budget())):
        failed = await desk.failure()
    assert failed.code == "OVERLOADED"
    assert failed.retry_after is not None
    assert desk.index.searches == []


async def test_no_turn_is_held_while_a_model_writes() -> None:
    turns = Turns(1)
    desk = Desk(turns=turns)
    desk.generator.gets_stuck = True
    task = asyncio.create_task(desk.events())
    await desk.generator.was_asked.wait()
    async with turns.take(Deadline(Budget())):
        """Somebody else searches."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# --- without a language model


async def test_without_a_writer_the_book_is_quoted() -> None:
    answer = await Desk(writes=False).answer()
    assert (answer.outcome, answer.model_used) == (Outcome.ANSWERED, "extractive")
    assert answer.claims[0].text.startswith("A harmonic drive is a gear.")


async def test_a_quoted_answer_that_is_not_sure_enough_is_refused_and_nothing_of_it_is_told() -> None:
    question = Question(text=QUESTION.text, policy=Policy(refuse_below=1.0, warn_below=1.0))
    events = await Desk(writes=False).events(question)
    assert not any(isinstance(event, SentenceVerified) for event in events)
    assert isinstance(events[-1], AnswerCompleted)
    assert events[-1].answer.outcome is Outcome.REFUSED

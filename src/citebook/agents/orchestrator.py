"""RAGChatAgent: runs the other agents in their fixed order, and tells of each thing that happens as it happens."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from citebook.agents.answer_in_progress import NO_CLAIM, AnswerInProgress, Tell
from citebook.agents.answer_synthesis import AnswerSynthesisAgent, WritingNotes
from citebook.agents.error_recovery import Decision, ErrorRecoveryAgent, Progress
from citebook.agents.query_router import QueryRouterAgent, Route, RouteKind
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.confidence.model import Confidence, ConfidenceModel, Weighing
from citebook.domain.answer import Answer, Outcome, ProvenSentence, Suggestion
from citebook.domain.errors import CitebookError, Overloaded
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.domain.evidence import QueryResult
from citebook.domain.limits import TokenUsage
from citebook.domain.question import Filters, Question
from citebook.domain.support import LIKELY_FROM, UNSURE_FROM
from citebook.domain.trace import AgentName
from citebook.language.languages import language_of
from citebook.outlining.asking import BookQuestion
from citebook.outlining.guide import BookGuide
from citebook.pacing.deadline import Budget, Deadline
from citebook.pacing.turns import Turn, Turns
from citebook.pacing.workers import Workers
from citebook.proving.proofs import proven
from citebook.searching.asked_of_selection import AskedOfSelection
from citebook.searching.selected_passage import SelectedPassageSearch
from citebook.writing.replies import refuse, suggest

log = logging.getLogger(__name__)


async def tell_nobody(_event: Event) -> None:
    """For whoever wants the whole answer only."""


class RAGChatAgent:
    def __init__(
        self,
        router: QueryRouterAgent,
        retrieval: QdrantRetrievalAgent,
        passage: SelectedPassageSearch,
        synthesis: AnswerSynthesisAgent,
        recovery: ErrorRecoveryAgent,
        confidence: ConfidenceModel,
        budget: Budget,
        workers: Workers,
        turns: Turns,
        guide: BookGuide,
    ) -> None:
        self._router, self._retrieval, self._passage, self._synthesis = router, retrieval, passage, synthesis
        self._recovery, self._confidence, self._budget = recovery, confidence, budget
        self._workers, self._turns, self._guide = workers, turns, guide

    def deadline(self, arrived_at: float | None = None) -> Deadline:
        """The time that a question has, counted from its arrival."""
        return Deadline(self._budget, arrived_at)

    def check_room(self, deadline: Deadline) -> None:
        """Raises `Overloaded` where the question could not be answered in time."""
        self._turns.check(deadline)

    async def answer(
        self, question: Question, tell: Tell = tell_nobody, deadline: Deadline | None = None
    ) -> AnswerCompleted | AnswerFailed:
        """Tells of evidence and proven sentences, and returns how it ended; raises only when it is cancelled."""
        run = AnswerInProgress(question, deadline or self.deadline(), tell)
        attempt: Callable[[AnswerInProgress], Awaitable[Answer | None]] = self._attempt
        while True:
            try:
                answer = await attempt(run)
            except Exception as error:  # a door: whatever went wrong becomes an event
                decision = self._decide(run, error)
            else:
                return AnswerCompleted(answer=answer) if answer else self._failure(run)
            if decision is Decision.RETRY:
                run.retries += 1
            elif decision is Decision.SEARCH_BY_WORDS:
                run.by_words_only = True
            elif decision is Decision.DO_WITHOUT_MODEL:
                attempt = self._without_model
            elif decision is Decision.KEEP_PART:
                run.is_partial = True
                return AnswerCompleted(answer=self._answer(run))
            else:
                return self._failure(run)

    async def _attempt(self, run: AnswerInProgress) -> Answer:
        if not run.is_writing:  # a model that failed is asked again about what was found
            async with self._turns.take(run.deadline) as turn:
                route = await self._routed(run, turn)
                if route.asked_of_book is not None and await self._guided(run, route.asked_of_book):
                    return self._answer(run)
                if route.kind not in (RouteKind.SEARCH, RouteKind.BOOK):
                    return self._ended(run, Outcome.REFUSED, route.text, NO_CLAIM, is_talk=True)
                run.evidence = await self._retrieved(run, route.text, with_parts=not self._synthesis.has_writer)
                await run.tell(EvidenceFound(result=run.evidence, corrections=run.corrections))
                if run.evidence.is_elsewhere:
                    return self._refusal(run)
                if not self._synthesis.has_writer:
                    await self._quote(run)
        if self._synthesis.has_writer:  # a model writes for long: no turn is held meanwhile
            await self._write(run)
        if not run.sentences and run.gives_up_filters():
            return await self._attempt(run)
        return self._answer(run) if run.sentences else self._refusal(run)

    async def _without_model(self, run: AnswerInProgress) -> Answer | None:
        """The book is quoted instead of what nobody has seen. None where it has nothing to quote."""
        run.is_writing = False
        run.take_back()
        await self._quote_instead(run, run.language.conversation.replies.model_failed)
        return self._answer(run) if run.sentences else None

    async def _routed(self, run: AnswerInProgress, turn: Turn) -> Route:
        """From here on the question is what the reader meant to type."""
        with run.running(AgentName.QUERY_ROUTER) as result:
            wording = await run.deadline.for_retrieval(self._retrieval.wording())
            run.language = language_of(wording.language)
            run.question, corrections, route = await self._router.understand(run.question, wording)
            run.corrections = run.corrections or corrections
            if self._router.asks_model(route):
                async with turn.paused():
                    route = await self._router.reworded(run.question, route, run.language)
            result["kind"] = route.kind.value
        return route

    async def _retrieved(self, run: AnswerInProgress, text: str, *, with_parts: bool = True) -> QueryResult:
        """A model that writes is shown one search; its parts are found where the book is quoted instead."""
        question = run.question
        with_parts = with_parts or bool(question.selected_text)
        run.parts_are_due_for = None if with_parts else text
        in_book = partial(
            self._retrieval.retrieve,
            filters=question.filters,
            keep=question.policy.top_k,
            language=run.language,
            by_words_only=run.by_words_only,
            with_parts=with_parts,
        )
        with run.running(AgentName.QDRANT_RETRIEVAL) as result:
            run.selection = AskedOfSelection(question, run.language) if question.selected_text else None
            search = run.selection.evidence(self._passage, in_book) if run.selection else in_book(text)
            evidence = await run.deadline.for_retrieval(search)
            result["chunks"] = [found.chunk.id for found in evidence.retrieved_chunks]
            result["best_score"] = evidence.best_score
        return evidence

    async def _guided(self, run: AnswerInProgress, asked: BookQuestion) -> bool:
        """Answers a question about the book itself; says whether that could be done."""
        most = run.question.policy.top_k
        filters = run.question.filters
        scope = filters if filters.is_scope else Filters()
        guiding = self._guide.answer(asked, run.language, most, lambda topic: self._retrieved(run, topic), scope)
        guided = await run.deadline.for_retrieval(guiding)
        if guided is None or guided.certainty < self._refuse_below(run):
            return False
        sentences = await self._workers.run(proven, guided.claims, guided.evidence, most)
        if not sentences:
            return False
        run.evidence, run.confidence = guided.evidence, Confidence(guided.certainty, calibrated=False)
        run.introduce(guided.introduction)
        await run.tell(EvidenceFound(result=guided.evidence, corrections=run.corrections))
        with run.running(AgentName.ANSWER_SYNTHESIS) as result:
            await self._show(run, sentences)
            result["proven_sentences"] = len(run.sentences)
        return True

    async def _quote(self, run: AnswerInProgress) -> None:
        with run.running(AgentName.ANSWER_SYNTHESIS) as result:
            quoting = self._workers.run(self._quoted, run)
            sentences, run.confidence = await run.deadline.within(quoting, "generation")
            if run.confidence.value >= self._refuse_below(run):
                run.introduce(self._introduction(run))
                await self._show(run, sentences)
            result["proven_sentences"] = len(run.sentences)

    def _introduction(self, run: AnswerInProgress) -> str | None:
        if run.selection:
            return run.selection.introduction
        replies = run.language.conversation.replies
        closest = replies.closest_in_scope if run.question.filters.is_scope else replies.closest
        return closest if run.confidence.value < UNSURE_FROM else None

    def _quoted(self, run: AnswerInProgress) -> tuple[list[ProvenSentence], Confidence]:
        """No sentences where not even the surest would be sure enough."""
        assert run.evidence is not None
        weighing = self._confidence.weigh(run.question.text, run.evidence)
        is_hopeless = weighing.at_best < self._refuse_below(run)
        sentences = [] if is_hopeless else self._synthesis.quote(run.question, run.evidence, run.selection)
        return sentences, weighing.after(sentences)

    async def _write(self, run: AnswerInProgress) -> None:
        """Nothing is shown of an answer that would be refused; more sentences can only raise the confidence."""
        assert run.evidence is not None
        weighing = await self._workers.run(self._confidence.weigh, run.question.text, run.evidence)
        run.confidence = weighing.after(())
        if weighing.at_best < self._refuse_below(run):
            return
        unsure: list[ProvenSentence] = []
        run.is_writing, run.notes = True, WritingNotes()
        pace = run.deadline.for_generation()
        with run.running(AgentName.ANSWER_SYNTHESIS) as result:
            async with aclosing(self._synthesis.write(run.question, run.evidence, run.notes)) as written:
                while (sentence := await pace.next(written, reader_saw_text=run.reader_saw_text)) is not None:
                    unsure.append(sentence)
                    run.confidence = weighing.after([*run.sentences, *unsure])
                    if run.confidence.value >= self._refuse_below(run):
                        await self._show(run, unsure)
                        unsure = []
            result["proven_sentences"] = len(run.sentences)
        self._doubt(run, weighing, unsure)
        run.is_writing, run.is_partial = False, bool(run.sentences and (run.notes.dropped or unsure))
        if run.notes.transcript and run.notes.transcript.not_covered and not run.sentences:
            run.confidence = NO_CLAIM
        elif not run.sentences and not unsure:
            await self._quote_instead(run, run.language.conversation.replies.nothing_proven)

    def _doubt(self, run: AnswerInProgress, weighing: Weighing, unsure: list[ProvenSentence]) -> None:
        """The model says last how sure it is. What a reader has seen by then stays; else it may be refused."""
        estimate = run.notes.transcript.estimate if run.notes.transcript else None
        if estimate is None:
            return
        run.confidence = weighing.after([*run.sentences, *unsure], estimate)
        if run.confidence.value < self._refuse_below(run) and not run.question.streamed:
            unsure.extend(run.take_back())

    async def _quote_instead(self, run: AnswerInProgress, introduction: str) -> None:
        """The curve was measured on what the model writes, so that it says nothing of quotations."""
        await self._find_parts(run)
        with run.running(AgentName.ANSWER_SYNTHESIS) as result:
            sentences, confidence = await self._workers.run(self._quoted, run)
            run.confidence = replace(confidence, calibrated=False)
            if sentences and confidence.value >= self._refuse_below(run):
                run.introduce(introduction)
                await self._show(run, sentences)
            result["proven_sentences"] = len(run.sentences)

    async def _find_parts(self, run: AnswerInProgress) -> None:
        """Where they cannot be found, what was found before is quoted alone."""
        text, run.parts_are_due_for = run.parts_are_due_for, None
        if text is None or run.evidence is None:
            return
        question = run.question
        try:
            found = await self._retrieval.with_parts(run.evidence, text, question.filters, question.policy.top_k)
        except CitebookError as error:
            log.warning("question %s: its parts were not searched for: %s", question.id, error)
            return
        if found is not run.evidence and found.is_of_one_edition:
            run.evidence = found
            await run.tell(EvidenceFound(result=found))

    async def _show(self, run: AnswerInProgress, sentences: Sequence[ProvenSentence]) -> None:
        for sentence in sentences:
            if piece := run.text.add(sentence.claim):
                run.sentences.append(sentence)
                told = SentenceVerified(claim=sentence.claim, citation=sentence.citation, text=piece)
                is_first = len(run.sentences) == 1
                await run.tell(told.model_copy(update={"introduction": run.introduction}) if is_first else told)

    def _refuse_below(self, run: AnswerInProgress) -> float:
        if run.selection and run.selection.answers_itself:
            return 0.0
        return max(run.question.policy.refuse_below, self._confidence.refuse_below)

    def _decide(self, run: AnswerInProgress, error: Exception) -> Decision:
        since = perf_counter()
        progress = Progress(
            retries=run.retries,
            searched_by_words=run.by_words_only,
            has_text=bool(run.sentences),
            reader_saw_text=run.reader_saw_text,
            is_writing=run.is_writing,
            seconds_left=run.deadline.seconds_left,
        )
        decision = self._recovery.decide(error, progress)
        run.error, run.error_code = self._recovery.explain(error, run.question.id), _code(error)
        run.retry_after = error.retry_after if isinstance(error, Overloaded) else None
        run.did(AgentName.ERROR_RECOVERY, since, decision=decision.value, code=run.error_code)
        _tell_log(run, error, decision)
        return decision

    def _failure(self, run: AnswerInProgress) -> AnswerFailed:
        assert run.error is not None
        answer = self._ended(run, Outcome.FAILED, run.error.user_safe_message, NO_CLAIM)
        return AnswerFailed(error=run.error, code=run.error_code, answer=answer, retry_after=run.retry_after)

    def _answer(self, run: AnswerInProgress) -> Answer:
        citations = {sentence.citation.position: sentence.citation for sentence in run.sentences}
        return self._ended(
            run,
            Outcome.ANSWERED,
            run.text.text,
            run.confidence,
            introduction=run.introduction,
            claims=tuple(sentence.claim for sentence in run.sentences),
            citations=tuple(citations.values()),
            low_confidence=run.confidence.value < run.question.policy.warn_below,
            is_partial=run.is_partial,
            suggestions=_beside(run),
        )

    def _refusal(self, run: AnswerInProgress) -> Answer:
        """Without confidence, because it claims nothing; what was measured stands beside."""
        assert run.evidence is not None
        measured = None if run.confidence is NO_CLAIM else run.confidence.value
        told = partial(self._ended, run, Outcome.REFUSED, confidence=replace(run.confidence, value=0.0))
        if run.question.only_selected_text:
            return told(run.language.conversation.replies.not_in_selection, measured_confidence=measured)
        if run.question.filters.is_scope:
            text = run.language.conversation.replies.not_in_scope
            return told(text, measured_confidence=measured, suggestions=_elsewhere(run.evidence))
        suggestions = suggest(run.evidence)
        text = refuse(run.language, run.question.book_title)
        return told(text, measured_confidence=measured, suggestions=suggestions)

    def _ended(
        self, run: AnswerInProgress, outcome: Outcome, text: str, confidence: Confidence, **rest: Any
    ) -> Answer:
        error = run.error if outcome is Outcome.FAILED else None
        run.did(AgentName.RAG_CHAT_AGENT, run.started, error, outcome=outcome.value)
        return Answer(
            question_id=run.question.id,
            outcome=outcome,
            text=text,
            corrections=run.corrections,
            corrected=run.question.text.strip() if run.corrections else None,
            confidence=confidence.value,
            calibrated=confidence.calibrated,
            filter_message=run.filter_message or (run.evidence.filter_message if run.evidence else None),
            model_used=self._synthesis.quoted_by if run.introduction else self._synthesis.model_used,
            transcript=run.notes.transcript,
            tokens_used=run.notes.transcript.usage if run.notes.transcript else TokenUsage(),
            edition=run.evidence.edition if run.evidence else None,
            timings_ms=run.timings,
            trace=tuple(run.trace),
            **rest,
        )


def _beside(run: AnswerInProgress) -> tuple[Suggestion, ...]:
    """What else of the book may be meant, where it is not likely that the answer is one."""
    assert run.evidence is not None
    if _is_likely(run) or run.question.only_selected_text:
        return ()
    if run.question.filters.is_scope:
        return _elsewhere(run.evidence)
    return suggest(run.evidence, {sentence.citation.url for sentence in run.sentences})


def _elsewhere(evidence: QueryResult) -> tuple[Suggestion, ...]:
    """What the rest of the book has, where a part of it was asked."""
    return suggest(evidence.elsewhere) if evidence.elsewhere else ()


def _is_likely(run: AnswerInProgress) -> bool:
    return run.confidence.value >= max(LIKELY_FROM, run.question.policy.warn_below)


def _code(error: Exception) -> str:
    return error.code if isinstance(error, CitebookError) else CitebookError.code


def _tell_log(run: AnswerInProgress, error: Exception, decision: Decision) -> None:
    """One line for each failure, with what an operator needs to find its cause; faults of ours with a traceback."""
    failed = next((done.agent_name for done in reversed(run.trace) if not done.success), AgentName.RAG_CHAT_AGENT)
    is_known = isinstance(error, CitebookError)
    level = logging.ERROR
    if is_known:
        is_told_of = decision in (Decision.GIVE_UP, Decision.DO_WITHOUT_MODEL, Decision.KEEP_PART)
        level = logging.WARNING if is_told_of else logging.INFO
    original = run.error.original_error if run.error else type(error).__name__
    told = (run.question.id, failed.value, run.error_code, decision.value, original)
    log.log(level, "question %s: %s failed (%s, then %s): %s", *told, exc_info=None if is_known else error)

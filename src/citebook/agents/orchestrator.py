"""RAGChatAgent: runs the other agents in their fixed order and turns what they do into one stream of events."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from citebook.agents.answer_synthesis import AnswerSynthesisAgent
from citebook.agents.error_recovery import Decision, ErrorRecoveryAgent, Progress
from citebook.agents.query_router import QueryRouterAgent, RouteKind
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.confidence.model import Confidence, ConfidenceModel, Weighing
from citebook.domain.answer import Answer, Outcome, ProvenSentence
from citebook.domain.errors import CitebookError, ErrorContext
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.domain.evidence import QueryResult
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Transcript
from citebook.domain.question import Question
from citebook.domain.trace import AgentName, AgentResponse
from citebook.pacing.deadline import Budget, Deadline
from citebook.searching.selected_passage import PassageAgent
from citebook.writing.replies import compose, refuse, suggest

_NO_CLAIM = Confidence(0.0, calibrated=False)
"""A reply that claims nothing about the book has nothing to be sure of."""


@dataclass(slots=True)
class _AnswerInProgress:
    """One question on its way through the agents."""

    question: Question
    deadline: Deadline
    started: float = field(default_factory=perf_counter)
    trace: list[AgentResponse] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    evidence: QueryResult | None = None
    weighing: Weighing | None = None
    sentences: list[ProvenSentence] = field(default_factory=list)
    unshown: list[ProvenSentence] = field(default_factory=list)
    """Proven, but not yet sure enough to be shown."""
    transcript: Transcript | None = None
    retries: int = 0
    by_words_only: bool = False
    error: ErrorContext | None = None
    """What went wrong last."""
    error_code: str = CitebookError.code

    @contextmanager
    def running(self, agent: AgentName) -> Iterator[dict[str, Any]]:
        """Leaves one `AgentResponse` in the trace: of what the agent put into its result, or of its error."""
        since = perf_counter()
        result: dict[str, Any] = {}
        try:
            yield result
        except Exception as error:
            self.did(agent, since, ErrorContext.of(error, self.question.id))
            raise
        self.did(agent, since, **result)

    def did(self, agent: AgentName, since: float, error: ErrorContext | None = None, **result: Any) -> None:
        elapsed = max(1e-3, (perf_counter() - since) * 1e3)
        self.timings[agent.value] = round(elapsed, 3)
        self.trace.append(
            AgentResponse(
                success=error is None,
                agent_name=agent,
                result_data=result,
                error_details=error,
                execution_time_ms=elapsed,
            )
        )


class RAGChatAgent:
    def __init__(
        self,
        router: QueryRouterAgent,
        retrieval: QdrantRetrievalAgent,
        passage: PassageAgent,
        synthesis: AnswerSynthesisAgent,
        recovery: ErrorRecoveryAgent,
        confidence: ConfidenceModel,
        budget: Budget,
    ) -> None:
        self._router, self._retrieval, self._passage, self._synthesis = router, retrieval, passage, synthesis
        self._recovery, self._confidence, self._budget = recovery, confidence, budget

    async def answer(self, question: Question) -> AsyncGenerator[Event, None]:
        """Always ends in `AnswerCompleted` or `AnswerFailed`; raises only when the caller cancels."""
        run = _AnswerInProgress(question, Deadline(self._budget))
        while True:
            try:
                async with aclosing(self._attempt(run)) as events:
                    async for event in events:
                        yield event
                return
            except Exception as error:  # a door: whatever went wrong becomes an event
                decision = self._decide(run, error)
            if decision is Decision.RETRY:
                run.retries += 1
            elif decision is Decision.SEARCH_BY_WORDS:
                run.by_words_only = True
            else:
                yield self._failure(run)
                return

    async def _attempt(self, run: _AnswerInProgress) -> AsyncGenerator[Event, None]:
        with run.running(AgentName.QUERY_ROUTER) as result:
            route = await self._router.route(run.question)
            result["kind"] = route.kind.value
        if route.kind is not RouteKind.SEARCH:
            yield AnswerCompleted(answer=self._ended(run, Outcome.REFUSED, route.text, _NO_CLAIM))
            return
        run.evidence = await self._retrieved(run, route.text)
        yield EvidenceFound(result=run.evidence)
        run.weighing = self._confidence.weigh(run.question.text, run.evidence)
        run.unshown = []
        if run.weighing.at_best < self._refuse_below(run):
            yield AnswerCompleted(answer=self._refusal(run))
            return
        async with aclosing(self._synthesised(run)) as events:
            async for event in events:
                yield event
        yield AnswerCompleted(answer=self._answer(run) if run.sentences else self._refusal(run))

    async def _retrieved(self, run: _AnswerInProgress, text: str) -> QueryResult:
        filters, keep = run.question.filters, run.question.policy.top_k
        with run.running(AgentName.QDRANT_RETRIEVAL) as result:
            if run.question.only_selected_text and run.question.selected_text:
                search = self._passage.evidence(run.question.text, run.question.selected_text)
            else:
                search = self._retrieval.retrieve(text, filters, keep, by_words_only=run.by_words_only)
            evidence = await run.deadline.for_retrieval(search)
            result["chunks"] = [found.chunk.id for found in evidence.retrieved_chunks]
            result["best_score"] = evidence.best_score
        return evidence

    async def _synthesised(self, run: _AnswerInProgress) -> AsyncGenerator[Event, None]:
        assert run.evidence is not None
        with run.running(AgentName.ANSWER_SYNTHESIS) as result:
            async with (
                aclosing(self._synthesis.synthesise(run.question, run.evidence)) as sentences,
                aclosing(run.deadline.for_generation(sentences, streamed=run.question.streamed)) as timely,
            ):
                async for sentence in timely:
                    if isinstance(sentence, Transcript):
                        run.transcript = sentence
                        continue
                    run.unshown.append(sentence)
                    if not run.sentences and self._weighed(run, run.unshown).value < self._refuse_below(run):
                        continue
                    for sure in run.unshown:
                        run.sentences.append(sure)
                        yield SentenceVerified(claim=sure.claim, citation=sure.citation)
                    run.unshown = []
            result["proven_sentences"] = len(run.sentences)

    def _refuse_below(self, run: _AnswerInProgress) -> float:
        """Nothing is shown of an answer that would be refused; more sentences can only raise the confidence."""
        return max(run.question.policy.refuse_below, self._confidence.refuse_below)

    def _weighed(self, run: _AnswerInProgress, sentences: Sequence[ProvenSentence]) -> Confidence:
        return run.weighing.after(sentences) if run.weighing else _NO_CLAIM

    def _decide(self, run: _AnswerInProgress, error: Exception) -> Decision:
        since = perf_counter()
        progress = Progress(
            retries=run.retries,
            searched_by_words=run.by_words_only,
            reader_saw_text=bool(run.sentences),
            seconds_left=run.deadline.seconds_left,
        )
        decision = self._recovery.decide(error, progress)
        run.error, run.error_code = self._recovery.explain(error, run.question.id), _code(error)
        run.did(AgentName.ERROR_RECOVERY, since, decision=decision.value, code=run.error_code)
        return decision

    def _failure(self, run: _AnswerInProgress) -> AnswerFailed:
        assert run.error is not None
        answer = self._ended(run, Outcome.FAILED, run.error.user_safe_message, _NO_CLAIM)
        return AnswerFailed(error=run.error, code=run.error_code, answer=answer)

    def _answer(self, run: _AnswerInProgress) -> Answer:
        confidence = self._weighed(run, run.sentences)
        claims, citations, text = compose(run.sentences)
        low = confidence.value < run.question.policy.warn_below
        return self._ended(
            run, Outcome.ANSWERED, text, confidence, claims=claims, citations=citations, low_confidence=low
        )

    def _refusal(self, run: _AnswerInProgress) -> Answer:
        assert run.evidence is not None
        suggestions = suggest(run.evidence)
        confidence = self._weighed(run, run.unshown)
        return self._ended(run, Outcome.REFUSED, refuse(suggestions), confidence, suggestions=suggestions)

    def _ended(
        self, run: _AnswerInProgress, outcome: Outcome, text: str, confidence: Confidence, **rest: Any
    ) -> Answer:
        error = run.error if outcome is Outcome.FAILED else None
        run.did(AgentName.RAG_CHAT_AGENT, run.started, error, outcome=outcome.value)
        return Answer(
            question_id=run.question.id,
            outcome=outcome,
            text=text,
            confidence=confidence.value,
            calibrated=confidence.calibrated,
            filter_message=run.evidence.filter_message if run.evidence else None,
            model_used=self._synthesis.model_used,
            transcript=run.transcript,
            tokens_used=run.transcript.usage if run.transcript else TokenUsage(),
            edition=run.evidence.edition if run.evidence else None,
            timings_ms=run.timings,
            trace=tuple(run.trace),
            **rest,
        )


def _code(error: Exception) -> str:
    return error.code if isinstance(error, CitebookError) else CitebookError.code

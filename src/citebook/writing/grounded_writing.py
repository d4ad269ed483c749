"""Answers with a language model that may only say what it can quote."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing

from citebook.domain.answer import Claim
from citebook.domain.errors import GeneratorFailed
from citebook.domain.evidence import QueryResult
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Transcript
from citebook.domain.question import Question
from citebook.language.languages import language_of
from citebook.ports import LanguageModel
from citebook.proving.plain_claims import plain_claim
from citebook.proving.quote_search import QuotableChunk
from citebook.writing.answer_lines import AnswerLine, AnswerLines, Estimate, NotCovered, WrittenClaim
from citebook.writing.prompting import GroundedPrompt, write_prompt

_MOST_CLAIMS = 12


class GroundedWriter:
    """A `Generator` over any language model. Nothing it passes on is believed yet: the verifier judges each claim."""

    def __init__(
        self, model: LanguageModel, *, excerpt_characters: int = 12_000, max_output_tokens: int = 1_000
    ) -> None:
        self._model, self._excerpt_characters, self._max_output_tokens = model, excerpt_characters, max_output_tokens

    @property
    def name(self) -> str:
        return self._model.name

    async def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim | Transcript, None]:
        """Claims as the model ends them, and the transcript as it grows: should the model fail, it is there.

        The model is not asked where there is no evidence.
        """
        if not evidence.retrieved_chunks:
            return
        asked = write_prompt(
            question,
            evidence,
            excerpt_characters=self._excerpt_characters,
            max_output_tokens=self._max_output_tokens,
        )
        lines, answer = AnswerLines(), _WrittenAnswer(asked, evidence)
        usage = TokenUsage()
        yield answer.transcript(lines.text, usage)
        async with aclosing(self._model.write(asked.prompt)) as pieces:
            try:
                async for piece in pieces:
                    if isinstance(piece, TokenUsage):
                        usage = piece
                        continue
                    for claim in answer.claims(lines.feed(piece)):
                        yield claim
                    if "\n" in piece:
                        yield answer.transcript(lines.text, usage)
                    if lines.is_full:
                        break
            except GeneratorFailed:
                yield answer.transcript(lines.text, usage)
                raise
        for claim in answer.claims(lines.end()):
            yield claim
        yield answer.transcript(lines.text, usage)


class _WrittenAnswer:
    """One answer in the making: binds what the model wrote to sentences of the book."""

    def __init__(self, asked: GroundedPrompt, evidence: QueryResult) -> None:
        self._prompt, self._shown, self._language = asked.prompt, asked.excerpts, language_of(evidence.language)
        self._retrieved = tuple(found.chunk for found in evidence.retrieved_chunks)
        self._quotable: dict[str, QuotableChunk] = {}
        self._told: set[str] = set()
        self._unfounded = 0
        self._is_refused = False
        self._estimate: float | None = None

    def transcript(self, response: str, usage: TokenUsage) -> Transcript:
        return Transcript(
            prompt_version=self._prompt.version,
            prompt=f"{self._prompt.instructions}\n\n{self._prompt.message}",
            response=response,
            usage=usage,
            estimate=self._estimate,
            unfounded=self._unfounded,
            not_covered=self._is_refused,
        )

    def claims(self, lines: Iterable[AnswerLine]) -> Iterator[Claim]:
        for line in lines:
            match line:
                case WrittenClaim() if not self._is_refused:
                    yield from self._bound(line)
                case NotCovered():
                    self._is_refused = True
                case Estimate(value):
                    self._estimate = value

    def _bound(self, written: WrittenClaim) -> Iterator[Claim]:
        """Nothing where the quote stands nowhere or the claim is not plain.

        A claim of several sentences becomes several: each must be proven, and none hides behind another.
        """
        for quotable in self._candidates(written.excerpt):
            found = quotable.find(written.quote)
            if found is None:
                continue
            chunk = quotable.chunk
            first, last = chunk.sentences[found.first_sentence], chunk.sentences[found.last_sentence]
            text = plain_claim(written.text, chunk.text[first.start : last.end])
            if text is None:
                break
            for sentence in self._untold(text):
                yield Claim(
                    text=sentence,
                    chunk_id=chunk.id,
                    first_sentence=found.first_sentence,
                    last_sentence=found.last_sentence,
                )
            return
        self._unfounded += 1

    def _untold(self, text: str) -> Iterator[str]:
        for start, end in self._language.sentence_spans(text):
            sentence = text[start:end]
            if sentence not in self._told and len(self._told) < _MOST_CLAIMS:
                self._told.add(sentence)
                yield sentence

    def _candidates(self, number: int | None) -> Iterator[QuotableChunk]:
        """The excerpt that was named, then all that was retrieved: models miscount."""
        named = self._shown[number - 1] if number is not None and 1 <= number <= len(self._shown) else None
        for chunk in (named, *self._retrieved) if named else self._retrieved:
            if chunk.id not in self._quotable:
                self._quotable[chunk.id] = QuotableChunk(chunk)
            yield self._quotable[chunk.id]

"""Quotes the sentences of the book that answer a question."""

from citebook.domain.answer import Claim
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.language.languages import Language, language_of
from citebook.reading.passages import PassageReader
from citebook.reading.quotations import Quoting
from citebook.reading.sentence_scoring import Asked, score_sentences

_ENOUGH_TERMS = 2


class ExtractiveReader:
    """Quotes at most three sentences, each with what belongs to it.

    The score of a claim is the probability that its best sentence holds the answer, fitted on questions of which some
    have no answer in the book: it falls where other sentences score as well, where much of the question is not
    covered, and where the question has few terms or repeats them.
    """

    name = "extractive"

    def __init__(self) -> None:
        self._reader = PassageReader()

    def quote(self, question: Question, evidence: QueryResult) -> list[Claim]:
        """At most three claims, best first."""
        language = language_of(evidence.language)
        asked = Asked(_standalone(question, evidence, language), evidence.term_weights, language)
        ranked = score_sentences(asked, evidence.retrieved_chunks, self._reader)
        return Quoting(asked, self._reader).claims(ranked)


def _standalone(question: Question, evidence: QueryResult, language: Language) -> str:
    """What was searched, where that is a follow-up made whole; else the question as it was put."""
    if question.selected_text and len(language.terms(question.text)) >= _ENOUGH_TERMS:
        return question.text
    is_rewritten = evidence.query_text.lower() != " ".join(question.text.lower().split())
    return evidence.query_text if is_rewritten and evidence.query_text else question.text

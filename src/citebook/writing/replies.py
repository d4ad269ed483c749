"""The words of an answer: proven sentences with their markers, or a refusal that says what the book does cover."""

from collections.abc import Sequence

from citebook.domain.answer import MAX_ANSWER_CHARACTERS, Citation, ProvenClaim, ProvenSentence, Suggestion
from citebook.domain.evidence import QueryResult

_SUGGESTIONS = 3


def compose(
    sentences: Sequence[ProvenSentence],
) -> tuple[tuple[ProvenClaim, ...], tuple[Citation, ...], str]:
    """Claims, citations and the text; what goes over the limit is left out, whole sentences at a time."""
    claims: list[ProvenClaim] = []
    citations: dict[int, Citation] = {}
    text = ""
    for sentence in sentences:
        marked = f"{sentence.claim.text} [{sentence.claim.citation}]"
        separator = _separator(text, marked)
        if len(text) + len(separator) + len(marked) > MAX_ANSWER_CHARACTERS:
            break
        text += separator + marked
        claims.append(sentence.claim)
        citations[sentence.citation.position] = sentence.citation
    return tuple(claims), tuple(citations.values()), text


def _separator(text: str, following: str) -> str:
    """Lists, tables and code stand apart."""
    if not text:
        return ""
    last_line_is_prose = "\n" not in text.rsplit(" [", 1)[0][-200:]
    return " " if last_line_is_prose and "\n" not in following else "\n\n"


def suggest(evidence: QueryResult) -> tuple[Suggestion, ...]:
    """The nearest parts of the book, at most one of each chapter."""
    suggestions: dict[str, Suggestion] = {}
    for found in evidence.retrieved_chunks:
        chunk = found.chunk
        title = chunk.section_title
        if title != chunk.place.chapter_title:
            title = f"{chunk.place.chapter_title}: {title}"
        suggestions.setdefault(chunk.place.chapter_id, Suggestion(title=title, url=chunk.url))
    return tuple(suggestions.values())[:_SUGGESTIONS]


def refuse(suggestions: Sequence[Suggestion]) -> str:
    text = "The book does not answer this."
    if suggestions:
        text += " The nearest it has: " + "; ".join(suggestion.title for suggestion in suggestions) + "."
    return text

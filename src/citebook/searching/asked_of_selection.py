"""A question about a text that the reader selected: what is searched for it, and what is quoted in answer."""

from collections.abc import Awaitable, Callable

from citebook.domain.answer import Claim
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.question import Question
from citebook.language.languages import Language
from citebook.searching.selected_passage import SelectedPassageSearch
from citebook.searching.selections import Selection, Wish, find_selection, wish_of

_ENOUGH = 1 / 3
"""The share of a question's terms with which a selection is taken to answer it."""
_NAMES_ITS_SUBJECT = 2

Search = Callable[[str], Awaitable[QueryResult]]
"""Finds evidence in the book for a text."""


class AskedOfSelection:
    def __init__(self, question: Question, language: Language) -> None:
        assert question.selected_text is not None
        self._text, self._passage = question.text.strip(), question.selected_text.strip()
        self._language, self._is_strict = language, question.only_selected_text
        self._wish = wish_of(self._text, language)
        self._evidence: QueryResult | None = None
        self._place: Selection | None = None

    @property
    def answers_itself(self) -> bool:
        """Whether the selection, and what stands around it, are the answer, so that there is nothing to refuse."""
        return self._place is not None

    @property
    def introduction(self) -> str | None:
        """What is said before an answer that explains by quoting."""
        is_explained = self.answers_itself and self._wish is Wish.EXPLANATION
        return self._language.conversation.replies.explained_by_quoting if is_explained else None

    async def evidence(self, in_passage: SelectedPassageSearch, in_book: Search) -> QueryResult:
        found = await (self._of_passage(in_passage) if self._is_strict else self._of_book(in_book))
        self._evidence = found
        return found

    def claims(self, read: Callable[[], list[Claim]]) -> list[Claim]:
        """What is quoted; `read` chooses by the question from all of the evidence."""
        if self._place is None or self._evidence is None:
            return read()
        match self._wish:
            case Wish.SUMMARY:
                wants_one = self._language.selections.in_one_sentence.search(self._text) is not None
                return self._place.summary(in_one_sentence=wants_one)
            case Wish.EXPLANATION:
                return self._place.explanation([found.chunk for found in _read(self._evidence)])
            case Wish.ANSWER:
                own = [claim for claim in read() if self._place.holds(claim)]
                return own or [self._place.best(self._terms)]

    @property
    def _terms(self) -> list[str]:
        """Without words that only ask."""
        asking = self._language.follow_ups.asking | self._language.follow_ups.aspects
        telling = (word for word in self._language.words(self._text) if word not in asking)
        return self._language.terms(" ".join(telling))

    async def _of_passage(self, search: SelectedPassageSearch) -> QueryResult:
        asked = self._text if self._wish is Wish.ANSWER else self._passage
        found = await search.evidence(asked, self._passage, self._language)
        place = Selection.whole(found.retrieved_chunks[0].chunk, self._language)
        self._place = place if self._wish is not Wish.ANSWER or place.coverage(self._terms) else None
        return found

    async def _of_book(self, search: Search) -> QueryResult:
        """Around the selection; where it has nothing of a question that names its subject, in the whole book."""
        about = self._passage if self._wish is not Wish.ANSWER else f"{self._text}\n{self._passage}"
        found = await search(about)
        place = find_selection(self._passage, (chunk.chunk for chunk in _read(found)), self._language)
        if self._wish is not Wish.ANSWER:
            self._place = place
            return found
        if place is not None and place.coverage(self._terms) >= _ENOUGH:
            self._place = place
            return self._only(place, found)
        return await search(self._text) if len(set(self._terms)) >= _NAMES_ITS_SUBJECT else found

    def _only(self, place: Selection, found: QueryResult) -> QueryResult:
        """The evidence, with the chunk of the selection alone, asked for by the question alone."""
        chunk = next(one for one in _read(found) if one.chunk.id == place.chunk.id)
        asked = set(self._language.terms(self._text))
        return found.model_copy(
            update={
                "query_text": " ".join(self._text.lower().split()),
                "retrieved_chunks": (chunk.model_copy(update={"rank": 1}),),
                "nearby": (),
                "total_results": 1,
                "term_weights": {term: weight for term, weight in found.term_weights.items() if term in asked},
                "missing_terms": found.missing_terms & asked,
                "searched_with": None,
            }
        )


def _read(evidence: QueryResult) -> tuple[RetrievedChunk, ...]:
    return (*evidence.retrieved_chunks, *evidence.nearby)

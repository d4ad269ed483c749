"""How well each sentence of the evidence answers a question, by signals that cost next to nothing."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import log

from citebook.adapters.extractive.answer_cues import cue_for
from citebook.domain.evidence import RetrievedChunk
from citebook.domain.language import term_set, terms, words

# Fitted on questions about encyclopedia articles (development split) and rounded; see docs/decisions/0005.
_LOCAL_COVERAGE = 5.0
_NEIGHBOUR_COVERAGE = 4.5
_HEADING_COVERAGE = 2.5
_CHUNK_GAP = 20.0
_BEST_CHUNK = 0.5
_CUE = 2.0
_WORD_PAIRS = 4.0
_LENGTH = -0.5
_QUESTION = -3.0
_CODE = -3.0
_OTHER_NUMBER = -3.0

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CODE_WORDS = frozenset("code command commands example snippet script syntax write run install call type".split())


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    chunk: RetrievedChunk
    index: int
    text: str
    score: float
    coverage: float
    """Share of the question's telling terms that stand in the sentence, its neighbours or its heading."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence with the terms of its surroundings."""

    chunk: RetrievedChunk
    index: int
    text: str
    own: frozenset[str]
    nearby: frozenset[str]
    heading: frozenset[str]
    is_code: bool


def score_sentences(
    question: str, chunks: Sequence[RetrievedChunk], term_weights: Mapping[str, float]
) -> list[ScoredSentence]:
    """All different sentences of the chunks, best first; one that only repeats the question is none."""
    places = list(_places(chunks))
    asked = frozenset(terms(question))
    weights = {term: term_weights.get(term, 1.0) for term in asked}
    local_weights = _local_weights(asked, places)
    asked_words = frozenset(words(question))
    pairs = [" ".join(pair) for pair in pairwise(words(question))]
    cue = cue_for(question)
    wants_code = bool(_CODE_WORDS & asked_words)
    numbers = frozenset(_NUMBER.findall(question))
    best = max((chunk.deciding_score for chunk in chunks), default=0.0)
    scored = []
    for place in places:
        if place.text.endswith("?") and len(place.own - asked) <= 1:
            continue
        nearby = _share(place.nearby, weights)
        heading = _share(place.own | place.heading, weights)
        lowered = place.text.lower()
        has_other_number = _has_other_number(numbers, place.text)
        score = (
            _LOCAL_COVERAGE * _share(place.own, local_weights)
            + _NEIGHBOUR_COVERAGE * nearby
            + _HEADING_COVERAGE * heading
            + _CHUNK_GAP * (place.chunk.deciding_score - best)
            + _BEST_CHUNK * (place.chunk.rank == 1)
            + _CUE * (cue is not None and cue(place.text, asked_words))
            + _WORD_PAIRS * sum(pair in lowered for pair in pairs) / max(1, len(pairs))
            + _LENGTH * log(1 + len(place.own))
            + _QUESTION * place.text.endswith("?")
            + _CODE * (place.is_code and not wants_code)
            + _OTHER_NUMBER * has_other_number
        )
        coverage = _share(place.nearby | place.heading, weights) * (0.5 if has_other_number else 1.0)
        scored.append(ScoredSentence(place.chunk, place.index, place.text, score, coverage))
    return sorted(scored, key=lambda sentence: -sentence.score)


def _places(chunks: Sequence[RetrievedChunk]) -> Iterator[_Place]:
    seen: set[str] = set()
    for found in chunks:
        chunk = found.chunk
        texts = [chunk.quote(sentence) for sentence in chunk.sentences]
        own = [term_set(text) for text in texts]
        heading = term_set(" ".join(chunk.heading_path))
        for index, text in enumerate(texts):
            if text in seen:
                continue
            seen.add(text)
            nearby = frozenset().union(*own[max(0, index - 1) : index + 2])
            yield _Place(found, index, text, own[index], nearby, heading, chunk.sentences[index].whole_block)


def _local_weights(asked: Set[str], places: Sequence[_Place]) -> dict[str, float]:
    """A term that most of the found sentences share tells them apart no more."""
    weights = {}
    for term in asked:
        count = sum(term in place.own for place in places)
        weights[term] = log((len(places) + 1) / (count + 0.5)) if count else 0.0
    return weights


def _share(present: Set[str], weights: Mapping[str, float]) -> float:
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in present) / total if total else 0.0


def _has_other_number(asked: Set[str], text: str) -> bool:
    """The question names a number, and the sentence another one instead of it."""
    told = set(_NUMBER.findall(text))
    return bool(asked and told and not asked & told)

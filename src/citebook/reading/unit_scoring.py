"""How well each unit of the evidence answers a question: by its meaning, by its words, and by what it is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log

from pydantic import FiniteFloat

from citebook.domain.evidence import RetrievedChunk
from citebook.domain.units import UnitKind, shown_to_examiner
from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.reading.answer_cues import QuestionKind, wants_list
from citebook.reading.passages import PassageReader, ReadPassage, ReadSentence, ReadUnit
from citebook.reading.sentence_scoring import Asked, ScoredSentence

FILE = "unit_weights.json"
_FARTHEST = -15.0
"""How far below the best sentence another is at most taken to be."""
_USUAL_LENGTH = 100
EXAMINED = 3
"""Units that an examiner reads, the best by all other signals."""
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "cmd", "npm2yarn"})
LISTS = frozenset({UnitKind.LIST, UnitKind.STEPS, UnitKind.RUN, UnitKind.TABLE})


class UnitWeights(Value):
    signals: dict[str, FiniteFloat]
    """What each signal of `unit_signals` adds to a unit's score."""
    second_reading: dict[str, FiniteFloat]
    """What that score and the examiner's word add to the score of a unit that was examined."""
    probability: dict[str, FiniteFloat]
    """From the score of the best unit, and what stands beside it, to the probability that it answers."""
    probability_unexamined: dict[str, FiniteFloat]
    """The same where no examiner read it."""


@cache
def shipped_weights() -> Fitted[UnitWeights]:
    return Fitted[UnitWeights].of("citebook.reading", FILE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit that may be the answer, where it stands."""

    found: RetrievedChunk
    passage: ReadPassage
    unit: ReadUnit
    likeness: float | None
    """To the question, by meaning; None where words alone were matched."""

    @property
    def shown_to_examiner(self) -> str:
        """The unit under its nearest headings."""
        return shown_to_examiner(self.found.chunk, self.unit.text)


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    candidate: Candidate
    score: float
    probability: float
    """That it answers the question."""
    examined: float | None = None
    """The same by the examiner's word alone; None where it was not asked."""

    @property
    def unit(self) -> ReadUnit:
        return self.candidate.unit


Examine = Callable[[str, Sequence[str]], Sequence[float]]
"""Says of each passage how surely it answers a question, in logits; says nothing where it cannot."""


def without_examiner(_question: str, _passages: Sequence[str]) -> Sequence[float]:
    return ()


def candidates(chunks: Sequence[RetrievedChunk], reader: PassageReader, asked: Asked) -> list[Candidate]:
    """The units of all chunks, each once: chunks overlap, and a part of a unit is left out for the whole of it."""
    found = [one for chunk in chunks for one in _units(chunk, reader.read(chunk.chunk, asked.language))]
    kept: dict[str, Candidate] = {}
    by_page: dict[str, list[Candidate]] = {}
    for candidate in sorted(found, key=lambda one: (-len(one.unit.text), one.found.rank)):
        beside = by_page.setdefault(candidate.found.chunk.place.source_file, [])
        if candidate.unit.text not in kept and not any(_holds(other, candidate) for other in beside):
            kept[candidate.unit.text] = candidate
            beside.append(candidate)
    return list(kept.values())


def _units(found: RetrievedChunk, passage: ReadPassage) -> Iterator[Candidate]:
    likeness = found.unit_cosines if len(found.unit_cosines) == len(passage.units) else [None] * len(passage.units)
    return (Candidate(found, passage, unit, alike) for unit, alike in zip(passage.units, likeness, strict=True))


def _holds(whole: Candidate, part: Candidate) -> bool:
    return whole.found is not part.found and part.unit.text in whole.unit.text


def score_units(
    asked: Asked,
    units: Sequence[Candidate],
    sentences: Sequence[ScoredSentence],
    examine: Examine = without_examiner,
    weights: UnitWeights | None = None,
) -> list[ScoredUnit]:
    """Best first; `sentences` are all that the chunks have, scored by their words."""
    weights = weights or shipped_weights().weights
    ranked = first_reading(asked, units, sentences, weights)
    points = examine(asked.text, [one.shown_to_examiner for one, _ in ranked[:EXAMINED]])
    return second_reading(asked, ranked, points, weights)


def first_reading(
    asked: Asked, units: Sequence[Candidate], sentences: Sequence[ScoredSentence], weights: UnitWeights
) -> list[tuple[Candidate, float]]:
    """The units by their signals, best first."""
    told = [
        (candidate, sum(weights.signals.get(name, 0.0) * value for name, value in signals.items()))
        for candidate, signals in unit_signals(asked, units, sentences)
    ]
    return sorted(told, key=lambda one: -one[1])


def second_reading(
    asked: Asked, ranked: Sequence[tuple[Candidate, float]], points: Sequence[float], weights: UnitWeights
) -> list[ScoredUnit]:
    """With what the examiner says of the first; the others are taken to be no better than the worst of those."""
    known = [*points, *[min(points, default=0.0)] * (len(ranked) - len(points))]
    of_first, of_point = (weights.second_reading[name] if points else 1.0 for name in ("score", "examined"))
    told = [
        (one, of_first * score + of_point * point, point) for (one, score), point in zip(ranked, known, strict=True)
    ]
    told.sort(key=lambda one: -one[1])
    chances = weights.probability if points else weights.probability_unexamined
    return [
        ScoredUnit(
            one,
            score,
            _probability(asked, one, (score, share, point), chances),
            asked.distinctness * _chance(point) if points else None,
        )
        for (one, score, point), share in zip(told, shares_of([score for _, score, _ in told]), strict=True)
    ]


def shares_of(scores: Sequence[float]) -> list[float]:
    """The logarithm of what each score, best first, has of all: a good one says little where others are as good."""
    total = log(sum(exp(score - scores[0]) for score in scores)) if scores else 0.0
    return [score - scores[0] - total for score in scores]


def _probability(
    asked: Asked, candidate: Candidate, scored: tuple[float, float, float], weights: Mapping[str, float]
) -> float:
    """Less where the question says the same words over and over."""
    return asked.distinctness * _logistic(weights, probability_signals(asked, candidate, *scored))


def probability_signals(
    asked: Asked, candidate: Candidate, score: float, log_share: float, examined: float
) -> dict[str, float]:
    covered = asked.terms & (candidate.unit.terms | candidate.passage.heading)
    return {
        "score": score,
        "log_share": log_share,
        "likeness": candidate.likeness or 0.0,
        "coverage": asked.share(covered),
        "question_length": log(1 + len(asked.terms)),
        "examined": examined,
    }


def unit_signals(
    asked: Asked, units: Sequence[Candidate], sentences: Sequence[ScoredSentence]
) -> Iterator[tuple[Candidate, dict[str, float]]]:
    """Each unit with what speaks for and against it."""
    by_text = {sentence.read.text: sentence.score for sentence in sentences}
    best_sentence = max(by_text.values(), default=0.0)
    best_chunk = max((candidate.found.deciding_score for candidate in units), default=0.0)
    list_wanted = wants_list(asked.text, asked.language)
    for candidate in units:
        unit = candidate.unit
        own = [by_text.get(sentence.text, best_sentence + _FARTHEST) for sentence in _sentences(candidate)]
        yield (
            candidate,
            {
                "likeness": candidate.likeness or 0.0,
                "best sentence": max(_FARTHEST, max(own) - best_sentence),
                "chunk gap": candidate.found.deciding_score - best_chunk,
                "chunk rank": log(candidate.found.rank),
                **_words(asked, candidate),
                **_form(asked, unit, list_wanted=list_wanted),
                **_told(asked, candidate),
            },
        )


def _sentences(candidate: Candidate) -> Sequence[ReadSentence]:
    return candidate.passage.sentences[candidate.unit.first : candidate.unit.last + 1]


def _words(asked: Asked, candidate: Candidate) -> dict[str, float]:
    """Which of the question's terms stand in the unit and around it."""
    unit, passage = candidate.unit, candidate.passage
    own, heading, title = asked.terms & unit.terms, asked.terms & passage.heading, asked.terms & passage.title
    beside = [passage.units[at].terms for at in (unit.place - 1, unit.place + 1) if 0 <= at < len(passage.units)]
    around = (own | heading).union(*(asked.terms & terms for terms in beside))
    return {
        "own terms": asked.share(own),
        "with its heading": asked.share(own | heading),
        "with what stands around": asked.share(around),
        "title": asked.share(title),
        "title says no more": len(title) / max(1, len(passage.title)),
        "word pairs": sum(pair in unit.lowered for pair in asked.pairs) / max(1, len(asked.pairs)),
        "new terms": log(1 + len(unit.terms - asked.terms)),
    }


def _form(asked: Asked, unit: ReadUnit, *, list_wanted: bool) -> dict[str, float]:
    """What the unit is, and whether that is what was asked for."""
    kind, asks = unit.kind, asked.cues.kind
    return {
        "length": log(1 + len(unit.text) / _USUAL_LENGTH),
        "place": log(1 + unit.place),
        "first": float(unit.place == 0),
        f"is {kind.value}": 1.0,
        "title only": float(unit.is_title),
        "tells nothing": float(not unit.tells),
        "glossary": float(unit.is_glossary),
        "list wanted": float(kind in LISTS and list_wanted),
        "code wanted": float(kind is UnitKind.CODE and asked.wants_code),
        "code unwanted": float(kind is UnitKind.CODE and not asked.wants_code),
        "steps for how": float(kind is UnitKind.STEPS and asks is QuestionKind.HOW),
        "list for how": float(kind in (UnitKind.LIST, UnitKind.RUN) and asks is QuestionKind.HOW),
    }


def _told(asked: Asked, candidate: Candidate) -> dict[str, float]:
    """What the unit has to offer of the kind that was asked for."""
    unit, asks = candidate.unit, asked.cues.kind
    cues = [asked.cues.found_in(sentence.text) for sentence in _sentences(candidate)]
    is_asked_for = asked.terms & candidate.passage.title and asks in (QuestionKind.DEFINITION, QuestionKind.OTHER)
    has_cue = any(cue != "definition" for found in cues for cue in found)
    return {
        "cue": float(has_cue),
        "defines": float(any("definition" in found for found in cues)),
        "defines at once": float("definition" in cues[0]),
        "opens what was asked for": float(bool(is_asked_for) and unit.place == 0),
        "number missing": float(asks is QuestionKind.NUMBER and not has_cue),
        "command": float(asked.wants_command and unit.code_language in _SHELLS),
    }


def _logistic(weights: Mapping[str, float], signals: Mapping[str, float]) -> float:
    total = weights.get("intercept", 0.0) + sum(weights.get(name, 0.0) * value for name, value in signals.items())
    return _chance(total)


def _chance(logit: float) -> float:
    return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, logit))))

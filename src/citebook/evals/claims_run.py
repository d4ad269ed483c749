"""Measures the judgement of claims by labelled pairs of a context and a claim."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from citebook.domain.book import DEFAULT_LANGUAGE, LanguageCode
from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.metrics import mean
from citebook.language.languages import Language, language_of
from citebook.proving.placing.in_place import Surroundings
from citebook.proving.support.judging import proven_from, support

_QUOTED_AT_MOST = 3


class LabelledClaim(BaseModel):
    """A claim and the text that may support it. Fields that only some sets have are kept for `--where`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    context: str
    claim: str
    label: Literal["supported", "partially_supported", "not_supported", "questionable"]
    id: str = ""
    source: str = "claims"
    language: LanguageCode = DEFAULT_LANGUAGE

    @property
    def spoken(self) -> Language:
        return language_of(self.language)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    id: str
    source: str
    is_supported: bool
    support: float
    milliseconds: float


def read_claims(path: Path, where: Sequence[str] = ()) -> list[LabelledClaim]:
    """The claims that meet all conditions, such as `split=test`, but for those that the labellers left open."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuestionSet(f"{path} cannot be read: {error}") from None
    conditions = [_condition(text) for text in where]
    rows = [_claim(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    claims = [row for row in rows if row.label != "questionable" and _meets(row.model_dump(), conditions)]
    if not claims:
        raise InvalidQuestionSet(f"{path} has no claim that meets: {', '.join(where) or 'any condition'}")
    return claims


def _claim(path: Path, number: int, line: str) -> LabelledClaim:
    try:
        return LabelledClaim.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise InvalidQuestionSet(f"{path}, line {number}: {field}: {first['msg']}") from None


def _condition(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise InvalidQuestionSet(f"--where {text}: write it as FIELD=VALUE, such as source=WiCE")
    return name.strip(), value.strip().lower()


def _meets(row: dict[str, Any], conditions: Sequence[tuple[str, str]]) -> bool:
    """`source=SummEdits` takes SummEdits/news as well."""
    values = {name: str(row.get(name)).lower() for name, _ in conditions}
    return all(wanted in (values[name], values[name].partition("/")[0]) for name, wanted in conditions)


def evaluate_claims(claims: Sequence[LabelledClaim], report: Callable[[int], None]) -> list[ClaimResult]:
    results = []
    for done, claim in enumerate(claims, start=1):
        parts = parts_of(claim)
        started = perf_counter()
        strength = min((support(*part, claim.spoken) for part in parts), default=0.0)
        spent = (perf_counter() - started) * 1e3
        results.append(ClaimResult(claim.id, claim.source, claim.label == "supported", round(strength, 4), spent))
        report(done)
    return results


def parts_of(claim: LabelledClaim) -> list[tuple[str, str, Surroundings]]:
    """Each sentence of a claim with the sentences that it would quote, and those around them."""
    language = claim.spoken
    return [
        (sentence, *quote_for(sentence, claim.context, language)) for sentence in _sentences(claim.claim, language)
    ]


def quote_for(claim: str, context: str, language: Language) -> tuple[str, Surroundings]:
    """The sentences that a claim would quote, each taken for words that are still missing, and those around them."""
    sentences = _sentences(context, language)
    terms = [language.term_set(sentence) for sentence in sentences]
    missing = set(language.term_set(claim))
    chosen: set[int] = set()
    while missing and len(chosen) < min(_QUOTED_AT_MOST, len(sentences)):
        best = max(range(len(sentences)), key=lambda index: _gain(missing, terms[index]))
        if chosen and not missing & terms[best]:
            break
        chosen.add(best)
        missing -= terms[best]
    near = {index + step for index in chosen for step in (-1, 0, 1)} | {0}
    around = [sentence for index, sentence in enumerate(sentences) if index in near]
    first = min(chosen, default=0)
    before = sentences[first - 1] if first else ""
    return " ".join(sentences[index] for index in sorted(chosen)), Surroundings(before, after=" ".join(around))


def _gain(missing: set[str], own: frozenset[str]) -> float:
    """Of sentences with as many of the words, the shortest."""
    return len(missing & own) - 1e-3 * len(own)


@lru_cache(maxsize=64)
def _sentences(text: str, language: Language) -> list[str]:
    lines = [line for line in text.split("\n") if line.strip()]
    return [line[start:end] for line in lines for start, end in language.sentence_spans(line)]


def summarise(results: Sequence[ClaimResult]) -> dict[str, Any]:
    """What is written with `--json`: the figures of each source and of all, then every claim."""
    families: dict[str, list[ClaimResult]] = {}
    for result in results:
        families.setdefault(result.source.partition("/")[0], []).append(result)
    return {
        "threshold": proven_from(),
        "claims": len(results),
        "by_source": {name: _figures(own) for name, own in sorted(families.items())},
        "all": _figures(results),
        "milliseconds": round(mean([result.milliseconds for result in results]), 3),
        "results": [asdict(result) for result in results],
    }


def _figures(results: Sequence[ClaimResult]) -> dict[str, float | int | None]:
    right = [result.support for result in results if result.is_supported]
    wrong = [result.support for result in results if not result.is_supported]
    kept = mean([float(value >= proven_from()) for value in right])
    shown = mean([float(value >= proven_from()) for value in wrong])
    proven = sum(value >= proven_from() for value in right + wrong)
    both = bool(right and wrong)
    return {
        "claims": len(results),
        "balanced_accuracy": round((kept + 1 - shown) / 2, 4) if both else None,
        "auc": round(area_under_curve(right, wrong), 4) if both else None,
        "precision": round(kept * len(right) / proven, 4) if proven else None,
        "recall": round(kept, 4) if right else None,
    }


def area_under_curve(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How probable it is that a supported claim scores higher than one that is not; a tie counts half."""
    ordered = sorted([(value, 1) for value in right] + [(value, 0) for value in wrong])
    below = total = 0.0
    index = 0
    while index < len(ordered):
        end = index
        while end < len(ordered) and ordered[end][0] == ordered[index][0]:
            end += 1
        tied_right = sum(kind for _, kind in ordered[index:end])
        tied_wrong = end - index - tied_right
        total += tied_right * (below + tied_wrong / 2)
        below += tied_wrong
        index = end
    return total / (len(right) * len(wrong))

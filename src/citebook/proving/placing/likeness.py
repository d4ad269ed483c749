"""Whether two words say the same: equal, forms of one word, or of like meaning."""

from collections.abc import Iterator
from functools import cache

from citebook.language.languages import Language
from citebook.proving.placing.reading import Kind, Placed, Reading, form_and_key

_SHORTEST_STEM = 3


def is_same(ours: Placed, theirs: Placed, language: Language) -> bool:
    if ours.kind is not theirs.kind:
        return False
    if ours.kind is Kind.OPERATOR:
        readings = language.paraphrase.readings
        return ours.key == theirs.key or readings.get(theirs.key) == ours.key or readings.get(ours.key) == theirs.key
    if ours.kind is Kind.PREPOSITION:
        return ours.key == theirs.key or bool(_groups(ours, language) & _groups(theirs, language))
    if ours.kind is not Kind.WORD:
        return ours.key == theirs.key
    return is_form(ours, theirs, language) or bool(_groups(ours, language) & _groups(theirs, language))


def is_form(ours: Placed, theirs: Placed, language: Language) -> bool:
    """Whether both are forms of one word: “organs” is one of “organ”, “organism” is not."""
    if ours.form == theirs.form:
        return True
    return ours.key == theirs.key and _differ_by_endings(ours.form, theirs.form, language)


def _differ_by_endings(one: str, other: str, language: Language) -> bool:
    shared = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    if shared < _SHORTEST_STEM:
        return False
    endings = language.paraphrase.forms | {""}
    last = one[shared - 1]
    return all(rest in endings or rest.removeprefix(last) in endings for rest in (one[shared:], other[shared:]))


def _groups(word: Placed, language: Language) -> frozenset[int]:
    key = word.key if word.kind is Kind.WORD else form_and_key(word.text, language)[1]
    return _meanings(language).get(key, frozenset())


@cache
def _meanings(language: Language) -> dict[str, frozenset[int]]:
    """For each stem, the meanings that it may have."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(language.paraphrase.alike):
        for word in group:
            found.setdefault(form_and_key(word, language)[1], set()).add(number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


class Places:
    """Finds where a quote has a word."""

    def __init__(self, quote: Reading) -> None:
        self._quote = quote
        self._by_key: dict[str, list[int]] = {}
        self._by_meaning: dict[int, list[int]] = {}
        lists = quote.language.paraphrase
        self._having = [index for index, word in enumerate(quote.words) if word.text in lists.have_forms]
        for index in quote.telling:
            word = quote.words[index]
            self._by_key.setdefault(word.key, []).append(index)
            for number in _groups(word, quote.language) if word.kind in (Kind.WORD, Kind.PREPOSITION) else ():
                self._by_meaning.setdefault(number, []).append(index)

    def of(self, word: Placed, most: int) -> list[int]:
        """At most so many."""
        language = self._quote.language
        found: list[int] = []
        for index in self._likely(word):
            if index not in found and is_same(word, self._quote.words[index], language):
                found.append(index)
                if len(found) == most:
                    break
        if word.text in language.paraphrase.having:
            found += self._having[: most - len(found)]
        return found

    def _likely(self, word: Placed) -> Iterator[int]:
        yield from self._by_key.get(word.key, ())
        readings = self._quote.language.paraphrase.readings
        for other in (readings.get(word.key), *(key for key, read in readings.items() if read == word.key)):
            yield from self._by_key.get(other or "", ())
        for number in (
            sorted(_groups(word, self._quote.language)) if word.kind in (Kind.WORD, Kind.PREPOSITION) else ()
        ):
            yield from self._by_meaning.get(number, ())

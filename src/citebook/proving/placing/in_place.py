"""Whether a claim says what its quote says: every word aligned, in its place, and nothing left out that matters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from citebook.language.languages import Language
from citebook.proving.placing.alignment import Alignment, Place
from citebook.proving.placing.left_out import LeftOut
from citebook.proving.placing.order import Order
from citebook.proving.placing.reading import Kind, Placed, Reading
from citebook.proving.placing.rewordings import Elements, Rewordings
from citebook.proving.placing.standing_for import names_of_pronouns
from citebook.proving.support.meaning import opposites_of

_MOST_CLAIM_WORDS, _MOST_QUOTE_WORDS = 100, 400
"""What is longer is not told in other words."""
_MOST_REWORDED = 1_000
"""Words of all rewordings together that are tried."""
_RATHER_PRONOUN = -3.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a quote."""

    before: str = ""
    """The sentence before it, which says what “it” is."""
    headings: tuple[str, ...] = ()
    after: str = ""

    @property
    def heading(self) -> str:
        """That of the section."""
        return self.headings[-1] if self.headings else ""

    @property
    def text(self) -> str:
        return "\n".join((*self.headings, self.before, self.after))


def is_in_place(claim: str, quoted: str, around: Surroundings, language: Language) -> bool:
    """Whether the quoted sentences say what the claim says. What is in doubt is not.

    Time grows with the length of the texts: the claim is short, and the quote is read once for each of its words.
    """
    ours, theirs = Reading.of(claim, language), Reading.of(quoted, language)
    if not 0 < len(ours.words) <= _MOST_CLAIM_WORDS or len(theirs.words) > _MOST_QUOTE_WORDS:
        return False
    ours, theirs = _in_short(ours, theirs)
    if _Comparison(ours, theirs, around, language).holds():
        return True
    clauses = _clauses(ours)
    return bool(clauses) and all(_Comparison(clause, theirs, around, language).holds() for clause in clauses)


class _Comparison:
    def __init__(self, claim: Reading, quote: Reading, around: Surroundings, language: Language) -> None:
        self._claim, self._quote, self._lists = claim, quote, language.paraphrase
        before, heading = Reading.of(around.before, language), Reading.of(around.heading, language)
        names = names_of_pronouns(quote, before, heading)
        named = [Alignment(quote, names), Alignment(quote, names, pronoun=_RATHER_PRONOUN)] if names else []
        self._alignments = [Alignment(quote, {}), *named]

    def holds(self) -> bool:
        if not self._claim.telling or self._adds_pronouns() or self._adds_words() or self._is_of_another_time():
            return False
        orders = Rewordings(self._claim, self._quote).all()
        most = 1 + _MOST_REWORDED // len(self._claim.telling)
        return any(self._fits(self._needed(elements)) for elements in islice(orders, most))

    def _adds_words(self) -> bool:
        """Whether a word stands for nothing in the quote, however the claim may be reworded."""
        compared = any(word.key == "than" and word.kind is Kind.OPERATOR for word in self._claim.words)
        theirs = {word.key for word in self._quote.words} if compared else set()
        for word in (self._claim.words[index] for index in self._claim.telling):
            if word.kind not in (Kind.WORD, Kind.NUMBER) or word.text in self._lists.added:
                continue
            is_turned = compared and bool(opposites_of(word.key, self._claim.language) & theirs)
            if not is_turned and not self._alignments[-1].has(word):
                return True
        return False

    def _is_of_another_time(self) -> bool:
        """Whether it says “is” where the quote only says “was”, or the reverse."""
        ours, theirs = ({word.text for word in reading.words} for reading in (self._claim, self._quote))
        times = self._lists.present_forms, self._lists.past_forms
        return any(
            bool(ours & one) and not theirs & one and bool(theirs & other) for one, other in (times, times[::-1])
        )

    def _needed(self, elements: Elements) -> Elements:
        """Without what a claim may add."""
        return [element for element in elements if element.word.text not in self._lists.added]

    def _fits(self, elements: Elements) -> bool:
        return any(self._is_placed(elements, alignment) for alignment in self._alignments)

    def _is_placed(self, elements: Elements, alignment: Alignment) -> bool:
        places = alignment.of([element.word for element in elements])
        if not places or not _is_one_to_one(places) or not self._agree(elements, places):
            return False
        leads = {place.at: element.lead for element, place in zip(elements, places, strict=True)}
        idle = self._idle(elements, places)
        done = frozenset(place.at for element, place in zip(elements, places, strict=True) if element.is_done)
        left_out = LeftOut(self._quote, leads, idle, done)
        return Order(self._quote, elements, places).is_kept() and left_out.is_harmless()

    def _idle(self, elements: Elements, places: Sequence[Place]) -> frozenset[str]:
        """What the quote names where the claim has a pronoun, and the reverse; “holds” for “has”."""
        named = {element.word.form for element, place in zip(elements, places, strict=True) if place.name >= 0}
        idle = {word.text for word in self._quote.words if word.form in named and word.kind is Kind.WORD}
        if any(word.text in self._lists.have_forms for word in self._claim.words):
            idle |= self._lists.having
        return frozenset(idle)

    def _agree(self, elements: Elements, places: Sequence[Place]) -> bool:
        """Whether what stands for “they” is several, and what stands for “it” one."""
        last = {place.at: element.word for element, place in zip(elements, places, strict=True) if place.name >= 0}
        return all(self._is_of_number(self._quote.words[at].text, word) for at, word in last.items())

    def _is_of_number(self, pronoun: str, word: Placed) -> bool:
        lists = self._lists
        if pronoun in lists.pointing or pronoun in lists.relatives or word.is_name or word.kind is not Kind.WORD:
            return True
        has_ending = word.text.endswith(lists.plurals or ("\0",)) and not word.text.endswith(
            lists.not_plurals or ("\0",)
        )
        is_plural = has_ending or (word.text in lists.base_forms and word.text != lists.base_forms[word.text])
        return is_plural == (pronoun in lists.plural_pronouns)

    def _adds_pronouns(self) -> bool:
        """Whether it speaks of “you”, or begins with “it”, where the quote does not."""
        theirs = {word.text for word in self._quote.words}
        voices = {word.text for word in self._claim.words if word.text in self._lists.own_voice}
        first = next((word for word in self._claim.words if word.text not in self._lists.articles), None)
        is_vague = first is not None and first.kind is Kind.PRONOUN and first.text not in theirs
        return bool(voices - theirs) or is_vague


def _clauses(claim: Reading) -> list[Reading]:
    """The two clauses of “A is B, and C is D”, of which each must be said; none where it is not made so."""
    lists = claim.language.paraphrase
    for at, word in enumerate(claim.words[1:-1], start=1):
        if word.kind is not Kind.STOP and word.text not in lists.joining:
            continue
        following = claim.words[at + 1]
        clauses = [Reading(words, claim.language) for words in (claim.words[:at], claim.words[at + 1 :])]
        is_named = following.text in lists.articles or following.is_name
        if is_named and all(any(one.text in lists.auxiliaries for one in clause.words) for clause in clauses):
            return clauses
    return []


def _is_one_to_one(places: Sequence[Place]) -> bool:
    """Words of the quote are used once, and a pronoun for one name."""
    begun = [place.at for place in places if place.step == 0]
    return len(set(begun)) == len(begun)


def _in_short(claim: Reading, quote: Reading) -> tuple[Reading, Reading]:
    """The same, with names that one of them shortens shortened in both."""
    for short in _shortened(claim) | _shortened(quote):
        claim, quote = _with_short(claim, short), _with_short(quote, short)
    return claim, quote


def _shortened(reading: Reading) -> frozenset[str]:
    return frozenset(word.text for word in reading.words if word.is_short)


def _with_short(reading: Reading, short: str) -> Reading:
    """Words in a row whose first letters are those of a short name are read as it; so is what repeats it at once."""
    words = list(reading.words)
    index = 0
    while index + len(short) <= len(words):
        run = words[index : index + len(short)]
        if all(word.kind is Kind.WORD for word in run) and "".join(word.text[:1] for word in run) == short:
            words[index : index + len(short)] = [Placed(Kind.WORD, short, short, short, is_name=True)]
            if [word.text for word in words[index + 1 : index + 4]] == ["", short, ""]:
                del words[index + 1 : index + 4]
        index += 1
    return Reading(words, reading.language) if len(words) != len(reading.words) else reading

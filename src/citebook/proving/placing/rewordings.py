"""Other orders in which a claim says the same: active for passive, “of” for a compound, “so” for “because”."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from citebook.proving.placing.atoms import POSSESSIVE
from citebook.proving.placing.compounds import compounds
from citebook.proving.placing.order import Element
from citebook.proving.placing.reading import Kind, Placed, Reading
from citebook.proving.support.meaning import opposites_of

Elements = list[Element]


class Rewordings:
    """Each is one step away from the claim as it stands, and one more from an “of” to a compound."""

    def __init__(self, claim: Reading, quote: Reading) -> None:
        self._claim, self._quote = claim, quote
        self._lists, self._agent = claim.language.paraphrase, claim.language.claims.passive_agent
        self._at = claim.telling
        self.plain = [self._element(index) for index in self._at]

    def _element(self, index: int) -> Element:
        words = self._claim.words
        before = index
        while before and not words[before - 1].is_telling and words[before - 1].kind not in (Kind.BREAK, Kind.STOP):
            before -= 1
        begins = before == 0 or not words[before - 1].is_telling
        return Element(words[index], self._claim.lead(index), begins)

    def all(self) -> Iterator[Elements]:
        yield self.plain
        yield from compounds(self.plain, self._lists)
        for elements in self._steps():
            yield elements
            yield from compounds(elements, self._lists)

    def _steps(self) -> Iterator[Elements]:
        yield from self._active()
        yield from self._passive()
        yield from self._without_agent()
        yield from self._turned_round()
        yield from self._owned()
        yield from self._reasons()
        yield from self._measures()
        yield from self._compared()

    # --- who does what

    def _active(self) -> Iterator[Elements]:
        """“B is done by A” as “A does B”."""
        for number, element in enumerate(self.plain):
            if element.word.text not in self._agent or number < 2:
                continue
            for start in self._starts_of_subject(number - 1):
                for verb in self._ends_of_subject(start, number):
                    yield from self._by_agent(start, verb, number)

    def _by_agent(self, start: int, verb: int, number: int) -> Iterator[Elements]:
        subject = _within(self.plain[start:verb])
        for action, rest in self._actions(self.plain[verb:number]):
            near = range(number + 2, min(number + 4, len(self.plain) + 1))
            for end in sorted({*self._ends(number + 1), *near, len(self.plain)}):
                agent = _within(self.plain[number + 1 : end])
                yield [*self.plain[:start], *agent, *action, *subject, *rest, *self.plain[end:]]

    def _passive(self) -> Iterator[Elements]:
        """“A does B” as “B is done by A”, where the quote has it so."""
        agent = next((word for word in self._quote.words if word.text in self._agent), None)
        if agent is None or any(element.word.text in self._agent for element in self.plain):
            return
        verbs = self._done_by()
        for number, element in enumerate(self.plain):
            if element.word.key not in verbs or not number:
                continue
            for start in self._starts_before(number):
                subject, action = self._parted(self.plain[start:number])
                for end in self._ends(number + 1):
                    done = self.plain[number + 1 : end]
                    whom = [*done, *action, element, Element(agent), *_within(subject)]
                    yield [*self.plain[:start], *whom, *self.plain[end:]]

    def _without_agent(self) -> Iterator[Elements]:
        """“B can be done” as “can do B”, where the quote also says who does it."""
        for first in self._starts():
            start = first + self._claim.opens(self.plain[first].word)
            for verb in self._ends_of_subject(start, len(self.plain)):
                end = next((end for end in self._ends(verb)), len(self.plain))
                action, rest = self._action(self.plain[verb:end])
                if verb > start and action:
                    action[0] = replace(action[0], is_done=True)
                    yield [*self.plain[:start], *action, *_within(self.plain[start:verb]), *rest, *self.plain[end:]]

    def _done_by(self) -> frozenset[str]:
        """Stems of words of the quote before “by”, back to the beginning of their chunk."""
        words, chunks = self._quote.words, self._quote.chunks
        at = [index for index, word in enumerate(words) if word.text in self._agent]
        return frozenset(
            words[index].key
            for by in at
            for index in range(max(0, by - 8), by)
            if chunks[index] == chunks[by] and words[index].kind is Kind.WORD
        )

    # --- what is what

    def _turned_round(self) -> Iterator[Elements]:
        """“X is the Y” as “the Y is X”; behind “when”, “X is Y” as “Y X”."""
        for start in self._starts():
            verb = next(self._ends_of_subject(start, len(self.plain)), None)
            if verb is None or verb == start:
                continue
            is_clause = self._claim.opens(self.plain[start].word)
            if not is_clause and not self._is_definite(start) and not self._is_definite(verb):
                continue
            first = start + is_clause
            for end in self._ends(verb):
                said = self.plain[verb:end]
                yield [*self.plain[:first], *said, *_within(self.plain[first:verb]), *self.plain[end:]]

    def _is_definite(self, number: int) -> bool:
        index = self._at[number]
        if index > 0 and self._claim.words[index - 1].text in self._lists.definite:
            return True
        return any(word.text == POSSESSIVE for word in self._claim.words[index : index + 4])

    def _owned(self) -> Iterator[Elements]:
        """“a gear's teeth” as “teeth of a gear”."""
        for number in range(1, len(self.plain)):
            if not self._is_owned(number):
                continue
            last, start = next(self._ends(number)), self._start_of_name(number)
            between = self._lists.articles | self._lists.of
            owner = [
                replace(self.plain[start], lead=next(iter(self._lists.of), ""), behind=between),
                *self.plain[start + 1 : number],
            ]
            for end in range(number + 1, min(number + 3, last) + 1):
                yield [*self.plain[:start], *self.plain[number:end], *owner, *self.plain[end:]]

    def _is_owned(self, number: int) -> bool:
        index = self._at[number]
        return number > 0 and index > 0 and self._claim.words[index - 1].text == POSSESSIVE

    def _start_of_name(self, number: int) -> int:
        start = number - 1
        while start > 0 and self._at[start] == self._at[start - 1] + 1:
            start -= 1
        return start

    # --- why

    def _reasons(self) -> Iterator[Elements]:
        """“B because A” as “A, so B”, where the quote has it so, and the reverse."""
        theirs = {word.key: word for word in self._quote.words if word.kind is Kind.OPERATOR}
        for number, element in enumerate(self.plain):
            if element.word.kind is not Kind.OPERATOR:
                continue
            before, behind = self.plain[:number], self.plain[number + 1 :]
            if element.word.key == "because" and "so" in theirs:
                parted = ((behind, before),) if before else _cuts_at_break(behind)
                yield from ([*reason, Element(theirs["so"], begins=True), *rest] for reason, rest in parted)
            if element.word.key == "so" and (cause := theirs.get("because") or theirs.get("since")):
                yield [*behind, Element(cause, begins=True), *before]

    def _measures(self) -> Iterator[Elements]:
        """“two fewer teeth” as “two teeth fewer”, and the reverse."""
        for number, element in enumerate(self.plain[:-1]):
            following = self.plain[number + 1]
            kinds = {element.word.kind, following.word.kind}
            keys = {element.word.key, following.word.key}
            if kinds == {Kind.WORD, Kind.OPERATOR} and keys & {"more", "less"}:
                yield [*self.plain[:number], following, element, *self.plain[number + 2 :]]

    def _compared(self) -> Iterator[Elements]:
        """“A is faster than B” as “B is slower than A”, where the quote has it so."""
        for number, element in enumerate(self.plain):
            if element.word.key != "than" or element.word.kind is not Kind.OPERATOR:
                continue
            start, end = self._start(number), next(self._ends(number), len(self.plain))
            for verb in self._ends_of_subject(start, number, self._lists.being | self._lists.have_forms):
                for at in range(verb, number):
                    for other in self._opposites(self.plain[at].word):
                        turned = [*self.plain[verb:at], Element(other), *self.plain[at + 1 : number + 1]]
                        sides = self.plain[number + 1 : end], self.plain[start:verb]
                        yield [*self.plain[:start], *sides[0], *turned, *sides[1], *self.plain[end:]]

    def _opposites(self, word: Placed) -> list[Placed]:
        """Words of the quote that say the opposite of a comparative."""
        if word.kind is Kind.OPERATOR:
            turned = {"more": "less", "less": "more"}.get(word.key)
            return [other for other in self._quote.words if other.kind is word.kind and other.key == turned][:1]
        opposed = opposites_of(word.key, self._claim.language)
        return [other for other in self._quote.words if other.kind is Kind.WORD and other.key in opposed][:1]

    # --- parts of a clause

    def _starts(self) -> Iterator[int]:
        chunks = self._claim.chunks
        for number, index in enumerate(self._at):
            if number == 0 or chunks[self._at[number - 1]] != chunks[index]:
                yield number

    def _start(self, number: int) -> int:
        """The first word of the chunk that this one stands in."""
        chunks = self._claim.chunks
        while number and chunks[self._at[number - 1]] == chunks[self._at[number]]:
            number -= 1
        return number

    def _starts_before(self, number: int) -> Iterator[int]:
        """The first word of its chunk, and of those before that no more than a comma or “and” parts from it."""
        start = self._start(number)
        yield start + (start < number and self._claim.opens(self.plain[start].word))
        while start and not self._claim.opens(self.plain[start].word):
            if any(word.kind is Kind.STOP for word in self._claim.words[self._at[start - 1] : self._at[start]]):
                return
            start = self._start(start - 1)
            first = start + self._claim.opens(self.plain[start].word)
            yield first

    def _starts_of_subject(self, number: int) -> Iterator[int]:
        """Also behind a phrase in front that no comma parts from it."""
        for start in self._starts_before(number):
            yield start
            if not (self.plain[start].lead or self.plain[start].word.kind is Kind.PREPOSITION):
                continue
            for other in range(start + 1, min(start + 5, number)):
                before = self._claim.words[self._at[other] - 1]
                if before.text in self._lists.articles or self.plain[other].word.is_name:
                    yield other

    def _ends_of_subject(self, start: int, end: int, verbs: Set[str] | None = None) -> Iterator[int]:
        """The words behind forms of “be” in the clause, with what steers them."""
        verbs = self._lists.being if verbs is None else verbs
        for number in range(start, min(end + 1, len(self.plain) + 1)):
            since = self._at[number - 1] + 1 if number else 0
            until = self._at[number] if number < len(self.plain) else len(self._claim.words)
            between = self._claim.words[since:until]
            if number == start and any(word.kind in (Kind.BREAK, Kind.STOP) for word in between):
                continue
            if number < len(self.plain) and any(word.text in verbs for word in between):
                yield self._with_operators(start, number)
            is_other = number < len(self.plain) and number > start and self._claim.opens(self.plain[number].word)
            if is_other or any(word.kind is Kind.STOP for word in between):
                return

    def _with_operators(self, start: int, number: int) -> int:
        while number - 1 > start and self.plain[number - 1].word.key in self._lists.kinds.steering:
            number -= 1
        return number

    def _ends(self, number: int) -> Iterator[int]:
        """Where what begins there may end: before each phrase that follows, and at the end of the chunk."""
        end = number + 1
        while end < len(self.plain):
            element = self.plain[end]
            is_new = element.begins or self._claim.opens(element.word)
            if is_new or element.lead or element.word.kind in (Kind.PREPOSITION, Kind.OPERATOR):
                yield end
            if element.begins or self._claim.opens(element.word):
                return
            end += 1
        yield min(end, len(self.plain))

    def _actions(self, elements: Sequence[Element]) -> Iterator[tuple[Elements, Elements]]:
        """Also with what a thing is made (“kept constant”) among the phrases."""
        action, rest = self._action(elements)
        yield action, rest
        verb = next((at for at, one in enumerate(action) if one.word.kind is Kind.WORD), len(action))
        if verb + 1 < len(action):
            yield action[: verb + 1], [*action[verb + 1 :], *rest]

    def _action(self, elements: Sequence[Element]) -> tuple[Elements, Elements]:
        """The verb with what steers it, and the phrases behind it."""
        count = next(
            (at for at, one in enumerate(elements) if at and (one.lead or one.word.kind is Kind.PREPOSITION)),
            len(elements),
        )
        if count < len(elements) and elements[count].word.text in self._lists.particles:
            count += 1
        return list(elements[:count]), list(elements[count:])

    @staticmethod
    def _parted(elements: Sequence[Element]) -> tuple[Elements, Elements]:
        """The subject, and the operators that steer the verb behind it."""
        count = len(elements)
        while count > 1 and elements[count - 1].word.kind is Kind.OPERATOR:
            count -= 1
        return list(elements[:count]), list(elements[count:])


def _within(elements: Sequence[Element]) -> Elements:
    """As it stands in the middle of a clause."""
    return [replace(elements[0], begins=False), *elements[1:]] if elements else []


def _cuts_at_break(elements: Sequence[Element]) -> Iterator[tuple[Elements, Elements]]:
    for cut, element in enumerate(elements):
        if cut and element.begins:
            yield list(elements[:cut]), list(elements[cut:])

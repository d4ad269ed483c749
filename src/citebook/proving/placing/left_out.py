"""Whether what a claim leaves out of its quote leaves the rest as true as it was."""

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from citebook.proving.placing.limits import is_limited
from citebook.proving.placing.reading import Kind, Placed, Reading

_MOST_IN_TITLE = 1
"""Words before a title that are no names: of “critics say president Smith” two."""
Piece = list[int]
"""Places of words that no comma and no conjunction parts."""


class LeftOut:
    """The quote, and which of its words a claim has."""

    def __init__(
        self,
        quote: Reading,
        leads: Mapping[int, str],
        idle: Set[str] = frozenset(),
        done: Set[int] = frozenset(),
    ) -> None:
        """`leads` has the places of the words that are used, and the preposition that the claim has before each.

        `idle` are words that the claim has in another form, `done` verbs whose subject it does not name.
        """
        self._quote, self._leads, self._idle, self._done = quote, leads, idle, done
        self._used = leads.keys()
        self._lists = quote.language.paraphrase

    def is_harmless(self) -> bool:
        """Of each segment that is used, all that is left out may be; segments that are not used may go."""
        ends = [index for index, word in enumerate(self._quote.words) if word.kind is Kind.STOP]
        starts = [0, *(end + 1 for end in ends)]
        return all(
            self._is_whole(start, end) for start, end in zip(starts, [*ends, len(self._quote.words)], strict=True)
        )

    def _is_whole(self, start: int, end: int) -> bool:
        used = sorted(at for at in self._used if start <= at < end)
        if not used:
            return True
        if not self._has_hosts(start, end) or not self._names_something(used) or self._is_denied(used):
            return False
        inside = all(self._may_go(left, right) for left, right in pairwise(used))
        return inside and self._may_begin_at(start, used[0]) and self._may_end_at(used[-1], end)

    def _names_something(self, used: Sequence[int]) -> bool:
        """No “not” and no “only” is taken from a chunk of which nothing else is used."""
        chunks = self._quote.chunks
        bare = {chunks[at] for at in used if not self._stands_alone(self._quote.words[at])}
        return bare <= {chunks[at] for at in used if self._stands_alone(self._quote.words[at])}

    def _is_denied(self, used: Sequence[int]) -> bool:
        """Whether something is used of what stands behind “instead of”, without these words."""
        chunks = self._quote.chunks
        denied = {
            chunks[index]
            for index, word in enumerate(self._quote.words)
            if word.kind is Kind.OPERATOR and word.key in self._lists.kinds.denying and index not in self._used
        }
        return any(chunks[at] in denied for at in used)

    def _stands_alone(self, word: Placed) -> bool:
        return word.kind not in (Kind.OPERATOR, Kind.PREPOSITION) or word.key in self._lists.kinds.modals

    # --- between two words that are used

    def _may_go(self, left: int, right: int) -> bool:
        pieces = self._pieces(left + 1, right)
        if not any(self._tells(piece) for piece in pieces) or self._is_what_it_is(left, right):
            return True
        first, last = pieces[0], pieces[-1]
        if self._is_title(first, right):
            return True
        is_closed = self._quote.opens(self._quote.words[right])
        is_subject = right in self._done and len(pieces) > 1 and self._names_one(last)
        is_subject = is_subject or self._is_title(last, right)
        if not (is_closed or is_subject) and self._tells(last):
            return False
        if any(self._is_bound(piece) for piece in pieces) or self._is_of_another(pieces, right):
            return False
        if not self._tells(first) or self._quote.opens(self._quote.words[first[0]]):
            return True
        if is_limited(self._quote, left):
            return False
        return self._is_trailing(first[0]) if len(pieces) == 1 else self._is_first_of_several(first, right)

    def _is_of_another(self, pieces: Sequence[Piece], right: int) -> bool:
        """Whether it goes on with what is said of something left out: “the dog [chased the cat, which] ran away”."""
        words = self._quote.words
        is_relative = any(words[index].text in self._lists.relatives for index in pieces[-1])
        between = range(pieces[0][0], right) if pieces[0] else range(0)
        joins = sum(words[index].text in self._lists.joining for index in between)
        return self._tells(pieces[0]) and (is_relative or joins > 1)

    def _is_what_it_is(self, left: int, right: int) -> bool:
        """Whether only “is a gear that” stands between."""
        words = self._quote.words[left + 1 : right]
        if (
            words[0].text not in self._lists.being
            or words[-1].text not in self._lists.relatives | self._lists.linking
        ):
            return False
        kinds = {word.kind for word in words[1:-1]}
        return words[1].text in self._lists.articles - self._lists.definite and kinds <= {Kind.LIGHT, Kind.WORD}

    def _is_first_of_several(self, piece: Piece, right: int) -> bool:
        """Whether what goes on behind it goes on with what stands before it: “walks [with care and] slowly”."""
        words = self._quote.words
        if not any(self._is_missed(index) and words[index].kind is Kind.WORD for index in piece):
            return False
        prepositions = [words[index].text for index in piece if self._quote.is_preposition(index)]
        if not prepositions or words[piece[-1] + 1].text not in self._lists.joining:
            return True
        between = words[piece[-1] + 1 : right + 1]
        if any(word.text in self._lists.auxiliaries for word in between) or self._is_verb_too(piece, right):
            return True
        if self._is_subject(piece[0] - 1):
            return True
        return words[piece[0]].text == prepositions[-1] == self._leads[right]

    def _is_subject(self, index: int) -> bool:
        """Whether a chunk begins with an article and this word for several things: what follows says what they do."""
        words, chunks = self._quote.words, self._quote.chunks
        is_name = words[index].kind is Kind.WORD and words[index].text.endswith(self._lists.plurals or ("\0",))
        is_behind_article = index > 0 and words[index - 1].text in self._lists.articles
        return is_name and is_behind_article and (index == 1 or chunks[index - 2] != chunks[index])

    def _is_verb_too(self, piece: Piece, right: int) -> bool:
        """Whether a piece begins with a word that ends as another does, as verbs of one subject do."""
        ending = self._verb_ending(next(index for index in piece if self._is_missed(index)))
        return bool(ending) and ending == self._verb_ending(right)

    def _verb_ending(self, index: int) -> str:
        word, lists = self._quote.words[index], self._lists
        if word.kind is not Kind.WORD:
            return ""
        if lists.base_forms.get(word.text, word.text) != word.text:
            return lists.verb_endings[1] if len(lists.verb_endings) > 1 else ""
        return next((ending for ending in lists.verb_endings if word.text.endswith(ending)), "")

    @property
    def _links(self) -> frozenset[str]:
        return self._lists.relatives | self._lists.linking

    # --- at the edges of a segment

    def _may_begin_at(self, start: int, first: int) -> bool:
        pieces = self._pieces(start, first)
        telling = [piece for piece in pieces if self._tells(piece)]
        if not telling:
            return True
        is_closed = self._quote.opens(self._quote.words[first])
        is_subject = first in self._done and self._names_one(pieces[-1])
        is_subject = is_subject or self._is_date_before_name(pieces[-1], first) or self._is_title(pieces[-1], first)
        is_open = not is_closed and self._tells(pieces[-1]) and not is_subject and not self._is_opening(pieces)
        if is_open or any(self._is_bound(piece) for piece in telling):
            return False
        is_other_clause = any(
            self._quote.words[at].text in self._lists.contrasting for at in range(max(0, first - 3), first)
        )
        return is_other_clause or self._may_stand_in_front(telling[0])

    def _is_date_before_name(self, piece: Piece, first: int) -> bool:
        """“In 1953 Watson”: no comma parts them, and yet they are two."""
        is_name = self._quote.words[first].is_name or self._quote.words[first - 1].text in self._lists.articles
        return is_name and bool(piece) and self._quote.is_preposition(piece[0]) and self._may_stand_in_front(piece)

    def _is_title(self, piece: Piece, name: int) -> bool:
        """Whether it says no more than what someone is whose name follows: “football player Jay”."""
        words = self._quote.words
        is_last = bool(piece) and piece[-1] + 1 == name and words[piece[-1]].text in self._lists.titles
        if not is_last or not words[name].is_name:
            return False
        before = [words[index] for index in piece[:-1] if words[index].text not in self._lists.articles]
        common = [word for word in before if not word.is_name]
        return len(common) <= _MOST_IN_TITLE and all(word.kind is Kind.WORD for word in before)

    def _names_one(self, piece: Piece) -> bool:
        """Whether it is a name without anything that steers what is said of it."""
        return all(
            self._quote.words[index].kind in (Kind.WORD, Kind.NUMBER, Kind.LIGHT, Kind.PRONOUN) for index in piece
        )

    def _is_opening(self, pieces: Sequence[Piece]) -> bool:
        """Whether the last of them is “this shows”, or “with” before a clause without a verb of its own."""
        missed = [self._quote.words[index] for index in pieces[-1] if self._is_missed(index)]
        if len(pieces) > 1 and len(missed) == 1 and missed[0].text in self._lists.absolute:
            return True
        return missed[-1].text in self._lists.factive and all(word.kind is Kind.WORD for word in missed)

    def _may_stand_in_front(self, piece: Piece) -> bool:
        """A phrase in front says where or when the rest holds; a date alone may go."""
        words = [self._quote.words[index] for index in piece]
        lead = next((word for word in words if word.text not in self._lists.articles), None)
        if (
            lead is None
            or lead.text in self._lists.contrast
            or not (lead.kind is Kind.PREPOSITION or lead.text in self._lists.loose_prepositions)
        ):
            return True
        telling = [word for word in words if word.is_telling]
        return all((word.kind is Kind.NUMBER and not word.unit) or word.text in self._lists.dates for word in telling)

    def _may_end_at(self, last: int, end: int) -> bool:
        pieces = self._pieces(last + 1, end)
        if any(self._tells(piece) and self._is_bound(piece) for piece in pieces):
            return False
        tail = pieces[0]
        if not self._tells(tail) or self._quote.opens(self._quote.words[tail[0]]):
            return True
        return self._is_trailing(tail[0]) and not is_limited(self._quote, last)

    # --- what a piece is

    def _pieces(self, start: int, end: int) -> list[Piece]:
        """The first begins where the stretch does, and is empty where that is a break."""
        pieces: list[Piece] = [[]]
        for index in range(start, end):
            word = self._quote.words[index]
            if word.kind is Kind.BREAK:
                pieces.append([])
            elif self._opens_piece(index, pieces[-1]):
                pieces.append([index])
            else:
                pieces[-1].append(index)
        return pieces

    def _opens_piece(self, index: int, piece: Piece) -> bool:
        """A condition of what is left out goes with it."""
        word = self._quote.words[index]
        if not piece or not self._quote.opens(word):
            return False
        return word.key in self._lists.kinds.asides or not self._tells(piece)

    def _tells(self, piece: Piece) -> bool:
        return any(self._is_missed(index) for index in piece)

    def _is_missed(self, index: int) -> bool:
        word = self._quote.words[index]
        if index in self._used or not word.is_telling:
            return False
        is_aside = word.kind is Kind.OPERATOR and word.key in self._lists.kinds.asides
        is_aside = is_aside or (word.kind is Kind.WORD and word.text in self._idle) or self._is_of_kind(index)
        return not is_aside and word.text not in self._lists.left_out and word.key not in self._lists.left_out

    def _is_of_kind(self, index: int) -> bool:
        """Whether a sentence begins with it that says something of all of a kind: “each node runs”."""
        words = self._quote.words
        is_first = index == 0 or words[index - 1].kind is Kind.STOP
        is_all = words[index].kind is Kind.OPERATOR and words[index].key in self._lists.kinds.generic
        return is_all and is_first and index + 1 < len(words) and words[index + 1].kind is Kind.WORD

    def _is_bound(self, piece: Piece) -> bool:
        """Whether it is a condition or an exception of what stands beside it."""
        kinds = self._lists.kinds
        for index in piece:
            word = self._quote.words[index]
            if index not in self._used and word.kind is Kind.OPERATOR and word.key in kinds.conditions:
                return True
            if self._is_missed(index):
                break
        lead = next((self._quote.words[index] for index in piece), None)
        return lead is not None and lead.key in kinds.exceptions

    def _is_trailing(self, index: int) -> bool:
        word = self._quote.words[index]
        return (
            word.text in self._lists.trailing
            or word.text in self._lists.relatives
            or word.text in self._lists.linking
        )

    # --- what hangs on what

    def _has_hosts(self, start: int, end: int) -> bool:
        """A clause that says when or why is used only beside the clause of which it says so."""
        used_by_chunk: dict[int, list[int]] = {}
        order: list[int] = []
        for index in range(start, end):
            chunk = self._quote.chunks[index]
            if self._quote.words[index].kind is not Kind.BREAK and chunk not in used_by_chunk:
                used_by_chunk[chunk] = []
                order.append(chunk)
            if index in self._used:
                used_by_chunk[chunk].append(index)
        opened = {chunk: self._is_opened(used_by_chunk[chunk]) for chunk in order}
        return all(
            self._host_is_used(order, number, opened, used_by_chunk)
            for number, chunk in enumerate(order)
            if opened[chunk]
        )

    def _is_opened(self, used: Sequence[int]) -> bool:
        return bool(used) and self._quote.opens(self._quote.words[used[0]])

    @staticmethod
    def _host_is_used(order: Sequence[int], number: int, opened: dict[int, bool], used: dict[int, list[int]]) -> bool:
        """What stands in front is about all that follows."""
        following = [chunk for chunk in order[number + 1 :] if not opened[chunk]]
        if number == 0:
            return any(used[chunk] for chunk in following)
        before = next((chunk for chunk in reversed(order[:number]) if not opened[chunk]), None)
        return any(bool(used[chunk]) for chunk in (before, *following[:1]) if chunk is not None)

"""What the pronouns of a quote stand for, as far as its wording shows it."""

from collections.abc import Iterator, Sequence, Set

from citebook.proving.placing.reading import Kind, Placed, Reading

Names = tuple[Placed, ...]
_LONGEST_NAME = 6


def names_of_pronouns(quote: Reading, before: Reading, heading: Reading) -> dict[int, tuple[Names, ...]]:
    """By the place of a pronoun, what may stand for it: a claim may have the first words of each."""
    lists = quote.language.paraphrase
    found: dict[int, tuple[Names, ...]] = {}
    for index, word in enumerate(quote.words):
        if word.kind is not Kind.PRONOUN:
            continue
        if word.text in lists.relatives:
            name = _name_before(quote, index)
            names: tuple[Names, ...] = tuple(name[start:] for start in range(len(name)))
        elif _is_followed_by_word(quote, index) and word.text in lists.pointing:
            names = (_kind_of(quote.words[index + 1], before),)
        else:
            names = _subjects(quote, index, before, heading)
        if kept := tuple(name for name in names if name):
            found[index] = kept
    return found


def _is_followed_by_word(reading: Reading, index: int) -> bool:
    return index + 1 < len(reading.words) and reading.words[index + 1].kind is Kind.WORD


def _name_before(quote: Reading, index: int) -> Names:
    """The words before the comma before “who” and “which”."""
    at = index - 1
    if at < 0 or quote.words[at].kind is not Kind.BREAK:
        return ()
    name: list[Placed] = []
    while at > 0 and quote.words[at - 1].kind in (Kind.WORD, Kind.NUMBER):
        at -= 1
        name.insert(0, quote.words[at])
    return tuple(name[-_LONGEST_NAME:])


def _kind_of(noun: Placed, before: Reading) -> Names:
    """The words by which the sentence before tells this noun from others; none where it has several such."""
    kinds: set[Names] = set()
    for index, word in enumerate(before.words):
        if word.kind is Kind.WORD and word.key == noun.key:
            previous = before.words[index - 1] if index else None
            kinds.add((previous,) if previous is not None and previous.kind is Kind.WORD else ())
    kinds.discard(())
    return next(iter(kinds)) if len(kinds) == 1 else ()


def _subjects(quote: Reading, index: int, before: Reading, heading: Reading) -> tuple[Names, ...]:
    """The subject of the clause before it, or of the sentence before and what the heading names.

    Also without its first word: “the filter” is the Kalman filter.
    """
    start = _start_of_chunk(quote, index)
    clause = quote.words[:start]
    own = _subject(clause, quote) or (_subject(clause[1:], quote) if clause and quote.opens(clause[0]) else ())
    if own:
        is_object = any(word.is_telling for word in quote.words[start:index])
        objects = _objects(clause, quote.language.paraphrase.loose_prepositions) if is_object else ()
        return (own, own[1:], *objects)
    title = tuple(word for word in heading.words if word.kind in (Kind.WORD, Kind.NUMBER))[:_LONGEST_NAME]
    subject = _subject(_last_segment(before), before) or _subject(before.words, before)
    return (subject, subject[1:], title)


def _last_segment(reading: Reading) -> Sequence[Placed]:
    """“a vector is an arrow” of “That is the image to keep: a vector is an arrow.”"""
    number = max((reading.segments[index] for index in reading.telling), default=0)
    return [word for word, segment in zip(reading.words, reading.segments, strict=True) if segment == number]


def _objects(words: Sequence[Placed], prepositions: Set[str]) -> Iterator[Names]:
    """The last words before the first preposition of a clause: what is done something to."""
    run: list[Placed] = []
    for word in words:
        if word.kind in (Kind.WORD, Kind.NUMBER):
            run.append(word)
        elif len(run) > 1 and (word.kind is not Kind.LIGHT or word.text in prepositions):
            break
    yield from (tuple(run[-count:]) for count in range(1, min(3, len(run) - 1)))


def _start_of_chunk(quote: Reading, index: int) -> int:
    while index and quote.chunks[index - 1] == quote.chunks[index]:
        index -= 1
    return index


def _subject(words: Sequence[Placed], reading: Reading) -> Names:
    """The words up to the verb, as far as it shows; behind the phrase that stands in front."""
    lists = reading.language.paraphrase
    start = 0
    telling = next((word for word in words if word.text not in lists.articles), None)
    if telling is not None and (
        telling.text in lists.loose_prepositions or telling.kind is Kind.PREPOSITION or reading.opens(telling)
    ):
        start = next((at + 1 for at, word in enumerate(words) if word.kind is Kind.BREAK), len(words))
    name: list[Placed] = []
    for word in words[start:]:
        if word.kind in (Kind.WORD, Kind.NUMBER):
            name.append(word)
        elif name or word.kind in (Kind.BREAK, Kind.STOP, Kind.PRONOUN) or word.text in lists.own_voice:
            break
    return tuple(name[:_LONGEST_NAME])

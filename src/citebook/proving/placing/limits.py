"""Whether words of a quote say more where what follows them is left out: “the largest”, “not”, “all”."""

from citebook.proving.placing.reading import Kind, Placed, Reading


def is_limited(quote: Reading, index: int) -> bool:
    """Whether the part of a chunk that ends with this word would say more if it ended there."""
    lists, chunk = quote.language.paraphrase, quote.chunks[index]
    at, is_behind_verb = index, False
    while at >= 0 and quote.chunks[at] == chunk:
        word = quote.words[at]
        is_behind_verb = is_behind_verb or word.text in lists.being
        is_harmless = _counts_subject(quote, at) or _is_period(quote, at) or (is_behind_verb and _ranks(word))
        if _limits(quote, word) and not is_harmless:
            return True
        at -= 1
    return False


def _limits(quote: Reading, word: Placed) -> bool:
    lists = quote.language.paraphrase
    if word.kind is Kind.NUMBER:
        return word.key[:1] == "#"
    if word.kind is Kind.OPERATOR:
        return word.key in lists.kinds.limiting
    return word.kind is Kind.WORD and word.text.endswith(lists.superlatives or ("\0",))


def _ranks(word: Placed) -> bool:
    """“The first” and “the largest” say which one is meant, and nothing of what is said of it."""
    return word.kind in (Kind.NUMBER, Kind.WORD)


def _counts_subject(quote: Reading, at: int) -> bool:
    """“Most” and “all” at the beginning say of how many; what is said of them may be shorter."""
    is_first = at == 0 or quote.chunks[at - 1] != quote.chunks[at]
    return is_first and quote.words[at].key in quote.language.paraphrase.kinds.counting


def _is_period(quote: Reading, at: int) -> bool:
    """“every four years”."""
    following = quote.words[at + 1] if at + 1 < len(quote.words) else None
    is_every = quote.words[at].key in quote.language.paraphrase.periods
    return is_every and following is not None and bool(following.unit)

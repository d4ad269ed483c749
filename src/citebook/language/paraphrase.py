"""What a language says in more than one way, and which of its words steer what is said."""

from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from citebook.domain.value import Value
from citebook.language.word_lists import Words


def _alternatives(value: Any) -> Any:
    return {name: tuple(text.split("|")) for name, text in value.items()} if isinstance(value, dict) else value


def _lines(value: Any) -> Any:
    return tuple(tuple(line.split()) for line in value)


Groups = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_lines)]
"""Each written as one string of words."""


class OperatorKinds(Value):
    """What leaving an operator out would do."""

    conditions: Words = frozenset()
    """What it opens says under which condition the rest holds."""
    asides: Words = frozenset()
    """What it opens may be left out as a whole."""
    denying: Words = frozenset()
    """Of these, what it opens is not said to be so."""
    generic: Words = frozenset()
    """Where a sentence begins with it, it is said of the kind: “each node runs” is “nodes run”."""
    counting: Words = frozenset()
    """Where a clause begins with it, it says of how many the rest is said."""
    steering: Words = frozenset()
    """It stands beside the verb that it steers."""
    modals: Words = frozenset()
    """Both of two verbs may hang on it."""
    exceptions: Words = frozenset()
    """What begins with it limits what stands beside it."""
    limiting: Words = frozenset()
    """Beside it, leaving out what comes nearer to the thing says something else: “the largest fire in Florida”."""


class Paraphrase(Value):
    """A word that is in none of these lists has a meaning of its own, which must stand where the quote has it."""

    light: Words = frozenset()
    articles: Words = frozenset()
    definite: Words = frozenset()
    have_forms: Words = frozenset()
    having: Words = frozenset()
    being: Words = frozenset()
    auxiliaries: Words = frozenset()
    present_forms: Words = frozenset()
    past_forms: Words = frozenset()
    joining: Words = frozenset()
    contrasting: Words = frozenset()
    linking: Words = frozenset()
    of: Words = frozenset()
    relatives: Words = frozenset()
    loose_prepositions: Words = frozenset()
    places: Words = frozenset()
    prepositions: Words = frozenset()
    trailing: Words = frozenset()
    pronouns: Words = frozenset()
    pointing: Words = frozenset()
    owning: Words = frozenset()
    own_voice: Words = frozenset()
    left_out: Words = frozenset()
    """A claim may leave these out; also names of operators."""
    added: Words = frozenset()
    """A claim may add these."""
    titles: Words = frozenset()
    """What someone is: before a name a claim may leave it out."""
    factive: Words = frozenset()
    superlatives: tuple[str, ...] = ()
    adverbs: tuple[str, ...] = ()
    movable: Words = frozenset()
    free_operators: Words = frozenset()
    particles: Words = frozenset()
    periods: Words = frozenset()
    contrast: Words = frozenset()
    absolute: Words = frozenset()
    dates: Words = frozenset()
    reason_behind_comma: Words = frozenset()
    reason_before_pronoun: Words = frozenset()
    adverbs_of_reason: Words = frozenset()
    plural_pronouns: Words = frozenset()
    plurals: tuple[str, ...] = ()
    not_plurals: tuple[str, ...] = ()
    verb_endings: tuple[str, ...] = ()
    more_than: Words = frozenset()
    less_than: Words = frozenset()
    roughly: Words = frozenset()
    contractions: tuple[tuple[str, str], ...] = ()
    endings: tuple[tuple[str, str], ...] = ()
    """Endings of words, and what is written for them, so that both spellings are one."""
    forms: Words = frozenset()
    """What may follow the part that two forms of one word share."""
    irregular: Groups = ()
    """Forms of one word, the word itself first."""
    alike: Groups = ()
    """Words of like meaning."""
    operators: Annotated[dict[str, tuple[str, ...]], BeforeValidator(_alternatives)] = Field(default_factory=dict)
    """Words and phrases that steer what is said, by what they are read as."""
    phrases: dict[str, str] = Field(default_factory=dict)
    """What is read as something else; as nothing where that is empty."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Operators that may stand for another."""
    kinds: OperatorKinds = OperatorKinds()

    @cached_property
    def rewritten(self) -> dict[tuple[str, ...], str]:
        """By its words, what a phrase is read as."""
        return {tuple(phrase.split()): read for phrase, read in self.phrases.items()}

    @cached_property
    def operator_phrases(self) -> dict[tuple[str, ...], str]:
        """By its words, what an operator is read as."""
        return {tuple(words.split()): name for name, alternatives in self.operators.items() for words in alternatives}

    @cached_property
    def longest_phrase(self) -> int:
        return max(map(len, (*self.rewritten, *self.operator_phrases)), default=1)

    @cached_property
    def base_forms(self) -> dict[str, str]:
        """Irregular forms, and the word that each is a form of."""
        return {form: group[0] for group in self.irregular for form in group}

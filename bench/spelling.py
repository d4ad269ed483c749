"""How many slips of the keyboard are put right, how many wrongly, and how often a correct question is changed.

FOLDER/<book> is the data folder of each book of bench/graded, and of the sample book: `sample`.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from bench.fitting import ROOT
from citebook.adapters.qdrant.editions import EditionFolders
from citebook.domain.wording import Wording
from citebook.language.languages import language_of
from citebook.language.lexicon import Lexicon
from citebook.searching.slips import neighbours
from citebook.searching.spelling import Speller

_ENGLISH = language_of("en")
_SEED = 42
_SHORTEST = 4
_VOWELS = "aeiou"
_SOUNDS = (("ph", "f"), ("ck", "k"), ("y", "i"), ("c", "s"), ("z", "s"), ("ie", "ei"), ("tion", "sion"), ("wh", "w"))


@dataclass(frozen=True, slots=True)
class Asked:
    book: str
    text: str
    is_misspelt: bool


@dataclass(slots=True)
class Tally:
    outcomes: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


def graded_questions() -> Iterator[Asked]:
    examples = ROOT / "examples/physical-ai"
    for file in (*sorted((ROOT / "bench/graded").glob("*.jsonl")), examples / "graded-questions.jsonl"):
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            yield Asked(row["book"], row["question"], row["kind"] == "misspelt")
    for row in map(json.loads, (examples / "questions.jsonl").read_text(encoding="utf-8").splitlines()):
        yield Asked("sample", row["question"], is_misspelt=False)


def wording_of_book(data: Path) -> Wording:
    """Counted anew, so that editions will do that were made before words were kept."""
    (root,) = (path.parent for path in data.glob("index/*/CURRENT"))
    edition = EditionFolders(root).open_current()
    counts: Counter[str] = Counter()
    for found in edition.chunks(list(edition.pages)).values():
        counts.update(set(_ENGLISH.words(found.chunk.embedded_text)))
    return Wording(edition.edition.name, Lexicon.of_counts(counts.items()).lines)


def mistyped(word: str, chance: random.Random) -> str:
    """The word with one slip: a letter left out, doubled, swapped, hit beside, or written as it sounds."""
    place = chance.randrange(1, len(word))
    sounding = [pair for pair in _SOUNDS if pair[0] in word]
    match chance.choice(("left out", "doubled", "swapped", "hit beside", "vowel", "sound")):
        case "left out":
            return word[:place] + word[place + 1 :]
        case "doubled":
            return word[:place] + word[place - 1] + word[place:]
        case "swapped":
            return word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :]
        case "hit beside":
            return word[:place] + chance.choice(sorted(neighbours(word[place]))) + word[place + 1 :]
        case "sound" if sounding:
            return word.replace(*chance.choice(sounding), 1)
        case _:
            vowels = [place for place, letter in enumerate(word) if letter in _VOWELS]
            place = chance.choice(vowels or [place])
            return word[:place] + chance.choice(_VOWELS) + word[place + 1 :]


def tally_slips(asked: Sequence[Asked], spellers: dict[str, Speller], rounds: int, seed: int) -> Tally:
    """One or two content words of each question are mistyped; a slip that makes another word is not counted."""
    chance, tally = random.Random(seed), Tally()
    for question in list(asked) * rounds:
        speller = spellers[question.book]
        content = [
            word
            for word in question.text.split()
            if len(word) >= _SHORTEST and word.isascii() and word.isalpha() and word.islower()
            if word not in _ENGLISH.stop_words and speller.stands_in_book(word)
        ]
        text = question.text.split()
        slips = {}
        for word in chance.sample(content, min(len(content), chance.choice((1, 2)))):
            slip = mistyped(word, chance)
            if not speller.is_known(slip):
                slips[slip] = word
                text[text.index(word)] = slip
        if slips:
            _count_slips(" ".join(text), slips, speller, tally)
    return tally


def _count_slips(text: str, slips: dict[str, str], speller: Speller, tally: Tally) -> None:
    started = perf_counter()
    found = {correction.typed: correction.searched for correction in speller.spell(text).corrections}
    tally.milliseconds.append((perf_counter() - started) * 1e3)
    for slip, word in slips.items():
        got = found.get(slip)
        outcome = "left alone" if got is None else "right" if _same(got, word) else "wrong"
        tally.outcomes[outcome] += 1
        if outcome != "right":
            tally.examples.append(f"{slip} ({word}) -> {got}" if got else f"{slip} ({word})")


def _same(first: str, second: str) -> bool:
    return _ENGLISH.terms(first) == _ENGLISH.terms(second)


def tally_correct(asked: Sequence[tuple[str, Asked]], spellers: dict[str, Speller]) -> Tally:
    """Of correct questions, put to these books, how many are changed."""
    tally = Tally()
    for book, question in asked:
        started = perf_counter()
        text, changes = spellers[book].spell(question.text)
        tally.milliseconds.append((perf_counter() - started) * 1e3)
        respelt = "in the other spelling" if text != question.text else "unchanged"
        tally.outcomes["changed" if changes else respelt] += 1
        tally.examples += [f"{change.typed} -> {change.searched}" for change in changes]
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=4, help="how often each question is mistyped")
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--examples", type=int, default=0, help="how many of what went wrong to show")
    options = parser.parse_args()
    asked = list(graded_questions())
    books = sorted({question.book for question in asked})
    spellers = {book: Speller(wording_of_book(options.folder / book), _ENGLISH) for book in books}
    correct = [question for question in asked if not question.is_misspelt]
    elsewhere = [(book, question) for book in books for question in correct if question.book != book]
    tallies = {
        "slips made by rule": tally_slips(correct, spellers, options.rounds, options.seed),
        "correct questions": tally_correct([(question.book, question) for question in correct], spellers),
        "correct questions, to the other books": tally_correct(elsewhere, spellers),
    }
    _show(tallies, options.examples)
    for question in asked:
        if question.is_misspelt:
            print(f"{question.text}  ->  {spellers[question.book].spell(question.text).text}")


def _show(tallies: dict[str, Tally], examples: int) -> None:
    table = Table("what", "outcomes", "median ms", "95 % ms")
    for name, tally in tallies.items():
        total = tally.outcomes.total()
        outcomes = (f"{count} {what} ({count / total:.1%})" for what, count in tally.outcomes.most_common())
        times = sorted(tally.milliseconds)
        median, high = times[len(times) // 2], times[len(times) * 95 // 100]
        table.add_row(name, ", ".join(outcomes), f"{median:.2f}", f"{high:.2f}")
    Console().print(table)
    for name, tally in tallies.items():
        print(f"{name}: {'; '.join(tally.examples[:examples])}" if examples else "", end="\n" if examples else "")


if __name__ == "__main__":
    main()

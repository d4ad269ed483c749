"""Writes the words that readers use of anything: `python -m bench.everyday_words`.

A word of a question that stands nowhere in a book speaks against an answer in it, unless it is one of these. They are
taken from the written questions: those in everyday words to at least two of the books, and whatever is asked of many.
"""

import json
from collections import defaultdict

from bench.fitting import ROOT
from citebook.language.languages import language_of

_QUESTIONS = ROOT / "bench" / "training" / "questions.jsonl"
_FILE = ROOT / "src" / "citebook" / "language" / "english" / "everyday_words.txt"
_BOOKS_IN_EVERYDAY_WORDS = 2
_BOOKS_IN_ANY = 6
_OF_ASKING = (
    "please pls thanks whats whos wheres hows isnt dont doesnt didnt cant couldnt wont wouldnt shouldnt arent havent "
    "summarise summarize summary explain discuss describe define compare list"
)


def everyday_words() -> list[str]:
    english = language_of("en")
    in_everyday_words, in_any = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for kind in ("ask", "lay", "short", "near"):
            for word in english.words(row[kind]):
                in_any[word].add(row["book"])
                if kind == "lay":
                    in_everyday_words[word].add(row["book"])
    often = {word for word, books in in_everyday_words.items() if len(books) >= _BOOKS_IN_EVERYDAY_WORDS}
    everywhere = {word for word, books in in_any.items() if len(books) >= _BOOKS_IN_ANY}
    return sorted(
        word
        for word in often | everywhere | set(_OF_ASKING.split())
        if word.isalpha() and word not in english.stop_words
    )


def main() -> None:
    words = everyday_words()
    _FILE.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    print(f"written: {_FILE} ({len(words):,} words)")


if __name__ == "__main__":
    main()

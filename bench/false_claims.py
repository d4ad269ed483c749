"""Shows how many false claims beside a true quote are shown, by kind: `python -m bench.false_claims`."""

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk, PagePlace, Sentence
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.layout import plain_layout
from citebook.language.languages import language_of
from citebook.proving.proofs import proven

LABELS = Path(__file__).parent / "labels"
CLAIMS = LABELS / "claims.jsonl", LABELS / "claims-of-other-books.jsonl"
_ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader sees of a claim."""

    row: dict[str, str]
    in_words: bool
    as_quote: bool


def passage_of(row: dict[str, str]) -> tuple[Chunk, int, int]:
    """The quote between its neighbours, under its headings; and the first and last sentence of the quote."""
    text = " ".join(part for part in (row["before"], row["quote"], row["after"]) if part)
    start = len(row["before"]) + 1 if row["before"] else 0
    parts = [(0, len(row["before"])), (start, start + len(row["quote"])), (start + len(row["quote"]) + 1, len(text))]
    spans = [(begin, end) for begin, end in parts if end > begin]
    headings = row["headings"] or ["Book"]
    place = PagePlace(
        source_file=row["source_file"], filename="x", chapter_id="x", chapter_title=headings[0], url="/x"
    )
    chunk = Chunk(
        id=Chunk.hash_of("x", "x", 0, text),
        text=text,
        place=place,
        section="x",
        section_title=headings[-1],
        section_path=tuple(headings[1:]) or (headings[0],),
        chunk_index=0,
        start=0,
        end=len(text),
        source_text=text,
        sentences=tuple(Sentence(start=a, end=b, source_start=a, source_end=b) for a, b in spans),
        layout=plain_layout(text),
        sentence_start=0,
        sentence_end=len(spans) - 1,
    )
    quoted = 1 if row["before"] else 0
    return chunk, quoted, quoted


def shown(row: dict[str, str]) -> Shown:
    """The claim on its way through the same proof as in an answer, sentence by sentence."""
    chunk, first, last = passage_of(row)
    found = RetrievedChunk(chunk=chunk, score=1.0, dense_score=1.0, lexical_score=1.0, rank=1)
    evidence = QueryResult(query_text="", retrieved_chunks=(found,), total_results=1, retrieval_time_ms=1.0)
    text = row["claim"]
    claims = [
        Claim(text=text[start:end], chunk_id=chunk.id, first_sentence=first, last_sentence=last)
        for start, end in language_of(_ENGLISH).sentence_spans(text)
    ]
    sentences = proven(claims, evidence)
    in_words = [not sentence.claim.quoted for sentence in sentences]
    return Shown(row, any(in_words), len(in_words) > sum(in_words))


def rows_of(paths: Iterable[Path], splits: Iterable[str]) -> list[dict[str, str]]:
    wanted = set(splits)
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["split"] in wanted]


def table(seen: Sequence[Shown]) -> str:
    lines = [
        "| kind | claims | in the model's words | as a quote | not at all |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for is_true in (False, True):
        own = [one for one in seen if bool(one.row["is_true"]) == is_true]
        for kind in (*sorted({one.row["kind"] for one in own}), None):
            group = [one for one in own if kind in (None, one.row["kind"])]
            lines += [_line(kind, group, is_true=is_true)]
    return "\n".join(lines)


def _line(kind: str | None, group: Sequence[Shown], *, is_true: bool) -> str:
    name = kind or ("**all that are true**" if is_true else "**all that are false**")
    words = sum(one.in_words for one in group)
    quotes = sum(one.as_quote and not one.in_words for one in group)
    share = f"{words} ({100 * words / max(1, len(group)):.1f} %)"
    return f"| {name} | {len(group)} | {share} | {quotes} | {len(group) - words - quotes} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=Path, action="append", help="a file of claims; both of ours unless told")
    parser.add_argument("--split", choices=["dev", "test"], action="append", help="the test half unless told")
    parser.add_argument("--list", action="store_true", help="also list false claims shown and true ones not in words")
    options = parser.parse_args()
    seen = [shown(row) for row in rows_of(options.claims or CLAIMS, options.split or ["test"])]
    print(table(seen))
    for one in seen if options.list else ():
        if one.in_words != bool(one.row["is_true"]):
            print(f"{one.row['id']} {one.row['kind']}: {one.row['claim']}\n    {one.row['quote']}")


if __name__ == "__main__":
    main()

"""What may stand in a claim."""

import pytest

from citebook.proving.plain_claims import plain_claim

QUOTE = "A Vec<T> holds values; its first is values[0], and <T> names the type."


@pytest.mark.parametrize(
    "text",
    [
        "See https://evil.example for more.",
        "See www.evil.example.",
        "Write to mailto:a@b.example.",
        "![a](//evil.example/x.png)",
        "[click](/docs/x)",
        "[click] (//evil.example)",
        "[a]: //evil.example",
        "It holds. [more][1] [1]: //evil.example",
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "<b>bold</b>",
        "<!-- hidden -->",
        "&lt;img src=x&gt;",
        "&#104;ttps&#58;//evil.example",
        "HTTPS://EVIL.EXAMPLE",
        "data:text/html,x",
        "<T=1>",
        "",
        "[1]",
        "x" * 1_001,
    ],
)
def test_nothing_that_links_or_loads_passes(text: str) -> None:
    assert plain_claim(text, QUOTE) is None


@pytest.mark.parametrize(
    "text",
    [
        "A Vec<T> holds values.",
        "a < b and b > c",
        "The first is values[0].",
        "The data: one, two.",
        "Use **one** `x`.",
    ],
)
def test_plain_words_and_code_of_the_quote_pass(text: str) -> None:
    assert plain_claim(text, QUOTE) == text


@pytest.mark.parametrize("marker", ["[3]", "[1, 2]", '[Source: Gears (Page 7) - "no"]', "[excerpt 2]"])
def test_a_claim_makes_no_citations_of_its_own(marker: str) -> None:
    assert plain_claim(f"It holds values {marker}.", QUOTE) == "It holds values."

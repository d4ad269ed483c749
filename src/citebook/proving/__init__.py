"""Whether a claim stands in the book: the place, the quote, the support."""

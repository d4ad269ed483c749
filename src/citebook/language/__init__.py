"""What depends on the language of a book: its words, sentences and cues, kept as data."""

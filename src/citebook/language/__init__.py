"""How text is cut into sentences and terms, by the language of the book."""

"""Answers made of the book's own sentences, without a language model."""

"""Answers made of the book's own words, without a language model."""

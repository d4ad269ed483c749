"""Citebook answers questions about a book from the book alone, and proves it."""

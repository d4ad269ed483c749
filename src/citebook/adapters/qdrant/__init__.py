"""Qdrant as the book's index: inside this process, or as a server."""

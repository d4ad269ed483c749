"""Five clients, each written from one seed alone, against the real service with the sample book.

A client knows its seed's models, limits and words, and the paths and bodies that the specification adds where a seed
leaves them to files that nobody has. It knows nothing of this code.
"""

"""`python -m tests.e2e.small_demo BOOK …`: `citebook demo …` with that book in place of the sample book."""

import sys
from pathlib import Path

from citebook.cli import demo, main

if __name__ == "__main__":
    book = Path(sys.argv.pop(1))
    demo.sample_book = lambda: book
    main()

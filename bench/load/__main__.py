"""`python -m bench.load`: many readers at once."""

from bench.load.readers import main

main()

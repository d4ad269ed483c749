"""The command line."""

from citebook.cli.app import main

__all__ = ["main"]

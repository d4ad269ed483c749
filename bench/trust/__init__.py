"""The fourteen figures of what Citebook must survive, each measured by one command."""

"""Each figure of trust as a command."""

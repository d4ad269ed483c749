"""What the service survives, as commands that say so in figures."""

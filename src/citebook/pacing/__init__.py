"""When work is done, and how long it may take."""
